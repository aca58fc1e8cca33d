// The clock of the service itself is set while it runs, or was set while it was away: nothing is shown in the future,
// nothing stays online that does not answer, and reports, history and tasks go on at once.
import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { untilSoon } from '../../e2e/until.ts';
import { temporaryDatabase } from '../../support/database.ts';
import { query } from './database.ts';
import { hostRecord, type MinerChange, minerRecord } from './records.ts';
import { type Rig, recordingLog, startOwnedRig, startRig, steppedClock } from './rig.ts';
import { connect, slice } from './wire-agent.ts';

const outbox = randomUUID();
const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;
const iso = (ms: number) => new Date(ms).toISOString();
const list = async (rig: Rig, size = 1_000) => (await rig.get(rig.farm(`/miner/latest?pageSize=${size}`))).body.data;
const v2 = (rig: Rig) => `/public-api/v2/workspaces/${rig.workspaceId}/farms/${rig.farmId}`;

const figure = async (rig: Rig, name: string) => {
  const text = await (await fetch(`${rig.url}/metrics`, { headers: { 'x-api-key': rig.key } })).text();
  return Number(
    text
      .split('\n')
      .find((line) => line.startsWith(`${name} `))
      ?.split(' ')
      .at(-1),
  );
};
const untilSeen = (rig: Rig, direction: 'back' | 'forward', times = 1) =>
  untilSoon(
    () => figure(rig, `pithead_clock_steps_total{direction="${direction}"}`),
    (steps) => steps >= times,
  );

/** Nothing that is shown of the farm is later than now; `expires_at` of tasks may be. */
async function expectNoFuture(rig: Rig) {
  const agents = `/private-api/v1/${rig.workspaceId}/agents/search`;
  const answers = [
    // As small pages and as one that the database makes.
    await rig.get(rig.farm('/miner/latest')),
    await rig.get(rig.farm('/miner/latest?pageSize=1000')),
    await rig.get(`${v2(rig)}/miners`),
    await rig.get(`${v2(rig)}/events`),
    await rig.get(`${v2(rig)}/agents`),
    await rig.get(`${v2(rig)}/task-batches`),
    await rig.post(agents, {}),
  ];
  const nowMs = rig.clock.nowMs();
  for (const { status, body } of answers) {
    expect(status).toBe(200);
    for (const time of JSON.stringify(body).match(/\d{4}-\d\d-\d\dT[\d:.]+Z/g) ?? [])
      expect(Date.parse(time), time).toBeLessThanOrEqual(nowMs);
  }
}

const flags = (sinceMs: number) => [
  {
    ...{ type: 'fan' as const, since: iso(sinceMs), severity: 'minor' as const },
    ...{ value: 0, limit: 1, source: 'fans[0].rpm', message: 'It stands still' },
  },
];
/** Of now, by the clock of the service. */
const reading = (rig: Rig, n: number, key: string, document: MinerChange['document'] = {}) =>
  minerRecord(n, rig.clock.nowMs(), { key, document, extras: { flags: flags(rig.clock.nowMs()) } });

const history = async (rig: Rig) => {
  const rows = await query(
    rig,
    'SELECT from_at, hashrate, accounted FROM history_cells WHERE farm_id = ? ORDER BY from_at',
    rig.farmId,
  );
  return rows.map(({ from_at, hashrate }) => ({ atMs: Number(from_at), hashrate: Number(hashrate) }));
};

test('set back by two hours while it runs: what answers stays, what does not goes stale, and nothing waits for two hours', async () => {
  const log = recordingLog();
  const rig = await startRig({ log });
  const [live, dead] = [randomUUID(), randomUUID()];
  const agent = await connect(rig, { outbox });
  const appeared = { kind: 'event' as const, type: 'appeared', key: live, at: iso(rig.clock.nowMs()), detail: {} };
  await agent.report([hostRecord(rig.clock.nowMs()), reading(rig, 1, live), reading(rig, 2, dead), appeared]);
  rig.clock.set(-2 * HOUR_MS);
  await untilSeen(rig, 'back');
  await expectNoFuture(rig);
  expect(log.lines.map(({ message }) => message).join('\n')).toContain('the clock of this host was set');
  expect((await list(rig)).map(({ status }: { status: string }) => status)).toEqual(['online', 'online']);
  rig.clock.step(2 * MINUTE_MS);
  await agent.report([reading(rig, 1, live, { hashrate: 0, is_mining: false })]);
  expect((await list(rig))[0]).toMatchObject({ hashrate: 0, is_mining: false });
  rig.clock.step(2 * MINUTE_MS);
  expect((await list(rig)).map(({ status }: { status: string }) => status)).toEqual(['online', 'stale']);
  await expectNoFuture(rig);
});

