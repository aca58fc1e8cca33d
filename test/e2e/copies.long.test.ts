// Two copies of the service as processes on one PostgreSQL. One is killed in the middle of a batch of reboots and
// started again, then the other while it is being asked for one: nothing is lost, nothing is done twice.
import { randomUUID } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { request } from 'undici';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { systemClock } from '../../src/base/clock.ts';
import { type Admin, openAdmin } from '../../src/service/admin.ts';
import { type Cluster, startCluster } from '../postgres/cluster.ts';
import { newPostgresDatabase, queryDatabase } from '../support/database.ts';
import { minerRecord } from '../unit/service-http/records.ts';
import { type FakeAgent, startFakeAgent } from './fake-agent.ts';
import { type Started, startPithead } from './process.ts';
import { minerListSchema } from './site.ts';
import { until } from './until.ts';

const AGENTS = 4;
const MINERS_EACH = 50;
const MINERS = AGENTS * MINERS_EACH;
/**
 * About when a request has been read and not yet answered; whatever moment it turns out to be, the outcome is the same.
 */
const IN_FLIGHT_MS = 15;

type Copy = { process: Started; url: string };

let folder: string;
let cluster: Cluster | { readonly absent: string };
let target: string;
let admin: Admin & { close(): Promise<void> };
let copies: [Copy, Copy];
const agents: FakeAgent[] = [];
let headers: Record<string, string>;
let farmPath: string;

async function startCopy(): Promise<Copy> {
  const config = join(folder, 'pithead.yaml');
  const started = startPithead(['service', '-c', config, '--database', target, '--port', '0'], { cwd: folder });
  const printed = await started.untilPrinted('stderr', /service on http\S+/);
  return { process: started, url: /service on (http\S+)/.exec(printed)?.[1] ?? '' };
}

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'pithead-copies-'));
  mkdirSync(join(folder, 'state'));
  writeFileSync(join(folder, 'pithead.yaml'), JSON.stringify({ stateDir: 'state' }));
  try {
    cluster = await startCluster();
  } catch (error) {
    if (process.env.PITHEAD_REQUIRE_POSTGRES === '1') throw error;
    cluster = { absent: String(error) };
    return;
  }
  ({ target } = await newPostgresDatabase(cluster.url));
  copies = await Promise.all([startCopy(), startCopy()]);
  admin = await openAdmin(target, { clock: systemClock });
  const { workspaceId, farmId } = await admin.ensureDefaults();
  const { key } = await admin.createKey({ workspaceId, name: 'e2e', role: 'admin' });
  headers = { 'x-api-key': key, 'content-type': 'application/json' };
  farmPath = `/private-api/v1/${workspaceId}/farms/${farmId}`;
  for (let n = 0; n < AGENTS; n++) {
    const { code } = await admin.createEnrolmentCode({ farmId, ttlMs: 600_000 });
    // Half of them begin on each copy; after a lost connection they try the other one.
    agents.push(await startFakeAgent(code, (attempt) => copies[(n + attempt) % 2 === 0 ? 0 : 1].url));
  }
});
afterAll(async () => {
  for (const agent of agents) agent.stop();
  for (const copy of copies ?? []) copy.process.kill('SIGKILL');
  await admin?.close();
  if ('stop' in cluster) await cluster.stop();
  rmSync(folder, { recursive: true, force: true });
});

async function listMiners(copy: Copy) {
  const { body } = await request(`${copy.url}${farmPath}/miner/latest?pageSize=1000`, { headers });
  return minerListSchema.parse(await body.json()).data;
}

const answerSchema = z.object({ meta: z.object({ summary: z.object({ created_count: z.int() }) }) });

/**
 * Asks the copies in turn until one answers, as a client with an Idempotency-Key may. Gives how many tasks there are by
 * this request.
 */
