// Locked pools are brought back through the task queue, neither on one odd reading nor without end; a lock is refused
// where it could not be kept.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { z } from 'zod';
import { openDesiredPools, poolLockMigrations } from '../../../../../src/agent/pool-lock/desired-pools.ts';
import { type PoolEvent, PoolGuard } from '../../../../../src/agent/pool-lock/guard.ts';
import type { TaskTarget } from '../../../../../src/agent/tasks/contract.ts';
import { createPoolLockTask } from '../../../../../src/agent/tasks/kinds/pool-lock-task.ts';
import { tasksMigrations } from '../../../../../src/agent/tasks/queue/journal.ts';
import { createTaskQueue } from '../../../../../src/agent/tasks/queue/task-queue.ts';
import { notAllowed, taskSettingsSchema } from '../../../../../src/agent/tasks/settings.ts';
import { PeerError } from '../../../../../src/base/errors.ts';
import type { Log } from '../../../../../src/base/log.ts';
import { openSqlite } from '../../../../../src/base/storage/sqlite.ts';
import type { Ability } from '../../../../../src/driver/contract.ts';
import type { Reading } from '../../../../../src/model/reading.ts';
import type { EventRecord, TaskRecord } from '../../../../../src/wire/records.ts';
import { createVirtualClock } from '../../../../support/virtual-clock.ts';
import { keyOf } from '../test-queue.ts';

type Pool = { url: string; user: string; password?: string };
const OURS: Pool[] = [{ url: 'stratum+tcp://ours.example:3333', user: 'farm.1', password: 'hush-hush-1' }];
const OTHER: Pool[] = [{ url: 'stratum+tcp://thief.example:3333', user: 'thief' }];
const MINER = keyOf(1);
const HOUR_MS = 3_600_000;

let folder: string;
let bench: ReturnType<typeof createBench>;

const wantedSchema = z.object({ pools: z.array(z.object({ url: z.string(), user: z.string() })) });
const isSame = (a: readonly Pool[], b: readonly Pool[]) =>
  JSON.stringify(a.map(({ url, user }) => [url, user])) === JSON.stringify(b.map(({ url, user }) => [url, user]));

/** One miner with pools, on a virtual clock; its poll is every minute. */
function createBench() {
  const clock = createVirtualClock();
  const device = { pools: OTHER, way: 'obeys' as 'obeys' | 'ignores' | 'mute', isThere: true, orders: [] as Pool[][] };
  const reading = (): Reading => ({
    ...(device.way === 'mute' ? {} : { pools: device.pools.map(({ url, user }, index) => ({ index, url, user })) }),
  });
  const ability: Ability = {
    effect: 'once',
    offlineS: [0, 0],
    params: wantedSchema,
    act: () => Promise.reject(new Error('the task queue goes through deps.act')),
    shows: ({ pools }, params) => pools && isSame(pools, wantedSchema.parse(params).pools),
  };
  const target: TaskTarget = { ip: '10.0.0.1', driverId: 'sim', abilities: { pools: ability } };
  const events: PoolEvent[] = [];
  const records: (TaskRecord | EventRecord)[] = [];
  const lines: string[] = [];
  const note = (fields: unknown, message: string) => void lines.push(`${message} ${JSON.stringify(fields)}`);
  const log: Log = { debug: note, info: note, warn: note, error: note };
  let abilities: TaskTarget['abilities'] = target.abilities;

  const settings = taskSettingsSchema.parse({});
  const open = () => {
    const db = openSqlite(join(folder, 'agent.sqlite'), [tasksMigrations, poolLockMigrations]);
    const guard = new PoolGuard({
      clock,
      log,
      settings: () => settings.poolLock,
      desiredPools: openDesiredPools(db),
      shows: (_key, seen, params) => abilities.pools?.shows?.(seen, params),
      refusal: () => notAllowed('miner.pool.update', settings),
      isBusy: (key) => gate.isBusy(key),
      updatesSince: (key, sinceMs) => gate.effectsSince(key, 'miner.pool.update', sinceMs),
      update: (key, params) => gate.runLocal({ name: 'miner.pool.update', minerKey: key, params }).outcome,
      audit: (event) => events.push(event),
    });
    const gate: ReturnType<typeof createTaskQueue> = createTaskQueue(db, {
      clock,
      log,
      settings,
      deps: {
        find: (key) => (key === MINER ? { ...target, abilities } : undefined),
        mayReach: () => true,
        async act(_key, _name, params) {
          await clock.sleep(100);
          const { pools } = wantedSchema.parse(params);
          device.orders.push(pools);
          if (device.way === 'obeys') device.pools = pools;
          return { kind: 'accepted' };
        },
        async observe() {
          await clock.sleep(50);
          if (!device.isThere) throw new PeerError('peer.unreachable', 'look', 'soon');
          return reading();
        },
        identifyTarget: () => 'itself',
        onPhase() {},
        report: async (record) => void records.push(record),
        agentTasks: { 'miner.pool.lock': createPoolLockTask({ clock, guard, observeMs: () => 20_000 }) },
        onEnd({ name, minerKey, params }, { status }) {
          if (name === 'miner.pool.update' && status === 'succeeded') guard.setDesired(minerKey, params.pools);
        },
      },
    });
    gate.start();
    return { db, guard, gate };
  };
  let parts = open();

  const run = async (name: string, params: Record<string, unknown>, minerKey = MINER) =>
    clock.finish(parts.gate.runLocal({ name, minerKey, params }).outcome, HOUR_MS);
  return {
    clock,
    device,
    events,
    records,
    lines,
    set: (next: TaskTarget['abilities']) => {
      abilities = next;
    },
    guard: () => parts.guard,
    db: () => parts.db,
    gate: () => parts.gate,
    update: (pools: Pool[]) => run('miner.pool.update', { pools }),
    lock: (locked: unknown = true, minerKey = MINER) => run('miner.pool.lock', { locked }, minerKey),
    async polls(count: number) {
      for (let poll = 0; poll < count; poll++) {
        parts.guard.onReading(MINER, reading());
        await clock.advance(60_000);
      }
    },
    async stop() {
      await clock.finish(parts.gate.stop());
      parts.db.close();
    },
    async restart() {
      await this.stop();
      parts = open();
    },
  };
}

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'pithead-pool-lock-'));
  bench = createBench();
});
afterEach(async () => {
  await bench.stop();
  rmSync(folder, { recursive: true, force: true });
});

