// What hangs on the clock of the service beside the state of miners, when that clock is wrong or set: who serves a
// miner, codes, repeated requests, what is kept, and a host that starts without the time.
import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { openAdmin } from '../../../src/service/admin.ts';
import { DEFAULT_LIMITS } from '../../../src/service/http/server.ts';
import { until } from '../../e2e/until.ts';
import { temporaryDatabase } from '../../support/database.ts';
import { query } from './database.ts';
import { hostRecord, minerRecord } from './records.ts';
import { type Rig, recordingLog, type SteppedClock, startOwnedRig, startRig, steppedClock } from './rig.ts';
import { connect, enrolBy } from './wire-agent.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
const YEAR_MS = 365 * DAY_MS;
const outbox = randomUUID();
const iso = (ms: number) => new Date(ms).toISOString();

const list = async (rig: Rig) => (await rig.get(rig.farm('/miner/latest?pageSize=1000'))).body.data;
const statuses = async (rig: Rig) => (await list(rig)).map(({ status }: { status: string }) => status);
const events = async (rig: Rig) =>
  (await rig.get(`/public-api/v2/workspaces/${rig.workspaceId}/farms/${rig.farmId}/events?page_size=100`)).body.data;
/** A step has been taken over once there is an event of it. */
const untilStepped = (rig: Rig, times = 1) =>
  until(
    () => query(rig, "SELECT detail FROM events WHERE type = 'clock_stepped'"),
    (found) => found.length >= times,
  );

/** The same farm, served anew: by the clock as it is then. */
async function restarted(before: Rig, clock: SteppedClock, options: Parameters<typeof startRig>[0] = {}): Promise<Rig> {
  const { databasePath } = before;
  const rig = await startRig({ databasePath, clock, ...options });
  const { workspaceId, farmId, farm, key } = before;
  return {
    ...{ ...rig, clock, workspaceId, farmId, farm, key },
    get: (path) => rig.get(path, { 'x-api-key': key }),
  };
}

test.each([2 * HOUR_MS, -2 * HOUR_MS])(
  'set by %i ms: a miner stays with the agent that serves it, and one that has fallen silent for long goes to the next',
  async (setByMs) => {
    const rig = await startRig();
    const first = await connect(rig, { outbox });
    const second = await connect(rig, { outbox: randomUUID() });
    const [live, left] = [randomUUID(), randomUUID()];
    await first.report([minerRecord(2, rig.clock.nowMs(), { key: left, document: { hashrate: 1 } })]);
    rig.clock.step(20 * MINUTE_MS);
    await first.report([minerRecord(1, rig.clock.nowMs(), { key: live, document: { hashrate: 1 } })]);
    rig.clock.set(setByMs);
    await untilStepped(rig);
    const ofOther = (n: number) => minerRecord(n, rig.clock.nowMs(), { document: { hashrate: 2 } });
    await second.report([ofOther(1), ofOther(2)]);
    const rates = (await list(rig)).map(({ hashrate }: { hashrate: number }) => hashrate);
    expect(rates).toEqual([1, 2]);
  },
);

test.each([2 * HOUR_MS, -2 * HOUR_MS])('set by %i ms: a code lives for as long as it was made for', async (setByMs) => {
  const rig = await startRig();
  const codeOf = async () => (await rig.service.admin.createEnrolmentCode({ farmId: rig.farmId, ttlMs: HOUR_MS })).code;
  const codes = [await codeOf(), await codeOf()];
  rig.clock.set(setByMs);
  await untilStepped(rig);
  rig.clock.step(50 * MINUTE_MS);
  expect((await enrolBy(rig, codes[0] ?? '')).status).toBe(200);
  rig.clock.step(20 * MINUTE_MS);
  expect((await enrolBy(rig, codes[1] ?? '')).status).toBe(401);
});

test('set on by two days: a request that is repeated is known', async () => {
  const rig = await startRig();
  const agent = await connect(rig, { outbox });
  await agent.report([minerRecord(1, rig.clock.nowMs())]);
  const [{ id }] = await list(rig);
  const body = { task_name: 'miner.system.reboot', miner_ids: [id] };
  const order = () => rig.post(rig.farm('/tasks/batches'), body, { 'x-api-key': rig.key, 'idempotency-key': 'once' });
  const first = await order();
  rig.clock.set(2 * DAY_MS);
  await untilStepped(rig);
  expect((await order()).body).toEqual(first.body);
});

