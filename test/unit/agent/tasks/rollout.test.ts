// Batches that are not carried out all at once: the first ones, the rest if those are proven, and an end when too many
// fail. The agent alone sees to it, and a restart changes nothing.
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { TaskQueue } from '../../../../src/agent/tasks/queue/task-queue.ts';
import type { TaskCommand } from '../../../../src/wire/frames.ts';
import type { SimMiner } from './sim-farm.ts';
import { createBench, keyOf } from './test-queue.ts';

let bench: ReturnType<typeof createBench>;
let gate: TaskQueue | undefined;
beforeEach(() => {
  bench = createBench();
});
afterEach(async () => {
  if (gate !== undefined) await bench.clock.finish(gate.stop());
  gate = undefined;
  bench.remove();
});

function begin(settings: object = {}): TaskQueue {
  gate = bench.make(settings);
  gate.start();
  return gate;
}
/** Miners 1 to `count`; the ways of some may differ. */
function addMiners(count: number, ways: Readonly<Record<number, Partial<SimMiner['ways']>>> = {}): void {
  for (let number = 1; number <= count; number++) bench.farm.add(keyOf(number), ways[number]);
}
const batchOf = (numbers: readonly number[], rollout: TaskCommand['rollout'], more: object = {}) =>
  numbers.map((number) => bench.order(keyOf(number), { rollout, expiresInS: 14_400, ...more }));
const upTo = (count: number) => Array.from({ length: count }, (_, index) => index + 1);
const orderedSoFar = () => bench.farm.orders.map(({ key }) => Number(key.slice(-12)));
const statuses = () => Object.fromEntries(bench.farm.finals().map(({ task_id, status }) => [task_id, status]));
const ended = (status: string) => bench.farm.finals().filter((record) => record.status === status);

test('the rest waits until the first have been proven, not only sent', async () => {
  addMiners(6, { 1: { awayS: 60, hashAfterS: 400 }, 2: { awayS: 60, hashAfterS: 100 } });
  begin().acceptAll(batchOf(upTo(6), { canary: 2 }));
  await bench.clock.advance(400_000);
  expect(orderedSoFar()).toEqual([1, 2]);
  expect(ended('succeeded')).toHaveLength(1);
  await bench.clock.advance(200_000);
  expect(orderedSoFar()).toEqual([1, 2, 3, 4, 5, 6]);
  await bench.clock.advance(1_000_000);
  expect(ended('succeeded')).toHaveLength(6);
});

test('one of the first that fails ends the batch: what waits is cancelled and says why', async () => {
  addMiners(5, { 2: { reboot: 'ignored' } });
  begin().acceptAll(batchOf(upTo(5), { canary: 2 }));
  await bench.clock.advance(2_000_000);
  expect(orderedSoFar()).toEqual([1, 2]);
  expect(ended('succeeded')).toHaveLength(1);
  expect(ended('failed')).toHaveLength(1);
  expect(ended('cancelled')).toHaveLength(3);
  expect(ended('cancelled')[0]).toMatchObject({
    message: 'not started: the batch was stopped, 1 failed before the first 2 had succeeded',
    evidence: { stopped: { reason: 'canary', failed: 1 } },
  });
  expect(bench.warnings.filter((line) => line.startsWith('a batch was stopped'))).toHaveLength(1);
});

test('a batch stops after as many failures as it says; what was sent goes on to its proof', async () => {
  addMiners(10, { 2: { reboot: 'ignored' }, 4: { reboot: 'ignored' }, 5: { awayS: 300 } });
  begin({ reboot: { concurrency: 2, graceS: 60 } }).acceptAll(batchOf(upTo(10), { stop_after: 2 }));
  await bench.clock.advance(3_000_000);
  expect(ended('failed')).toHaveLength(2);
  expect(ended('cancelled').length).toBeGreaterThan(3);
  expect(ended('cancelled')[0]?.message).toContain('2 failed, and it stops after 2');
  expect(ended('succeeded').length).toBe(orderedSoFar().length - 2);
  expect(Object.keys(statuses())).toHaveLength(10);
});

test('a timeout is a failure, a cancelled task is none and leaves its place among the first to another', async () => {
  addMiners(4, { 2: { reboot: 'dies' } });
  const orders = batchOf(upTo(4), { canary: 1, stop_after: 1 });
  begin({ powerGate: { kw: 4.5, windowS: 100 } }).acceptAll([bench.order(keyOf(3), { batch_id: keyOf(998) })]);
  gate?.acceptAll(orders);
  await bench.clock.advance(5_000);
  expect(orderedSoFar()).toEqual([3]);
  gate?.cancel(orders[0]?.task_id ?? '');
  await bench.clock.advance(2_000_000);
  expect(orderedSoFar()).toEqual([3, 2]);
  expect(statuses()).toMatchObject({ [orders[0]?.task_id ?? '']: 'cancelled', [orders[1]?.task_id ?? '']: 'timeout' });
  expect(ended('cancelled')).toHaveLength(3);
});

test('what is refused as it comes is a failure too', async () => {
  addMiners(3);
  begin().acceptAll([
    ...batchOf([1], { stop_after: 1 }, { name: 'miner.dance.begin' }),
    ...batchOf([2, 3], { stop_after: 1 }),
  ]);
  await bench.clock.advance(5_000);
  expect(orderedSoFar()).toEqual([]);
  expect([ended('failed').length, ended('cancelled').length]).toEqual([1, 2]);
});

