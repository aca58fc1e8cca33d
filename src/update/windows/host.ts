// The host of an update on Windows: the service host, which started this process and follows commands in lines. `facts`
// asks what the agent and the service report about themselves.
import { read, write } from 'node:fs';
import { promisify } from 'node:util';
import { PeerError } from '../../base/errors.ts';
import type { UnitState, UpdateHost } from '../install/healthy.ts';
import { currentLink, linkedVersion, type Places } from '../install/layout.ts';
import { tryNewProgram } from '../install/try-program.ts';

/** One command at a time: gives the line that the service host answers. */
export type Ask = (command: 'start' | 'stop' | 'unit') => Promise<string>;

type WindowsFacts = Pick<UpdateHost, 'isServing' | 'saveDatabases' | 'restoreDatabases' | 'refusedDrivers'> & {
  /** Undefined when no agent answers. */
  runningVersion(): Promise<string | undefined>;
};

export function createWindowsHost(places: Places, ask: Ask, { runningVersion, ...facts }: WindowsFacts): UpdateHost {
  const command = async (what: 'start' | 'stop') => {
    const answer = await ask(what);
    if (answer !== 'ok') throw new PeerError('peer.rejected', `${what} the service: ${answer.slice(0, 64)}`, 'never');
  };
  return {
    ...facts,
    start: () => command('start'),
    stop: () => command('stop'),
    unit: async () => readUnit(await ask('unit')),
    // The service host does not know when its program is ready: the agent says so, and which version it is.
    async isServing() {
      if ((await runningVersion()) !== linkedVersion(currentLink(places))) return false;
      return (await facts.isServing()) ?? true;
    },
    tryProgram: tryNewProgram,
  };
}

/** Throws PeerError when it is no such line. */
export function readUnit(line: string): UnitState {
  const [, active, sub, restarts, pid] = /^([a-z-]+) ([a-z-]+) (\d+) (\d+)$/.exec(line) ?? [];
  if (active === undefined || sub === undefined)
    throw new PeerError('peer.unparsable', `understand the service host: ${line.slice(0, 64)}`, 'never');
  return { active, sub, restarts: Number(restarts), pid: Number(pid) };
}

const INPUT = 0;
const OUTPUT = 1;
const MAX_LINE = 256;
const readSome = promisify(read);
const writeSome = promisify(write);

/** Through the standard streams. Rejects when the service host is gone; this process is about to end then too. */
export function askServiceHost(): Ask {
  return async (command) => {
    await writeSome(OUTPUT, `${command}\n`);
    let line = '';
    while (!line.endsWith('\n')) {
      const { bytesRead, buffer } = await readSome(INPUT, Buffer.alloc(MAX_LINE), 0, MAX_LINE, null);
      if (bytesRead === 0 || line.length > MAX_LINE)
        throw new PeerError('peer.reset', `ask the service host to ${command}`, 'never');
      line += buffer.toString('latin1', 0, bytesRead);
    }
    return line.trim();
  };
}