test('two years ahead, over a restart and for a day: nothing is removed that is not old', async () => {
  const databasePath = await temporaryDatabase();
  const clock = steppedClock();
  const before = await startOwnedRig({ databasePath, clock });
  const farm = { ...before.rig, clock };
  const agent = await connect(farm, { outbox });
  const key = randomUUID();
  const appeared = { kind: 'event' as const, type: 'appeared', key, at: iso(clock.nowMs()), detail: {} };
  await agent.report([hostRecord(clock.nowMs()), minerRecord(1, clock.nowMs(), { key }), appeared]);
  clock.set(2 * YEAR_MS);
  await untilStepped(farm);
  clock.step(DAY_MS);
  await agent.report([minerRecord(1, clock.nowMs(), { key })]);
  await agent.close();
  await before.stop();

  const old = [farm.farmId, '', 'ancient', clock.nowMs() - 2 * YEAR_MS - 500 * DAY_MS, '{}'];
  await query(
    farm,
    'INSERT INTO events (farm_id, position, agent_id, type, at, detail) VALUES (?, -1, ?, ?, ?, ?)',
    ...old,
  );
  const rig = await restarted(farm, clock);
  // What is old for certain goes in the first round.
  await until(
    () => query(rig, "SELECT type FROM events WHERE type = 'ancient'"),
    (found) => found.length === 0,
  );
  const kept = await query(
    rig,
    "SELECT (SELECT count(*) FROM events WHERE type = 'appeared') AS events, (SELECT count(*) FROM history_hours) AS hours",
  );
  expect(Number(kept[0]?.events)).toBe(1);
  expect(Number(kept[0]?.hours)).toBeGreaterThan(0);
});

test.each([
  ['in 1970', (nowMs: number) => -nowMs],
  ['when its system was built', () => -60 * DAY_MS],
])('a host without a battery that starts %s, until a time server sets it', async (_name, behind) => {
  const databasePath = await temporaryDatabase();
  const clock = steppedClock();
  const before = await startOwnedRig({ databasePath, clock });
  const farm = { ...before.rig, clock };
  const first = await connect(farm, { outbox });
  const [live, dead] = [randomUUID(), randomUUID()];
  await first.report([
    hostRecord(clock.nowMs()),
    minerRecord(1, clock.nowMs(), { key: live }),
    minerRecord(2, clock.nowMs(), { key: dead }),
  ]);
  await first.close();
  const history = () => query(farm, 'SELECT from_at, hashrate FROM history_cells WHERE farm_id = ?', farm.farmId);
  const cells = await history();
  await before.stop();
  const endedMs = clock.nowMs();

  // Ten minutes without power.
  clock.step(10 * MINUTE_MS);
  const byMs = behind(clock.nowMs());
  clock.set(byMs);
  const log = recordingLog();
  const hostUptimeMs = () => MINUTE_MS;
  const rig = await restarted(farm, clock, { log, hostUptimeMs });
  expect(log.lines.map(({ message }) => message).join('\n')).toContain('is not set yet');
  expect(await statuses(rig)).toEqual(['online', 'online']);
  // Its agent has the same clock.
  const agent = await connect(rig, { outbox, identity: first.identity, epoch: first.epoch, nextSeq: 2 });
  const appeared = { kind: 'event' as const, type: 'appeared', key: live, at: iso(clock.nowMs()), detail: {} };
  await agent.report([minerRecord(1, clock.nowMs(), { key: live, document: { hashrate: 7 } }), appeared]);
  const [miner] = await list(rig);
  expect(miner).toMatchObject({ hashrate: 7, status: 'online' });
  expect(Date.parse(miner.last_updated_at)).toBeGreaterThanOrEqual(endedMs - MINUTE_MS);
  expect((await history()).map(({ from_at }) => from_at)).toEqual(expect.arrayContaining(cells.map((c) => c.from_at)));
  for (const { at } of await events(rig)) expect(Date.parse(at)).toBeGreaterThan(endedMs - DAY_MS);
  // A code that is made now is good after it too.
  const admin = await openAdmin(databasePath, { clock, hostUptimeMs });
  const { code } = await admin.createEnrolmentCode({ farmId: rig.farmId, ttlMs: HOUR_MS });
  await admin.close();

  clock.set(-byMs);
  expect((await statuses(rig))[0]).toBe('online');
  await untilStepped(rig);
  expect((await statuses(rig))[0]).toBe('online');
  clock.step(4 * MINUTE_MS);
  expect(await statuses(rig)).toEqual(['stale', 'stale']);
  expect((await enrolBy(rig, code)).status).toBe(200);
});

