// The host of an update as it is: systemd, the service's own interface, the new program tried by itself.
import { open } from 'node:fs/promises';
import { z } from 'zod';
import { type AgentConfig, loadConfig } from '../agent/config.ts';
import { PeerError } from '../base/errors.ts';
import { orderUnit, showUnit, tryProgram } from '../base/update-programs.ts';
import type { UpdateHost } from '../update/host.ts';
import { usualConfig } from './config-file.ts';
import { ownUrl, readyStatus } from './own-service.ts';
import { UNIT } from './systemd-unit.ts';

const VERSION_MS = 20_000;
const SELFTEST_MS = 120_000;
const ANSWER_MS = 2_000;

type Environment = Readonly<Record<string, string | undefined>>;

export function createUpdateHost(environment: Environment): UpdateHost {
  return {
    async start() {
      // Earlier failures would count against the next start; there may be none.
      await orderUnit('reset-failed', UNIT).catch(() => {});
      await orderUnit('start', '--no-block', UNIT);
    },
    stop: () => orderUnit('stop', UNIT),
    async unit() {
      const shown = await showUnit(UNIT, ['ActiveState', 'SubState', 'NRestarts', 'MainPID']);
      const number = (name: string) => Number(shown.get(name) ?? 0);
      return {
        active: shown.get('ActiveState') ?? '',
        sub: shown.get('SubState') ?? '',
        restarts: number('NRestarts'),
        pid: number('MainPID'),
      };
    },
    isServing: () => isServing(environment),
    async tryProgram(path, version) {
      await mustFitProcessor(path);
      const said = (await attempt('--version', () => tryProgram(path, ['--version'], VERSION_MS))).trim();
      if (said !== version) {
        throw new PeerError('peer.rejected', `it says that it is '${said.slice(0, 64)}', not ${version}`, 'never');
      }
      await attempt('selftest', () => tryProgram(path, ['selftest', '--json'], SELFTEST_MS));
    },
    saveDatabases: () => orderUnit('start', 'pithead-databases@save.service'),
    restoreDatabases: () => orderUnit('start', 'pithead-databases@restore.service'),
  };
}

/** At boot the service manager starts what is there by itself, after this: nothing is to be started or stopped. */
export function createBootHost(environment: Environment): UpdateHost {
  const running = { active: 'active', sub: 'running', restarts: 0, pid: 0 };
  return {
    ...createUpdateHost(environment),
    start: async () => {},
    stop: async () => {},
    unit: async () => running,
    isServing: async () => undefined,
  };
}

/** Of the ELF header, by `process.arch`. What is no program for this processor would be taken for a script. */
const MACHINES: ReadonlyMap<string, number> = new Map([
  ['x64', 62],
  ['arm64', 183],
]);

async function mustFitProcessor(path: string): Promise<void> {
  const file = await open(path, 'r');
  try {
    const { buffer } = await file.read(Buffer.alloc(20), 0, 20, 0);
    const isElf = buffer.readUInt32BE(0) === 0x7f454c46;
    if (isElf && buffer.readUInt16LE(18) === MACHINES.get(process.arch)) return;
  } finally {
    await file.close();
  }
  throw new PeerError('peer.rejected', `it is no program for ${process.arch}`, 'never');
}

const MAX_SAID = 200;
const failureSchema = z.object({
  code: z.union([z.string(), z.number()]).nullish(),
  signal: z.string().nullish(),
  stderr: z.string().default(''),
});

/** With the last line that the program says of it. */
async function attempt(what: string, act: () => Promise<string>): Promise<string> {
  try {
    return await act();
  } catch (error) {
    const parsed = failureSchema.safeParse(error);
    if (!parsed.success) throw error;
    const { code, signal, stderr } = parsed.data;
    const said = stderr
      .trim()
      .split('\n')
      .at(-1)
      ?.replaceAll(/\p{Cc}/gu, ' ')
      .slice(0, MAX_SAID);
    const how = `${what} ends with ${signal ?? code ?? 'an error'}`;
    throw new PeerError('peer.rejected', said ? `${how}: ${said}` : how, 'never');
  }
}

/** Undefined where the agent runs alone. */
async function isServing(environment: Environment): Promise<boolean | undefined> {
  const path = usualConfig(environment);
  if (path === undefined) return undefined;
  const config = readConfig(path, environment);
  if (config === undefined || (config.service !== undefined && !config.service.keepLocal)) return undefined;
  return (await readyStatus(ownUrl(config.listen), ANSWER_MS)) === 200;
}

function readConfig(path: string, environment: Environment): AgentConfig | undefined {
  try {
    return loadConfig(path, environment);
  } catch {
    // What the service makes of it is seen by whether it starts.
    return undefined;
  }
}
