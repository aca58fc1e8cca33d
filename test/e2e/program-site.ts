// A simulated farm and the whole program (`pithead up`) in a process of its own, as a technician has it: every command
// is the command line, at this host or with a key from another computer.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { z } from 'zod';
import { type Farm, type FarmOptions, startFarm } from '../../fixtures/farm/farm.ts';
import { OWNERS_ENVIRONMENT, OWNERS_LOGINS } from '../../fixtures/farm/owners.ts';
import { suitablePortMap } from '../../fixtures/farm/ports.ts';
import { EXIT } from '../../src/cli/output/exit.ts';
import { type Ended, runPithead, type Started, startPithead } from './process.ts';
import { vouchFor } from './vouch.ts';

export type ProgramSite = {
  readonly farm: Farm;
  readonly folder: string;
  /** Names the configuration of the program, for commands at its host. */
  readonly atHost: readonly string[];
  /** `pithead` at the host. */
  pithead(...args: string[]): Promise<Ended>;
  /** Where its service is. */
  url(): string;
  /** The lines of JSON that a command prints; none where nothing matches. It has to end well. */
  json<T>(schema: z.ZodType<T>, ...args: string[]): Promise<T[]>;
  /** The options by which a person with a key of this name asks from another computer. */
  keyOf(name: string, role: string): Promise<readonly string[]>;
  /** The program ends and begins again, on a host on which so much time has passed (negative = ago). */
  restart(laterMs: number, meanwhile?: () => Promise<void>): Promise<void>;
  stop(): Promise<void>;
};

type Options = {
  readonly farm: Partial<FarmOptions> & Pick<FarmOptions, 'miners' | 'network'>;
  readonly config?: (farm: Farm) => Readonly<Record<string, unknown>>;
  /** Of its service, which then has the same after a restart. Default: a free one. */
  readonly port?: number;
  /** Of its host, against this one; later or, negative, earlier. */
  readonly laterMs?: number;
};

const LATER = pathToFileURL(join(import.meta.dirname, 'later-host.ts')).href;

export async function startProgram({ farm: options, config, port = 0, laterMs }: Options): Promise<ProgramSite> {
  const folder = mkdtempSync(join(tmpdir(), 'pithead-program-'));
  const stateDir = join(folder, 'state');
  const portMap = await suitablePortMap();
  const farm = await startFarm({ ...options, portMap });
  vouchFor(stateDir, farm);
  const path = join(folder, 'pithead.yaml');
  const whole = {
    ...{ stateDir: 'state', networks: [options.network], portMap, scan: { maxPerSecond: 50_000, ipReports: false } },
    ...{ credentials: { trust: 'network', logins: OWNERS_LOGINS } },
    ...config?.(farm),
  };
  writeFileSync(path, JSON.stringify(whole), { mode: 0o600 });
  const start = async (laterMs: number | undefined) => {
    const host = laterMs !== undefined && { NODE_OPTIONS: `--import=${LATER}`, PITHEAD_LATER_MS: String(laterMs) };
    const up = startPithead(['up', '--config', path, '--port', String(port)], {
      environment: { ...OWNERS_ENVIRONMENT, ...host },
    });
    await up.untilPrinted('stderr', /service on \S+,/);
    return up;
  };
  const atHost = ['--config', path];
  const pithead = (...args: string[]) => runPithead([...args, ...atHost]);
  let up: Started = await start(laterMs);
  const url = () => /service on (\S+?),/.exec(up.stderr())?.[1] ?? '';
  const end = async () => {
    up.kill('SIGTERM');
    await up.end();
  };
  return {
    ...{ farm, folder, atHost, pithead, url },
    async json(schema, ...args) {
      const { code, stdout, stderr } = await pithead(...args, '--json');
      if (code === EXIT.nothing) return [];
      if (code !== 0) throw new Error(`pithead ${args.join(' ')} ended with ${code}: ${stderr}${stdout}`);
      const lines = stdout.split('\n').filter((line) => line !== '');
      return lines.map((line) => schema.parse(JSON.parse(line)));
    },
    async keyOf(name, role) {
      const { stdout } = await pithead('key', 'create', '--name', name, '--role', role, '--json');
      const file = join(folder, `key-of-${name}`);
      writeFileSync(file, z.looseObject({ key: z.string() }).parse(JSON.parse(stdout)).key, { mode: 0o600 });
      return ['--server', url(), '--key-file', file];
    },
    async restart(laterMs, meanwhile) {
      await end();
      await meanwhile?.();
      up = await start(laterMs);
    },
    async stop() {
      await end();
      await farm.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
