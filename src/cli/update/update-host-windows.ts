// The host of an update as it is on Windows: the service host, which has started this process and does to the service what it is told in lines; the
// agent's local door; and the service's own interface.
import { read, write } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { knock } from '../../agent/control/control-client.ts';
import { PeerError } from '../../base/errors.ts';
import { saveDatabases } from '../../update/install/database-copies.ts';
import type { UnitState, UpdateHost } from '../../update/install/host.ts';
import { linkedVersion } from '../../update/install/layout.ts';
import { currentLink, type Places } from '../../update/install/places.ts';
import { tryNewProgram } from '../../update/install/try-program.ts';
import { systemFolder } from '../setup/config-file.ts';
import { restoreCopies } from './update-databases.ts';
import { installedConfig, isServing } from './update-host.ts';

/** One order at a time: gives the line that the service host answers. */
export type Ask = (order: 'start' | 'stop' | 'unit') => Promise<string>;

export function createWindowsUpdateHost(
  environment: Readonly<Record<string, string | undefined>>,
  places: Places,
  ask: Ask,
): UpdateHost {
  const stateDir = () => installedConfig(environment)?.stateDir ?? join(systemFolder(environment), 'state');
  const order = async (what: 'start' | 'stop') => {
    const answer = await ask(what);
    if (answer !== 'ok') throw new PeerError('peer.rejected', `${what} the service: ${answer.slice(0, 64)}`, 'never');
  };
  return {
    start: () => order('start'),
    stop: () => order('stop'),
    unit: async () => readUnit(await ask('unit')),
    // The service host does not know when its program is ready: the agent says so, at its door, and which version it is.
    async isServing() {
      const wanted = linkedVersion(currentLink(places));
      if ((await versionAt(stateDir())) !== wanted) return false;
      return (await isServing(installedConfig(environment))) ?? true;
    },
    tryProgram: tryNewProgram,
    saveDatabases: async () => void saveDatabases(stateDir()),
    restoreDatabases: async () => void restoreCopies(stateDir()),
  };
}

/** Throws PeerError when it is no such line. */
export function readUnit(line: string): UnitState {
  const [, active, sub, restarts, pid] = /^([a-z-]+) ([a-z-]+) (\d+) (\d+)$/.exec(line) ?? [];
  if (active === undefined || sub === undefined)
    throw new PeerError('peer.unparsable', `understand the service host: ${line.slice(0, 64)}`, 'never');
  return { active, sub, restarts: Number(restarts), pid: Number(pid) };
}

async function versionAt(stateDir: string): Promise<string | undefined> {
  const found = await knock(stateDir).catch(() => undefined);
  if (found?.kind !== 'running') return undefined;
  try {
    return await found.agent.version();
  } catch {
    return undefined;
  } finally {
    await found.agent.close();
  }
}

const INPUT = 0;
const OUTPUT = 1;
const MAX_LINE = 256;
const readSome = promisify(read);
const writeSome = promisify(write);

/** Through the standard streams. Rejects when the service host is gone; then this process is about to be ended with it. */
export function askServiceHost(): Ask {
  return async (order) => {
    await writeSome(OUTPUT, `${order}\n`);
    let line = '';
    while (!line.endsWith('\n')) {
      const { bytesRead, buffer } = await readSome(INPUT, Buffer.alloc(MAX_LINE), 0, MAX_LINE, null);
      if (bytesRead === 0 || line.length > MAX_LINE)
        throw new PeerError('peer.reset', `ask the service host to ${order}`, 'never');
      line += buffer.toString('latin1', 0, bytesRead);
    }
    return line.trim();
  };
}
