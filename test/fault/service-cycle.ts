// A service and, in the same process, those who use it over its port: an agent that enrols, reports and carries out
// tasks, and an integrator who has them created. It says what was answered, and what was refused.
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { request } from 'undici';
import { z } from 'zod';
import { systemClock } from '../../src/base/clock.ts';
import { renderError } from '../../src/base/errors.ts';
import { type Log, silentLog } from '../../src/base/log.ts';
import { createService, type Service } from '../../src/service/service.ts';
import type { ReportRecord } from '../../src/wire/records.ts';
import { type FakeAgent, startFakeAgent } from '../e2e/fake-agent.ts';
import { minerRecord } from '../unit/service-http/records.ts';
import { SERVICE_FILE } from './service-promises.ts';

const SLICES = 3;
/** More than a first cycle has miners. */
const MORE = 1_000;
const PAUSE_MS = 10;
/** By then whatever was refused shows somewhere. */
const SHOWN_MS = 10_000;
const HOUR_MS = 3_600_000;

const createdSchema = z.object({ data: z.array(z.object({ id: z.string(), task_count: z.number() })) });

export type ServiceCycle = {
  readonly folder: string;
  /** What the service has done before in this folder. */
  readonly isFirst: boolean;
  readonly rounds: number;
  /** `committed <promise>`, `noted <of a slice>`, `refused <what>: <as it shows>`, `bad <what>`, `not opened`. */
  say(line: string): void;
};

type Site = {
  readonly service: Service;
  readonly url: string;
  readonly databasePath: string;
  readonly logged: readonly string[];
  readonly say: ServiceCycle['say'];
  readonly promise: (what: string) => void;
};

/** False when the service could not be started: it is to be started again. */
export async function runServiceCycle({ folder, isFirst, rounds, say }: ServiceCycle): Promise<boolean> {
  const site = await started(folder, say);
  if (site === undefined) return false;
  const { service, promise } = site;
  const { workspaceId, farmId } = await insist(site, 'defaults', () => service.admin.ensureDefaults());
  const name = randomUUID();
  const { key } = await insist(site, 'key', () => service.admin.createKey({ workspaceId, name, role: 'admin' }));
  promise(`key ${name}`);
  const agent = await insist(site, 'agent', () => enrol(site, farmId));
  promise(`agent ${agent.agentId}`);
  try {
    for (let round = 0; round < rounds; round++) {
      const keys = await reportSlices(site, agent, isFirst ? 0 : MORE);
      await orderTask(site, agent, keys, { workspaceId, farmId, key });
    }
  } finally {
    agent.stop();
    await service.stop();
  }
  return true;
}

async function started(folder: string, say: ServiceCycle['say']): Promise<Site | undefined> {
  const logged: string[] = [];
  const note = (_fields: unknown, message: string) => void logged.push(message);
  const log: Log = { ...silentLog, warn: note, error: note };
  const databasePath = join(folder, SERVICE_FILE);
  let service: Service | undefined;
  try {
    const options = { databasePath, host: '127.0.0.1', port: 0, clock: systemClock, log, version: 'disk' };
    service = await createService(options);
    const { url } = await service.start();
    return { service, url, databasePath, logged, say, promise: (what) => say(`committed ${what}`) };
  } catch (error) {
    await service?.stop();
    say(`not opened: ${renderError(error)}`);
    return undefined;
  }
}

/** Again and again while it is refused, as those do who ask for it. Each refusal has to show to people. */
async function insist<T>(site: Site, what: string, attempt: () => Promise<T>): Promise<T> {
  const endMs = performance.now() + SHOWN_MS;
  for (;;) {
    const before = site.logged.length;
    try {
      return await attempt();
    } catch (error) {
      const shown = site.service.storage.fault() ?? site.logged[before];
      const text = `${what}: ${renderError(error)}`;
      site.say(shown === undefined ? `bad ${text}, and nothing shows it` : `refused ${text}: ${shown}`);
      if (performance.now() > endMs) throw error;
    }
    await systemClock.sleep(PAUSE_MS);
  }
}

