// A farm and a service in this process, and the agent as the program that its users start: for what happens to
// processes and to the line in between.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { request } from 'undici';
import { z } from 'zod';
import { type Farm, type FarmOptions, startFarm } from '../../fixtures/farm/farm.ts';
import { suitablePortMap } from '../../fixtures/farm/ports.ts';
import { systemClock } from '../../src/base/clock.ts';
import { type Log, silentLog } from '../../src/base/log.ts';
import { VERSION } from '../../src/base/version.ts';
import type { MinerV1 } from '../../src/model/miner.ts';
import { createService, type Service } from '../../src/service/service.ts';
import { type Started, type StartOptions, startPithead } from '../e2e/process.ts';
import { minerListSchema } from '../e2e/site.ts';
import { vouchFor } from '../e2e/vouch.ts';
import { loopback } from '../support/loopback.ts';

const rowSchema = z.record(z.string(), z.union([z.number(), z.string(), z.null()]));

/**
 * In slices. `unexplained` = acknowledged but not stored, or stored but never made; `waiting` = not acknowledged yet.
 */
export type Ledger = {
  readonly stored: number;
  readonly acknowledged: number;
  readonly waiting: number;
  readonly unexplained: number;
  /** Declared, but for those of restarts. */
  readonly gaps: number;
};

export type AgentSite = {
  readonly folder: string;
  readonly farm: Farm;
  readonly service: Service;
  readonly url: string;
  readonly key: string;
  /** Writes the configuration; `more` wins over what the site says. */
  configure(more?: Readonly<Record<string, unknown>>): void;
  startAgent(options?: StartOptions): Started;
  miners(): Promise<MinerV1[]>;
  get(path: string): Promise<string>;
  /** Rows of the service's database; numbers and texts. */
  stored(sql: string): z.output<typeof rowSchema>[];
  /** Rows of the agent's outbox, while it does not run. */
  kept(sql: string): z.output<typeof rowSchema>[];
  /** What the agent's outbox and the service say of the same slices, while the agent does not run. */
  ledger(): Ledger;
  stop(): Promise<void>;
};

/**
 * The service keeps this port for its life, so that something may stand in front of it: `reachedAt` gives the URL that
 * the agent is told.
 */
export async function startAgentSite(
  farmOptions: Partial<FarmOptions> & Pick<FarmOptions, 'miners'>,
  options: { readonly log?: Log; readonly reachedAt?: (url: string) => Promise<string> } = {},
): Promise<AgentSite> {
  const folder = mkdtempSync(join(tmpdir(), 'pithead-fault-'));
  const portMap = await suitablePortMap();
  const { network = loopback(26).network } = farmOptions;
  const farm = await startFarm({ seed: 5, ...farmOptions, network, portMap });
  const databasePath = join(folder, 'service.sqlite');
  const service = await createService({
    databasePath,
    host: '127.0.0.1',
    port: 0,
    clock: systemClock,
    log: options.log ?? silentLog,
    version: VERSION,
  });
  const { url } = await service.start();
  const { workspaceId, farmId } = await service.admin.ensureDefaults();
  const { key } = await service.admin.createKey({ workspaceId, name: 'fault', role: 'admin' });
  const { code } = await service.admin.createEnrolmentCode({ farmId, ttlMs: 600_000 });
  const agentUrl = (await options.reachedAt?.(url)) ?? url;
  mkdirSync(join(folder, 'state'), { mode: 0o700 });
  vouchFor(join(folder, 'state'), farm);
  const agents: Started[] = [];
  const rows = (path: string, sql: string) => {
    const database = new DatabaseSync(path, { readOnly: true, timeout: 5_000 });
    try {
      return z.array(rowSchema).parse(
        database
          .prepare(sql)
          .all()
          .map((row) => ({ ...row })),
      );
    } finally {
      database.close();
    }
  };
  const get = async (path: string) => {
    const { body } = await request(`${url}/private-api/v1/${workspaceId}/farms/${farmId}${path}`, {
      headers: { 'x-api-key': key },
    });
    return body.text();
  };
  const site: AgentSite = {
    folder,
    farm,
    service,
    url,
    key,
    configure(more = {}) {
      const config = {
        stateDir: 'state',
        networks: [network],
        portMap,
        // Loopback bears what a farm's network does not.
        scan: { maxPerSecond: 50_000 },
        poll: { interval: '1s', slowEvery: 1, staticEvery: '5s', deadline: '3s' },
        service: { url: agentUrl, enrolmentCode: code, allowPlain: true },
        ...more,
      };
      writeFileSync(join(folder, 'pithead.yaml'), JSON.stringify(config), { mode: 0o600 });
    },
    startAgent(startOptions = {}) {
      const agent = startPithead(['agent', '-c', join(folder, 'pithead.yaml')], { cwd: folder, ...startOptions });
      agents.push(agent);
      return agent;
    },
    get,
    async miners() {
      return minerListSchema.parse(JSON.parse(await get('/miner/latest?pageSize=1000'))).data;
    },
    stored: (sql) => rows(databasePath, sql),
    kept: (sql) => rows(join(folder, 'state', 'outbox.sqlite'), sql),
    ledger() {
      const [meta] = site.kept('SELECT next_id FROM outbox_meta');
      const total = { stored: 0, acknowledged: 0, waiting: 0, unexplained: 0 };
      for (const { epoch, base, acked, through } of site.kept('SELECT * FROM outbox_epochs')) {
        const [cursor] = site.stored(`SELECT seq FROM ingest_cursors WHERE epoch = '${epoch}'`);
        const stored = Number(cursor?.seq ?? 0);
        const acknowledged = Number(acked) - Number(base);
        const waiting = Number(through ?? Number(meta?.next_id) - 1) - Number(acked);
        total.stored += stored;
        total.acknowledged += acknowledged;
        total.waiting += waiting;
        total.unexplained += Math.max(0, acknowledged - stored) + Math.max(0, stored - acknowledged - waiting);
      }
      return { ...total, gaps: site.stored("SELECT reason FROM gaps WHERE reason <> 'restart'").length };
    },
    async stop() {
      for (const agent of agents) if (!agent.hasEnded) agent.kill('SIGKILL');
      await Promise.all(agents.map((agent) => agent.end()));
      await service.stop();
      await farm.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
  site.configure();
  return site;
}

export const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