async function reboot(ids: readonly string[], first: 0 | 1): Promise<number> {
  const body = JSON.stringify({ task_name: 'miner.system.reboot', miner_ids: ids });
  const key = randomUUID();
  for (let attempt: number = first; ; attempt++) {
    const url = `${copies[attempt % 2 === 0 ? 0 : 1].url}${farmPath}/tasks/batches`;
    try {
      const answer = await request(url, { method: 'POST', headers: { ...headers, 'idempotency-key': key }, body });
      if (answer.statusCode === 200) return answerSchema.parse(await answer.body.json()).meta.summary.created_count;
      await answer.body.dump();
    } catch (error) {
      if (attempt > first + 100) throw error;
    }
  }
}

async function killAndRestart(which: 0 | 1): Promise<void> {
  copies[which].process.kill('SIGKILL');
  await copies[which].process.end();
  copies[which] = await startCopy();
}

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
const executions = () => agents.flatMap(({ executed }) => [...executed]);
const tasks = () => queryDatabase(target, 'SELECT id, row_id, status, agent_id FROM tasks ORDER BY id');
const allDone = () =>
  until(tasks, (rows) => rows.every(({ status }) => status === 'succeeded') && agents.every((a) => a.waiting() === 0));

async function expectRound(round: number): Promise<void> {
  const rows = await allDone();
  expect(rows).toHaveLength(MINERS * round);
  const done = executions();
  // Each task once, and each miner once in each round.
  expect(done.map(([taskId]) => taskId).toSorted()).toEqual(rows.map(({ id }) => id));
  const perMiner = Object.values(Object.groupBy(done, ([, minerKey]) => minerKey)).map((list) => list?.length);
  expect(perMiner).toEqual(Array.from({ length: MINERS }, () => round));
  const batches = await queryDatabase(
    target,
    'SELECT status, task_count, succeed_count, failed_count FROM task_batches',
  );
  expect(batches).toHaveLength(AGENTS * round);
  for (const batch of batches)
    expect(batch).toEqual({
      status: 'succeeded',
      task_count: MINERS_EACH,
      succeed_count: MINERS_EACH,
      failed_count: 0,
    });
}

test('a killed copy costs nothing but time', async ({ skip }) => {
  skip('absent' in cluster, `PostgreSQL could not be started: ${'absent' in cluster ? cluster.absent : ''}`);
  for (const [n, agent] of agents.entries())
    agent.report(Array.from({ length: MINERS_EACH }, (_, k) => minerRecord(n * MINERS_EACH + k, Date.now())));
  const before = await until(
    () => listMiners(copies[0]),
    (miners) => miners.length === MINERS,
  );
  const ids = before.map(({ id }) => id);
  const lasting = async (copy: Copy) =>
    (await listMiners(copy)).map(({ id, created_at, ip }) => ({ id, created_at, ip }));
  const known = await lasting(copies[1]);

  expect(await reboot(ids, 0)).toBe(MINERS);
  await until(executions, (done) => done.length > MINERS / 4);
  expect(executions().length).toBeLessThan(MINERS);
  await killAndRestart(0);
  await expectRound(1);
  for (const copy of copies) expect(await lasting(copy)).toEqual(known);

  const [made] = await Promise.all([reboot(ids, 1), pause(IN_FLIGHT_MS).then(() => killAndRestart(1))]);
  expect(made).toBe(MINERS);
  await expectRound(2);
  for (const copy of copies) expect(await lasting(copy)).toEqual(known);
  // Whichever copy it was, old or new: the orders were its own, in order.
  expect(agents.map((agent) => agent.refused())).toEqual(agents.map(() => 0));

  const cursors = await queryDatabase(target, 'SELECT agent_id, epoch, seq FROM ingest_cursors ORDER BY agent_id');
  const expected = agents.map((agent) => ({ agent_id: agent.agentId, epoch: agent.epoch, seq: agent.seq() }));
  expect(cursors).toEqual(expected.toSorted((a, b) => (a.agent_id < b.agent_id ? -1 : 1)));
});