async function locked() {
  expect(await bench.update(OURS)).toMatchObject({ status: 'succeeded' });
  expect(await bench.lock()).toMatchObject({ status: 'succeeded', evidence: { locked: true } });
  bench.device.orders.length = 0;
}

test('pools that somebody changes are set again, with their passwords, and both are on record', async () => {
  await locked();
  await bench.polls(3);
  expect(bench.device.orders).toEqual([]);
  bench.device.pools = OTHER;
  await bench.polls(1);
  expect(bench.device.orders).toEqual([]);
  await bench.polls(4);
  expect(bench.device.orders).toEqual([OURS.map(({ url, user }) => ({ url, user }))]);
  expect(isSame(bench.device.pools, OURS)).toBe(true);
  expect(bench.events.map(({ type }) => type)).toEqual(['pools_changed', 'pools_restored']);
  expect(bench.events[0]?.detail).toMatchObject({
    from: [{ url: 'stratum+tcp://thief.example:3333', user: 'thief' }],
    wanted: [{ url: 'stratum+tcp://ours.example:3333', user: 'farm.1' }],
  });
  expect(JSON.stringify([bench.events, bench.records, bench.lines])).not.toContain('hush-hush-1');
});

test('a lock holds over a restart of the agent', async () => {
  await locked();
  await bench.restart();
  bench.device.pools = OTHER;
  await bench.polls(4);
  expect(bench.device.orders).toHaveLength(1);
});

test('without a lock nothing is set again, and not after it was taken away', async () => {
  await bench.update(OURS);
  bench.device.pools = OTHER;
  await bench.polls(5);
  expect(bench.device.orders).toHaveLength(1);
  await bench.update(OURS);
  await bench.lock();
  expect(await bench.lock(false)).toMatchObject({ status: 'succeeded', message: null, evidence: { locked: false } });
  expect(await bench.lock(false)).toMatchObject({ status: 'succeeded', message: 'the pools were not locked' });
  bench.device.pools = OTHER;
  await bench.polls(5);
  expect(bench.device.orders).toHaveLength(2);
});

test('an update by task moves the lock to the new pools', async () => {
  await locked();
  expect(await bench.update(OTHER)).toMatchObject({ status: 'succeeded' });
  await bench.polls(5);
  expect(bench.device.orders).toHaveLength(1);
  bench.device.pools = OURS;
  await bench.polls(4);
  expect(isSame(bench.device.pools, OTHER)).toBe(true);
});

