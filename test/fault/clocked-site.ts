// A simulated farm, and agent and service as the programs that their users start, on hosts whose wall clocks can be
// set: in one process (`up`) on one host, or as two programs on two hosts. A clock may be set while its program is
// away.
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { request } from 'undici';
import { type Farm, startFarm } from '../../fixtures/farm/farm.ts';
import { suitablePortMap } from '../../fixtures/farm/ports.ts';
import { systemClock } from '../../src/base/clock.ts';
import type { MinerV1 } from '../../src/model/miner.ts';
import { openAdmin } from '../../src/service/admin.ts';
import { type Started, startPithead } from '../e2e/process.ts';
import { minerListSchema } from '../e2e/site.ts';
import { queryDatabase } from '../support/database.ts';
import { loopback } from '../support/loopback.ts';

/** One host with a wall clock of its own, and the program on it. */
export type ClockedHost = {
  /** By how much its clock is ahead of the right time. */
  readonly aheadMs: number;
  setClock(aheadMs: number): void;
  start(): Promise<void>;
  stop(): Promise<void>;
};

export type ClockedSite = {
  readonly farm: Farm;
  /** One host where both run in one process. */
  readonly service: ClockedHost;
  readonly agent: ClockedHost;
  miners(): Promise<MinerV1[]>;
  /** The text of an answer; paths below the farm in v2. */
  get(path: string): Promise<string>;
  query(sql: string): Promise<Record<string, unknown>[]>;
  stop(): Promise<void>;
};

const CLOCK = pathToFileURL(join(import.meta.dirname, 'settable-clock.ts')).href;

type SiteOptions = {
  readonly miners: number;
  readonly intervalMs: number;
  readonly isApart: boolean;
};

export async function startClockedSite({ miners, intervalMs, isApart }: SiteOptions): Promise<ClockedSite> {
  const folder = mkdtempSync(join(tmpdir(), 'pithead-fault-'));
  const portMap = await suitablePortMap();
  const { network } = loopback(27);
  const farm = await startFarm({ network, miners, mix: 'antminer-c', seed: 20, portMap });
  const database = join(folder, 'service.sqlite');
  const admin = await openAdmin(database, { clock: systemClock });
  const { workspaceId, farmId } = await admin.ensureDefaults();
  const { key } = await admin.createKey({ workspaceId, name: 'clocks', role: 'admin' });
  const { code } = await admin.createEnrolmentCode({ farmId, ttlMs: 7 * 86_400_000 });
  await admin.close();
  let url = '';

  const configure = (more: Readonly<Record<string, unknown>> = {}) => {
    const config = {
      ...{ stateDir: 'state', networks: [network], portMap, scan: { maxPerSecond: 50_000, ipReports: false } },
      poll: { interval: `${intervalMs}ms`, slowEvery: 1, deadline: `${intervalMs / 2}ms` },
      ...more,
    };
    writeFileSync(join(folder, 'pithead.yaml'), JSON.stringify(config), { mode: 0o600 });
  };
  const config = ['-c', join(folder, 'pithead.yaml')];
  // The same over restarts: the agent is told it once.
  const serving = ['--database', database, '--port', String(await freePort())];
  mkdirSync(join(folder, 'state'), { mode: 0o700 });
  configure();

  const onStarted = async (program: Started) => {
    const text = await program.untilPrinted('stderr', /service on http\S+/);
    url = /service on (http[^\s,]+)/.exec(text)?.[1] ?? '';
  };
  const service = createHost(folder, [isApart ? 'service' : 'up', ...config, ...serving], onStarted);
  const agent = isApart
    ? createHost(
        folder,
        ['agent', ...config],
        async () => {},
        () => configure({ service: { url, enrolmentCode: code, allowPlain: true } }),
      )
    : service;
  const ask = async (path: string) => {
    const { body, statusCode } = await request(url + path, { headers: { 'x-api-key': key } });
    const text = await body.text();
    if (statusCode !== 200) throw new Error(`GET ${path}: ${statusCode} ${text}`);
    return text;
  };
  return {
    farm,
    service,
    agent,
    async miners() {
      const text = await ask(`/private-api/v1/${workspaceId}/farms/${farmId}/miner/latest?pageSize=1000`);
      return minerListSchema.parse(JSON.parse(text)).data;
    },
    get: (path) => ask(`/public-api/v2/workspaces/${workspaceId}/farms/${farmId}${path}`),
    query: (sql) => queryDatabase(database, sql),
    async stop() {
      await agent.stop();
      await service.stop();
      await farm.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (address === null || typeof address === 'string') throw new Error('no port');
  return address.port;
}

function createHost(
  folder: string,
  args: readonly string[],
  onStarted: (program: Started) => Promise<void>,
  onStart: () => void = () => {},
): ClockedHost {
  const file = join(folder, `clock-of-${args[0] ?? ''}`);
  let aheadMs = 0;
  let program: Started | undefined;
  const setClock = (ms: number) => {
    aheadMs = ms;
    // Never read half written.
    writeFileSync(`${file}.new`, String(ms));
    renameSync(`${file}.new`, file);
  };
  setClock(0);
  return {
    get aheadMs() {
      return aheadMs;
    },
    setClock,
    async start() {
      onStart();
      const environment = { PITHEAD_CLOCK_FILE: file, NODE_OPTIONS: `--import=${CLOCK}` };
      program = startPithead(args, { cwd: folder, environment });
      await onStarted(program);
    },
    async stop() {
      if (program === undefined) return;
      program.kill('SIGTERM');
      await program.end();
      program = undefined;
    },
  };
}