test('history after it was set back: minutes that come again are counted, and what was set aside comes back', async () => {
  const rig = await startRig();
  const key = randomUUID();
  const agent = await connect(rig, { outbox });
  await agent.report([reading(rig, 1, key, { hashrate: 100 })]);
  const [before] = await history(rig);
  rig.clock.set(-2 * HOUR_MS);
  await untilSoon(
    () => history(rig),
    (cells) => cells.length === 0,
  );
  await agent.report([reading(rig, 1, key, { hashrate: 7 })]);
  // Nothing of it is lost: the clock that was set back was right.
  rig.clock.step(10 * MINUTE_MS);
  rig.clock.set(2 * HOUR_MS);
  await untilSoon(
    () => history(rig),
    (cells) => cells.length === 2,
  );
  const cells = await history(rig);
  expect(cells[0]).toMatchObject({ hashrate: 7 });
  expect(cells[1]).toEqual(before);
  const buckets = await query(rig, 'SELECT hashrate FROM history_hours WHERE farm_id = ? ORDER BY from_at', rig.farmId);
  expect(buckets).toEqual([{ hashrate: 7 }, { hashrate: 100 }]);
});

test('the same minutes again: the second time counts', async () => {
  const rig = await startRig();
  const key = randomUUID();
  const agent = await connect(rig, { outbox });
  const report = (hashrate: number) => agent.report([reading(rig, 1, key, { hashrate })]);
  await report(100);
  rig.clock.set(-HOUR_MS);
  await untilSeen(rig, 'back');
  await untilSoon(
    () => history(rig),
    (cells) => cells.length === 0,
  );
  rig.clock.step(HOUR_MS);
  await report(7);
  expect(await history(rig)).toMatchObject([{ hashrate: 7 }]);
});

test.each([2 * HOUR_MS, -2 * HOUR_MS])(
  'tasks when the clock is set by %i ms: new ones live as long as ordered',
  async (setByMs) => {
    const rig = await startRig();
    const agent = await connect(rig, { outbox });
    await agent.report([reading(rig, 1, randomUUID()), reading(rig, 2, randomUUID())]);
    const ids = (await list(rig)).map(({ id }: { id: string }) => id);
    const order = async (id: string) => {
      const body = { task_name: 'miner.system.reboot', miner_ids: [id] };
      expect((await rig.post(rig.farm('/tasks/batches'), body)).body.data).toHaveLength(1);
    };
    await order(ids[0]);
    const first = await agent.frame('task');
    const lifeMs = Date.parse(first.expires_at) - Date.parse(first.created_at);
    const welcome = await agent.frame('welcome');
    rig.clock.set(setByMs);
    await untilSeen(rig, setByMs < 0 ? 'back' : 'forward');
    await order(ids[1]);
    // What may still wait, and for how long, is what it was: the agent counts from the welcome by a clock that is never
    // set.
    const leftMs = (welcomed: { at: string }, task: { expires_at: string }, setSinceMs: number) => {
      const sinceWelcomeMs = rig.clock.nowMs() - setSinceMs - Date.parse(welcomed.at);
      return Date.parse(task.expires_at) - Date.parse(welcomed.at) - sinceWelcomeMs;
    };
    await agent.close();
    const { identity, epoch } = agent;
    const again = await connect(rig, { outbox, identity, epoch, nextSeq: 2 });
    const second = await again.frame('task', ({ task_id }) => task_id !== first.task_id);
    const repeated = await again.frame('task', ({ task_id }) => task_id === first.task_id);
    const newWelcome = await again.frame('welcome');
    expect(Math.abs(leftMs(welcome, first, setByMs) - lifeMs)).toBeLessThan(30_000);
    for (const task of [second, repeated]) expect(Math.abs(leftMs(newWelcome, task, 0) - lifeMs)).toBeLessThan(30_000);
    rig.clock.step(lifeMs + MINUTE_MS);
    await untilSoon(
      () => query(rig, 'SELECT status FROM tasks'),
      (tasks) => tasks.length === 2 && tasks.every(({ status }) => status === 'timeout'),
    );
  },
);

test('it starts behind what it wrote before: nothing is in the future, nothing is online for longer than it had left', async () => {
  const databasePath = await temporaryDatabase();
  const clock = steppedClock();
  const [live, dead] = [randomUUID(), randomUUID()];
  clock.set(2 * HOUR_MS);
  const before = await startOwnedRig({ databasePath, clock });
  const fast = { ...before.rig, clock };
  const first = await connect(fast, { outbox });
  await first.report([hostRecord(clock.nowMs()), reading(fast, 1, live), reading(fast, 2, dead)]);
  clock.step(2 * MINUTE_MS);
  await first.report([reading(fast, 1, live)]);
  await first.close();
  await before.stop();

  clock.set(-2 * HOUR_MS);
  const log = recordingLog();
  const rig = { ...(await startRig({ databasePath, clock, log })), clock, key: before.rig.key, farmId: fast.farmId };
  const again = { ...rig, farm: fast.farm, workspaceId: fast.workspaceId };
  await expectNoFuture(again);
  expect(log.lines.map(({ message }) => message).join('\n')).toContain('later than now');
  const agent = await connect(again, { outbox, identity: first.identity, epoch: first.epoch, nextSeq: 3 });
  clock.step(90_000);
  const statuses = async () => (await list(again)).map(({ status }: { status: string }) => status);
  expect(await statuses()).toEqual(['online', 'stale']);
  await agent.report([reading(again, 1, live, { hashrate: 0 })]);
  expect((await list(again))[0]).toMatchObject({ hashrate: 0, status: 'online' });
  await expectNoFuture(again);
  clock.step(4 * MINUTE_MS);
  expect(await statuses()).toEqual(['stale', 'stale']);
});