async function enrol({ service, url, logged, say }: Site, farmId: string): Promise<FakeAgent> {
  const { code } = await service.admin.createEnrolmentCode({ farmId, ttlMs: HOUR_MS });
  return startFakeAgent(code, (attempt) => {
    const shown = service.storage.fault() ?? logged.at(-1);
    if (attempt > 0)
      say(shown === undefined ? 'bad connection: lost, and nothing shows why' : `refused agent: ${shown}`);
    return url;
  });
}

/** Each slice brings a miner, an event and a gap of its own. */
async function reportSlices(site: Site, agent: FakeAgent, miners: number): Promise<readonly string[]> {
  const keys: string[] = [];
  for (let count = 0; count < SLICES; count++) {
    const seq = agent.seq() + 1;
    const atMs = Date.now();
    const at = new Date(atMs).toISOString();
    const key = randomUUID();
    site.say(`noted holds ${agent.epoch} ${seq} ${key}`);
    const miner = minerRecord(seq + miners, atMs, { key });
    keys.push(key);
    const records: ReportRecord[] = [
      miner,
      { kind: 'event', type: 'appeared', key, at, detail: { seq } },
      { kind: 'gap', from: at, to: at, reason: 'restart', count: seq },
    ];
    agent.report(records);
    if (count > 0) await isAcknowledged(site, agent);
  }
  return keys;
}

async function isAcknowledged({ say, promise }: Site, agent: FakeAgent): Promise<void> {
  const endMs = performance.now() + SHOWN_MS;
  while (agent.waiting() > 0 && performance.now() < endMs) await systemClock.sleep(PAUSE_MS);
  if (agent.waiting() > 0) say(`bad slices: ${agent.waiting()} are never acknowledged`);
  else promise(`ack ${agent.epoch} ${agent.seq()}`);
}

type Access = { readonly workspaceId: string; readonly farmId: string; readonly key: string };

/** For the miners with these keys. */
async function orderTask(
  site: Site,
  agent: FakeAgent,
  keys: readonly string[],
  { workspaceId, farmId, key }: Access,
): Promise<void> {
  const headers = { 'x-api-key': key, 'content-type': 'application/json', 'idempotency-key': randomUUID() };
  const ids = idsOf(site.databasePath, keys);
  const body = JSON.stringify({ task_name: 'miner.system.reboot', miner_ids: ids, params: { force: true } });
  const path = `${site.url}/public-api/v2/workspaces/${workspaceId}/farms/${farmId}/task-batches`;
  const isDone = () => [...agent.executed.keys()].filter((task) => !before.has(task)).length === ids.length;
  const before = new Set(agent.executed.keys());
  const created = await insist(site, 'batch', () => answer(path, headers, body));
  for (const { id, task_count } of createdSchema.parse(created).data) site.promise(`batch ${id} ${task_count}`);
  const endMs = performance.now() + SHOWN_MS;
  while (!isDone() && performance.now() < endMs) await systemClock.sleep(PAUSE_MS);
  if (ids.length < SLICES || !isDone()) site.say(`bad tasks: not carried out on ${ids.length} miners`);
  await isAcknowledged(site, agent);
}

/** The service's ids of these miners. The disk may refuse to open the database once. */
function idsOf(databasePath: string, keys: readonly string[], attempts = 2): string[] {
  let db: DatabaseSync | undefined;
  try {
    db = new DatabaseSync(databasePath, { readOnly: true });
    const find = db.prepare('SELECT id FROM miners JOIN registrations USING (row_id) WHERE key = ?');
    return keys.map((key) => String(find.get(key)?.id));
  } catch (error) {
    if (attempts <= 1) throw error;
    return idsOf(databasePath, keys, attempts - 1);
  } finally {
    db?.close();
  }
}

/** Throws what a client sees of a refusal. */
async function answer(url: string, headers: Record<string, string>, sent: string): Promise<unknown> {
  const { statusCode, body } = await request(url, { method: 'POST', headers, body: sent });
  const text = await body.text();
  if (statusCode >= 300) throw new Error(`${statusCode} ${text.slice(0, 200)}`);
  return JSON.parse(text);
}
