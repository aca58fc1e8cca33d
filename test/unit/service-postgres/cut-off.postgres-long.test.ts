// One of three copies loses the network to its database: its agent is served by another copy soon, the load balancer
// hears that it is not ready, and nothing that the agent reports is lost.
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { openOutbox } from '../../../src/agent/outbox/open.ts';
import { pinOf } from '../../../src/agent/uplink/signatures/key-pin.ts';
import { createMessageGuard, messageGuardMigrations } from '../../../src/agent/uplink/signatures/message-guard.ts';
import { createUplink } from '../../../src/agent/uplink/uplink.ts';
import { systemClock } from '../../../src/base/clock.ts';
import { silentLog } from '../../../src/base/log.ts';
import { Secret } from '../../../src/base/secrets.ts';
import { openSqlite } from '../../../src/base/storage/sqlite.ts';
import { type FaultProxy, startProxy, type Toxics } from '../../fault/proxy.ts';
import { type Cluster, startCluster } from '../../postgres/cluster.ts';
import { newPostgresDatabase } from '../../support/database.ts';
import { emptyOutlook } from '../../support/empty-outlook.ts';
import { makeDir, sample } from '../agent/outbox/farm-records.ts';
import { query } from '../service-http/database.ts';
import { type Rig, recordingLog, startRig } from '../service-http/rig.ts';
import { enrol, prove } from '../service-http/wire-agent.ts';
import { startLoadBalancer } from './load-balancer.ts';

const TAKEN_OVER_MS = 10_000;
const READY_MS = 2_000;

let cluster: Cluster;
beforeAll(async () => {
  cluster = await startCluster();
});
afterAll(() => cluster.stop());

/** A copy whose database is behind a proxy of its own. */
async function startCopies(count: number) {
  const { target } = await newPostgresDatabase(cluster.url);
  const at = new URL(target);
  const proxies: FaultProxy[] = [];
  const copies: Rig[] = [];
  const logs: ReturnType<typeof recordingLog>[] = [];
  for (let n = 0; n < count; n++) {
    const proxy = await startProxy({ host: at.hostname, port: Number(at.port) });
    onTestFinished(() => proxy.stop());
    const url = new URL(target);
    url.port = String(proxy.port);
    const log = recordingLog();
    proxies.push(proxy);
    logs.push(log);
    copies.push(await startRig({ databasePath: url.href, clock: systemClock, log }));
  }
  return { target, proxies, copies, logs };
}

/** A real uplink with a real outbox, through the load balancer. */
async function startAgent(url: string, rig: Rig) {
  const identity = await enrol(rig);
  const dir = makeDir({ isQuick: true });
  const outbox = openOutbox(dir.path(''), { clock: systemClock, log: silentLog, newEpoch: randomUUID });
  await outbox.setUplinks(['farm']);
  const db = openSqlite(':memory:', [messageGuardMigrations]);
  const of = { uplink: 'farm', agentId: identity.agentId };
  const guard = createMessageGuard(db, { ...of, pin: pinOf(), clock: systemClock, log: silentLog, audit: () => {} });
  const uplink = createUplink({
    ...{ name: 'farm', url, allowPlain: true, version: '1.2.3', instanceId: randomUUID() },
    credentials: { agentId: identity.agentId, token: new Secret(identity.token), prove },
    ...{ source: outbox.source('farm'), messageGuard: guard, onOpsStatus: () => {} },
    tasks: { onTasks: () => {}, onCancel: () => {}, outlook: emptyOutlook },
    ...{ clock: systemClock, random: Math.random, log: silentLog },
  });
  uplink.start();
  onTestFinished(async () => {
    await uplink.stop();
    await outbox.close();
    guard.stop();
    db.close();
    dir.remove();
  });
  let made = 0;
  return {
    agentId: identity.agentId,
    made: () => made,
    backlog: () => outbox.state().backlog.farm,
    report: () => outbox.append([sample(1, Date.now() + made++)]),
  };
}

const storedOf = async (target: string, agentId: string) => {
  const [row] = await query(
    { databasePath: target },
    'SELECT max(seq) AS n FROM ingest_cursors WHERE agent_id = ?',
    agentId,
  );
  return Number(row?.n ?? 0);
};

test.each<[string, Toxics]>([
  ['answers nothing any more', { isBlackhole: true }],
  ['loses its connections without a word', { isHalfOpen: true }],
  ['refuses connections', { isDown: true }],
  ['takes three seconds for each answer', { latencyMs: 3_000 }],
])('a copy whose database %s sends its agent to another copy', async (_what, toxics) => {
  const { target, proxies, copies, logs } = await startCopies(3);
  const [first, second] = copies;
  if (first === undefined || second === undefined) throw new Error('no copies');
  const agent = await startAgent(await startLoadBalancer(copies.map(({ url }) => url)), second);
  await agent.report();
  await expect.poll(() => storedOf(target, agent.agentId)).toBeGreaterThan(0);
  await expect.poll(() => logs[0]?.lines.some(({ message }) => message === 'agent connected')).toBe(true);
  const cutAtMs = performance.now();
  proxies[0]?.set(toxics);
  const ready = await first.get('/readyz');
  expect([ready.status, ready.headers.get('retry-after')]).toEqual([503, '5']);
  expect(performance.now() - cutAtMs).toBeLessThan(READY_MS);
  await agent.report();
  const before = await storedOf(target, agent.agentId);
  await expect
    .poll(
      async () => {
        await agent.report();
        return storedOf(target, agent.agentId);
      },
      { timeout: TAKEN_OVER_MS, interval: 200 },
    )
    .toBeGreaterThan(before + 1);
  const tookMs = performance.now() - cutAtMs;
  process.stdout.write(`cut off, ${_what}: another copy has the agent after ${Math.round(tookMs)} ms\n`);
  expect(tookMs).toBeLessThan(TAKEN_OVER_MS);
  expect(logs.slice(1).some(({ lines }) => lines.some(({ message }) => message === 'agent connected'))).toBe(true);
  expect((await first.get(first.farm('/miner/latest'))).status).toBe(503);
  expect((await second.get(second.farm('/miner/latest'))).status).toBe(200);
  proxies[0]?.set({});
  await expect.poll(async () => (await first.get('/readyz')).status, { timeout: 5_000 }).toBe(200);
  // Connections from before are not used again: they may be dead.
  const lists = await Promise.all(Array.from({ length: 10 }, () => first.get(first.farm('/miner/latest'))));
  expect(lists.map(({ status }) => status)).toEqual(lists.map(() => 200));
  await expect.poll(() => agent.backlog()).toBe(0);
  const gaps = await query(first, 'SELECT reason FROM gaps');
  expect(gaps).toEqual([]);
});