test('an agent that was last heard by the clock of before is not online', async () => {
  const rig = await startRig();
  const agent = await connect(rig, { outbox });
  await agent.report([hostRecord(rig.clock.nowMs())]);
  await agent.close();
  rig.clock.set(-2 * HOUR_MS);
  await untilSeen(rig, 'back');
  rig.clock.step(2 * MINUTE_MS);
  const { body } = await rig.get(`${v2(rig)}/agents`);
  expect(body.data[0]).toMatchObject({ status: 'offline' });
  const search = (status: string) =>
    rig.post(`/private-api/v1/${rig.workspaceId}/agents/search`, { status: { eq: status } });
  expect((await search('offline')).body.data).toHaveLength(1);
  expect((await search('online')).body.data).toHaveLength(0);
});

test('set forward: what is live stays live, from the moment of the step on, and goes stale when it would have', async () => {
  const rig = await startRig();
  const key = randomUUID();
  const dead = randomUUID();
  const agent = await connect(rig, { outbox });
  await agent.report([hostRecord(rig.clock.nowMs()), reading(rig, 1, key), reading(rig, 2, dead)]);
  const statuses = async (size = 1_000) => (await list(rig, size)).map(({ status }: { status: string }) => status);
  const agents = async () => (await rig.get(`${v2(rig)}/agents`)).body.data[0].status;
  rig.clock.step(4 * MINUTE_MS);
  await agent.report([reading(rig, 1, key)]);
  await untilSoon(agents, (status) => status === 'online');
  rig.clock.set(2 * HOUR_MS);
  // Before the service has seen it as well as after.
  for (const _ of Array.from({ length: 20 })) {
    expect(await statuses()).toEqual(['online', 'stale']);
    expect(await statuses(10)).toEqual(['online', 'stale']);
    expect(await agents()).toBe('online');
  }
  await untilSeen(rig, 'forward');
  expect(await statuses()).toEqual(['online', 'stale']);
  rig.clock.step(2 * MINUTE_MS);
  expect(await statuses()).toEqual(['online', 'stale']);
  rig.clock.step(2 * MINUTE_MS);
  expect(await statuses()).toEqual(['stale', 'stale']);
  // The agent's clock is set along, as where both run on one host.
  await agent.report([reading(rig, 1, key, { hashrate: 5 })]);
  expect((await list(rig))[0]).toMatchObject({ status: 'online', hashrate: 5 });
  // The agent's clock is not set.
  const apart = minerRecord(1, rig.clock.nowMs() - 2 * HOUR_MS, { key, document: { hashrate: 6 } });
  agent.sendBytes(slice(agent.epoch, 4, [apart], apart.at, { order: 4, age_ms: 0 }));
  await agent.frame('ack', ({ seq }) => seq === 4);
  expect((await list(rig))[0]).toMatchObject({ hashrate: 6 });
  await expectNoFuture(rig);
});

test('a clock that is far ahead removes nothing that is old by it', async () => {
  const databasePath = await temporaryDatabase();
  const clock = steppedClock();
  const first = await startOwnedRig({ databasePath, clock });
  const before = { ...first.rig, clock };
  const agent = await connect(before, { outbox });
  const appeared = { kind: 'event' as const, type: 'appeared', key: randomUUID(), at: iso(clock.nowMs()), detail: {} };
  await agent.report([hostRecord(clock.nowMs()), reading(before, 1, appeared.key), appeared]);
  await agent.close();
  await first.stop();
  const count = () =>
    query(before, 'SELECT (SELECT count(*) FROM events) AS events, (SELECT count(*) FROM history_cells) AS cells');
  const stored = await count();
  clock.set(1_000 * 24 * HOUR_MS);
  const rig = await startRig({ databasePath, clock });
  // It prunes at its start; by then it has been looked at, or the next look finds it.
  await untilSoon(
    () => figure(rig, 'pithead_build_info{version="0.0.0-test"}'),
    (one) => one === 1,
  );
  await new Promise((resolve) => setTimeout(resolve, 300));
  expect(await count()).toEqual(stored);
});