test('tasks that come in several frames are of one batch, and one that comes late is not begun', async () => {
  addMiners(5, { 1: { reboot: 'ignored' } });
  const [first, ...others] = batchOf(upTo(4), { canary: 1 });
  begin();
  if (first !== undefined) gate?.acceptAll([first]);
  await bench.clock.advance(1_000);
  gate?.acceptAll(others.slice(0, 2));
  gate?.acceptAll(others);
  await bench.clock.advance(1_000_000);
  expect([ended('failed').length, ended('cancelled').length]).toEqual([1, 3]);
  gate?.acceptAll(batchOf([5], { canary: 1 }));
  await bench.clock.advance(5_000);
  expect(ended('cancelled')).toHaveLength(4);
  expect(orderedSoFar()).toEqual([1]);
});

test('a batch with fewer tasks than must go first is carried out at once', async () => {
  addMiners(3);
  begin().acceptAll(batchOf(upTo(3), { canary: 10 }));
  await bench.clock.advance(5_000);
  expect(orderedSoFar()).toEqual([1, 2, 3]);
});

test('other batches and tasks without one do not wait', async () => {
  addMiners(4);
  begin().acceptAll(batchOf([1, 2], { canary: 1 }));
  gate?.acceptAll([bench.order(keyOf(3), { batch_id: keyOf(998) })]);
  gate?.runLocal({ name: 'miner.system.reboot', minerKey: keyOf(4) });
  await bench.clock.advance(5_000);
  expect(orderedSoFar()).toEqual([1, 3, 4]);
});

test.each(['stopped in order', 'killed'])(
  '%s and started again, the agent keeps to the rule of the batch',
  async (how) => {
    addMiners(6, { 3: { reboot: 'ignored' } });
    const restart = async () => {
      if (how === 'killed') {
        bench.crash();
        void gate?.stop();
        await bench.clock.settle();
      } else await bench.clock.finish(gate?.stop() ?? Promise.resolve());
      begin({ reboot: { concurrency: 1 } });
    };
    begin({ reboot: { concurrency: 1 } }).acceptAll(batchOf(upTo(6), { canary: 2, stop_after: 1 }));
    await bench.clock.advance(10_000);
    await restart();
    await bench.clock.advance(50_000);
    expect(orderedSoFar()).toEqual([1]);
    await bench.clock.advance(150_000);
    await restart();
    expect(orderedSoFar()).toEqual([1, 2]);
    await bench.clock.advance(300_000);
    await restart();
    await bench.clock.advance(2_000_000);
    expect(orderedSoFar()).toEqual([1, 2, 3]);
    expect([ended('succeeded').length, ended('failed').length, ended('cancelled').length]).toEqual([2, 1, 3]);
  },
);

test('killed between the last failure and the stop, the next run stops the batch', async () => {
  addMiners(3, { 1: { reboot: 'ignored' } });
  gate = bench.make();
  gate.acceptAll(batchOf(upTo(3), { canary: 1 }));
  const first = gate;
  bench.db().prepare("UPDATE tasks_journal SET state = 'final', status = 'failed' WHERE miner_key = ?").run(keyOf(1));
  bench.crash();
  void first.stop();
  begin();
  await bench.clock.advance(5_000);
  expect(orderedSoFar()).toEqual([]);
  expect(ended('cancelled')).toHaveLength(2);
});

test('an end that the disk refuses for a while stops the batch all the same', async () => {
  addMiners(3, { 1: { reboot: 'ignored' } });
  begin().acceptAll(batchOf(upTo(3), { canary: 1 }));
  await bench.clock.advance(5_000);
  bench.db().exec('PRAGMA query_only = ON');
  await bench.clock.advance(600_000);
  expect(ended('failed')).toEqual([]);
  bench.db().exec('PRAGMA query_only = OFF');
  await bench.clock.advance(60_000);
  expect([ended('failed').length, ended('cancelled').length]).toEqual([1, 2]);
  expect(orderedSoFar()).toEqual([1]);
});

test('a technician may have many carried out under the same rule, also bit by bit', async () => {
  addMiners(5, { 1: { reboot: 'ignored' } });
  begin();
  const rollout = { canary: 1 };
  const reboot = (number: number) => ({ name: 'miner.system.reboot', minerKey: keyOf(number) });
  const { batchId, runs } = gate?.runLocalBatch([1, 2, 3].map(reboot), undefined, rollout) ?? { runs: [] };
  const later = gate?.runLocalBatch([reboot(4)], batchId, rollout);
  await bench.clock.advance(1_000_000);
  const outcomes = await Promise.all([...runs, ...(later?.runs ?? [])].map(({ outcome }) => outcome));
  expect(outcomes.map(({ status }) => status)).toEqual(['failed', 'cancelled', 'cancelled', 'cancelled']);
  expect(later?.batchId).toBe(batchId);
  expect(new Set(gate?.list().map((task) => task.batchId))).toEqual(new Set([batchId]));
  expect(orderedSoFar()).toEqual([1]);
});