test('an update whose new desired pools cannot be written is not over: a restart in between undoes nothing', async () => {
  await locked();
  bench.db().exec("CREATE TRIGGER refusal BEFORE UPDATE ON desired_pools BEGIN SELECT RAISE(ABORT, 'disk full'); END");
  void bench.gate().runLocal({ name: 'miner.pool.update', minerKey: MINER, params: { pools: OTHER } });
  await bench.polls(5);
  expect(isSame(bench.device.pools, OTHER)).toBe(true);
  expect(bench.gate().open()).toMatchObject([{ name: 'miner.pool.update' }]);
  await bench.restart();
  bench.db().exec('DROP TRIGGER refusal');
  await bench.polls(10);
  expect(bench.device.orders).toHaveLength(1);
  expect(bench.guard().desiredFor(MINER)?.pools).toMatchObject(OTHER);
  expect(bench.gate().list(1)).toMatchObject([{ status: 'succeeded' }]);
});

test('a reading that shows no pools orders nothing', async () => {
  await locked();
  bench.device.pools = OTHER;
  bench.device.way = 'mute';
  await bench.polls(10);
  expect(bench.device.orders).toEqual([]);
});

test('what does not hold is tried three times, more and more rarely, then given up with words for the flag', async () => {
  await locked();
  bench.device.pools = OTHER;
  bench.device.way = 'ignores';
  const times: number[] = [];
  for (let minute = 0; minute < 60; minute++) {
    const before = bench.device.orders.length;
    await bench.polls(1);
    if (bench.device.orders.length > before) times.push(minute);
  }
  expect(bench.device.orders).toHaveLength(3);
  expect((times[2] ?? 0) - (times[1] ?? 0)).toBeGreaterThanOrEqual((times[1] ?? 0) - (times[0] ?? 0));
  expect(bench.guard().trouble(MINER)).toBe('the locked pools could not be set again in 3 attempts');
  expect(bench.events.at(-1)).toMatchObject({ type: 'pools_not_restored', detail: { failures: 3, isGivenUp: true } });
  await bench.restart();
  await bench.polls(10);
  expect(bench.device.orders).toHaveLength(3);
  expect(bench.guard().trouble(MINER)).toContain('3 attempts');
  bench.device.pools = OURS;
  await bench.polls(1);
  expect(bench.guard().trouble(MINER)).toBeUndefined();
});

test('somebody who changes them again and again is not fought more often than the daily cap', async () => {
  await locked();
  for (let round = 0; round < 12; round++) {
    bench.device.pools = OTHER;
    await bench.polls(5);
  }
  // The first update was the operator's own.
  expect(bench.device.orders).toHaveLength(5);
  expect(bench.guard().trouble(MINER)).toContain('6 times in 24 hours');
  await bench.clock.advance(25 * HOUR_MS);
  await bench.polls(5);
  expect(bench.device.orders).toHaveLength(6);
});

test('a lock is refused where the agent has not set the pools, and the words say what to do', async () => {
  expect(await bench.lock()).toMatchObject({
    status: 'failed',
    message: expect.stringContaining('set them with miner.pool.update, then lock them'),
  });
});

test('a lock is refused while the miner has other pools than were set, shows none, or is away', async () => {
  await bench.update(OURS);
  bench.device.pools = OTHER;
  expect(await bench.lock()).toMatchObject({ status: 'failed', message: expect.stringContaining('has other pools') });
  bench.device.way = 'mute';
  expect(await bench.lock()).toMatchObject({ status: 'failed', message: expect.stringContaining('does not show') });
  bench.device.isThere = false;
  expect(await bench.lock()).toMatchObject({ status: 'failed', message: expect.stringContaining('does not answer') });
  bench.device.isThere = true;
  await bench.polls(5);
  expect(bench.device.orders).toHaveLength(1);
});

test('where no pools can be set, or the params are none, it is refused', async () => {
  expect(await bench.lock('yes')).toMatchObject({ status: 'failed', message: expect.stringContaining('params') });
  expect(await bench.lock(true, keyOf(9))).toMatchObject({ message: 'this agent does not know the miner' });
  bench.set({});
  expect(await bench.lock()).toMatchObject({ message: 'unsupported: driver sim cannot do miner.pool.lock' });
});
