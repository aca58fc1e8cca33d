// A database that restarts, is away or hangs, under load: each request is answered in time, with 503 where it cannot be
// carried out and never with 500; readiness says so at once; an order is created once or not at all.
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { systemClock } from '../../../src/base/clock.ts';
import { DEFAULT_LIMITS } from '../../../src/service/http/server.ts';
import { type Cluster, startCluster } from '../../postgres/cluster.ts';
import { newPostgresDatabase } from '../../support/database.ts';
import { query } from '../service-http/database.ts';
import { minerRecord } from '../service-http/records.ts';
import { type Rig, startRig } from '../service-http/rig.ts';
import { connect } from '../service-http/wire-agent.ts';
import { startLoad } from './request-load.ts';

/** What a client waits at most, and what this machine may add while ten loops and a database share its cores. */
const ANSWER_MS = 5_000 + 1_000;
const READY_MS = 2_000;
const OUTAGE_MS = 20_000;
const RATES = { perWorkspace: 1e6, perStranger: 1e6, perCode: 1e6, perVisitor: 1e6 };

let cluster: Cluster;
beforeAll(async () => {
  cluster = await startCluster();
});
afterAll(() => cluster.stop());

async function startLoaded() {
  const { target } = await newPostgresDatabase(cluster.url);
  const rig = await startRig({ databasePath: target, clock: systemClock, limits: { ...DEFAULT_LIMITS, rates: RATES } });
  const agent = await connect(rig);
  await agent.report([1, 2, 3].map((n) => minerRecord(n, Date.now())));
  const { body } = await rig.get(rig.farm('/miner/latest'));
  const ids: string[] = body.data.map(({ id }: { id: string }) => id);
  const load = startLoad(rig, ids[0] ?? '');
  onTestFinished(() => load.stop());
  await expect.poll(() => load.answers.length).toBeGreaterThan(50);
  return { rig, load, ids };
}

type Loaded = Awaited<ReturnType<typeof startLoaded>>;

/** When `fault` begins and ends, on the time of the load. */
async function during({ load, rig }: Loaded, fault: () => Promise<void>) {
  const fromMs = performance.now();
  await fault();
  const toMs = performance.now();
  await expect.poll(async () => (await rig.get('/readyz')).status, { timeout: 10_000 }).toBe(200);
  const readyMs = performance.now() - toMs;
  const before = load.answers.length;
  await expect.poll(() => load.answers.length - before).toBeGreaterThan(50);
  await load.stop();
  return { fromMs, toMs, readyMs };
}

/** Refused by what is asked, not by what fails. */
const isRight = (kind: string, status: number) => status === (kind === 'enrol' ? 400 : 200);

function assess({ load }: Loaded, { fromMs, toMs, readyMs }: { fromMs: number; toMs: number; readyMs: number }) {
  const { answers } = load;
  const wrong = answers.filter(({ kind, status }) => status !== 503 && !isRight(kind, status));
  expect(wrong.map(({ kind, status }) => `${kind} ${status}`)).toEqual([]);
  const refused = answers.filter(({ status }) => status === 503);
  expect(refused.filter(({ retryAfter }) => !/^[1-9]\d*$/.test(retryAfter ?? ''))).toEqual([]);
  const slowest = answers.toSorted((a, b) => b.tookMs - a.tookMs)[0];
  expect(slowest?.tookMs).toBeLessThan(ANSWER_MS);
  expect(readyMs).toBeLessThan(5_000);
  const kinds = new Set(answers.filter(({ atMs }) => atMs > toMs + readyMs).map(({ kind }) => kind));
  expect(kinds.size).toBeGreaterThan(8);
  const firstNotReady = refused.find(({ kind, atMs }) => kind === 'ready' && atMs >= fromMs - READY_MS);
  const notReadyMs = firstNotReady && firstNotReady.atMs + firstNotReady.tookMs - fromMs;
  const figures = { answers: answers.length, refused: refused.length, slowest, readyMs, notReadyMs };
  process.stdout.write(`outage: ${JSON.stringify(figures)}\n`);
  return { refused, notReadyMs };
}

test('over a restart of the database no request fails and none hangs', async () => {
  const loaded = await startLoaded();
  const when = await during(loaded, async () => {
    await cluster.halt();
    await cluster.restart();
  });
  assess(loaded, when);
});

test('while the database is stopped every request is refused in time, and it is not ready', async () => {
  const loaded = await startLoaded();
  const when = await during(loaded, async () => {
    await cluster.halt();
    await new Promise((resolve) => setTimeout(resolve, OUTAGE_MS));
    await cluster.restart();
  });
  const { refused, notReadyMs } = assess(loaded, when);
  expect(new Set(refused.map(({ kind }) => kind)).size).toBeGreaterThan(7);
  expect(notReadyMs).toBeLessThan(READY_MS);
});

/** Begins to order. Who waits for the outcome hears of its failure; a test that fails before that waits for none. */
function beginOrder(rig: Rig, minerId: string): ReturnType<typeof orderUntilDone> {
  const outcome = orderUntilDone(rig, minerId, randomUUID());
  outcome.catch(() => {});
  return outcome;
}

/** Sends the order again until it is answered well, as a client does that follows Retry-After. */
async function orderUntilDone(rig: Rig, minerId: string, key: string) {
  const order = () =>
    rig.post(
      rig.farm('/tasks/batches'),
      { task_name: 'miner.system.reboot', miner_ids: [minerId] },
      { 'x-api-key': rig.key, 'idempotency-key': key },
    );
  const sentMs = performance.now();
  const first = await order();
  const tookMs = performance.now() - sentMs;
  let last = first;
  for (let tries = 0; last.status === 503 && tries < 60; tries++) {
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    last = await order();
  }
  return { first, tookMs, last };
}

test('while the database hangs every request is refused in time, and an order is created once or not at all', async () => {
  const loaded = await startLoaded();
  const { rig, ids } = loaded;
  let orders: ReturnType<typeof orderUntilDone>[] = [];
  const when = await during(loaded, async () => {
    cluster.signal('SIGSTOP');
    try {
      orders = [beginOrder(rig, ids[1] ?? '')];
      await new Promise((resolve) => setTimeout(resolve, OUTAGE_MS / 2));
      orders.push(beginOrder(rig, ids[2] ?? ''));
      await new Promise((resolve) => setTimeout(resolve, OUTAGE_MS / 2));
    } finally {
      cluster.signal('SIGCONT');
    }
  });
  const { refused, notReadyMs } = assess(loaded, when);
  expect(new Set(refused.map(({ kind }) => kind)).size).toBeGreaterThan(7);
  expect(notReadyMs).toBeLessThan(READY_MS);
  for (const { first, tookMs, last } of await Promise.all(orders)) {
    expect([first.status, first.headers.get('retry-after') !== null]).toEqual([503, true]);
    expect(tookMs).toBeLessThan(ANSWER_MS);
    expect([last.status, last.body.meta.summary.created_count]).toEqual([200, 1]);
  }
  const counts = await query(
    rig,
    `SELECT m.id, count(*) AS n FROM tasks t JOIN miners m ON m.row_id = t.row_id
      WHERE m.id IN (?, ?) GROUP BY m.id`,
    ids[1] ?? '',
    ids[2] ?? '',
  );
  expect(counts.map(({ n }) => n)).toEqual([1, 1]);
});