test('a new service that starts in 1970 goes on from a guess: what is old goes by the right time from then on', async () => {
  const clock = steppedClock();
  const byMs = -clock.nowMs();
  clock.set(byMs);
  const rig = { ...(await startRig({ clock, databasePath: await temporaryDatabase() })), clock };
  const agent = await connect(rig, { outbox });
  await agent.report([minerRecord(1, clock.nowMs())]);
  expect((await list(rig))[0].last_updated_at).toMatch(/^2026-01-01/);
  clock.set(-byMs);
  await untilStepped(rig);
  clock.step(MINUTE_MS);
  expect(await statuses(rig)).toEqual(['online']);
  const [time] = await until(
    () => query(rig, 'SELECT at, certain_at FROM service_time'),
    (rows) => rows.length > 0,
  );
  expect(Math.abs(Number(time?.certain_at) - clock.nowMs())).toBeLessThan(5 * MINUTE_MS);
});

test('a host that has been up for long and whose clock is behind has been set back: time follows it', async () => {
  const databasePath = await temporaryDatabase();
  const clock = steppedClock();
  const before = await startOwnedRig({ databasePath, clock });
  await before.stop();
  clock.set(-2 * DAY_MS);
  const rig = await restarted({ ...before.rig, clock }, clock);
  const agent = await connect(rig);
  await agent.report([minerRecord(1, clock.nowMs())]);
  const [miner] = await list(rig);
  expect(Math.abs(Date.parse(miner.last_updated_at) - clock.nowMs())).toBeLessThan(MINUTE_MS);
});

test.each([
  ['200 ms each second', 200],
  ['a clock that is a tenth too fast', 100],
  ['a clock that is a tenth too slow', -100],
])('%s, for ten minutes: what is live stays live, what is not goes stale', async (_name, byMs) => {
  const rig = await startRig({
    limits: { ...DEFAULT_LIMITS, rates: { ...DEFAULT_LIMITS.rates, perWorkspace: 1e6, perStranger: 1e6 } },
  });
  const agent = await connect(rig, { outbox });
  const [live, dead] = [randomUUID(), randomUUID()];
  await agent.report([
    minerRecord(1, rig.clock.nowMs(), { key: live }),
    minerRecord(2, rig.clock.nowMs(), { key: dead }),
  ]);
  for (let second = 1; second <= 600; second++) {
    rig.clock.step(1_000);
    rig.clock.set(byMs);
    if (second % 60 === 0) await agent.report([minerRecord(1, rig.clock.nowMs(), { key: live })]);
    if (second % 10 === 0) expect((await statuses(rig))[0], `after ${second} s`).toBe('online');
    // The service looks at its clock with each request, and without any once a second.
    if (second % 10 !== 0) await rig.get(rig.farm('/miner/latest?pageSize=1'));
  }
  expect(await statuses(rig)).toEqual(['online', 'stale']);
  expect(await query(rig, "SELECT detail FROM events WHERE type = 'clock_stepped'")).toEqual([]);
});

test('to the year 2106 and back: live all the time, and history goes on where it was', async () => {
  const rig = await startRig();
  const agent = await connect(rig, { outbox });
  const key = randomUUID();
  const report = () => agent.report([hostRecord(rig.clock.nowMs()), minerRecord(1, rig.clock.nowMs(), { key })]);
  await report();
  rig.clock.set(80 * YEAR_MS);
  await untilStepped(rig);
  expect(await statuses(rig)).toEqual(['online']);
  await report();
  expect((await list(rig))[0].last_updated_at).toMatch(/^2106/);
  rig.clock.set(-80 * YEAR_MS);
  await untilStepped(rig, 2);
  expect(await statuses(rig)).toEqual(['online']);
  rig.clock.step(2 * MINUTE_MS);
  await report();
  expect(await statuses(rig)).toEqual(['online']);
  await until(
    () => query(rig, 'SELECT from_at FROM history_cells WHERE farm_id = ?', rig.farmId),
    (cells) => cells.length > 0 && cells.every(({ from_at }) => Number(from_at) <= rig.clock.nowMs()),
  );
  rig.clock.step(4 * MINUTE_MS);
  expect(await statuses(rig)).toEqual(['stale']);
});
