// What a service cannot do to an agent, out of malice or by mistake: fill its journal or its outbox for ever, or touch
// what others ordered.
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { TaskQueue } from '../../../../src/agent/tasks/queue/task-queue.ts';
import { createBench, keyOf } from './test-queue.ts';

const DAY_MS = 24 * 3_600_000;

let bench: ReturnType<typeof createBench>;
let gate: TaskQueue;
beforeEach(() => {
  bench = createBench();
  bench.farm.add(keyOf(1), { awayS: 500 });
});
afterEach(async () => {
  await bench.clock.finish(gate.stop());
  bench.remove();
});

function begin(settings: object = {}): TaskQueue {
  gate = bench.make(settings);
  gate.start();
  return gate;
}
const rows = () => bench.db().prepare('SELECT count(*) AS count FROM tasks_journal').get()?.count;

test('an order that lives longer than a week is refused, and forgotten like any other', async () => {
  begin();
  const far = { expires_at: '9999-12-31T23:59:59Z' };
  gate.acceptAll([bench.order(keyOf(1), far), bench.order(keyOf(1), { ...far, name: 'miner.none' })]);
  gate.acceptAll([bench.order(keyOf(1), { expiresInS: 6 * 86_400 })]);
  await bench.clock.advance(1_000);
  expect(bench.farm.orders).toHaveLength(1);
  expect(bench.farm.finals().map(({ status, message }) => `${status} ${message}`)).toEqual([
    'failed refused: it would expire in more than 7 days',
    'failed refused: it would expire in more than 7 days',
  ]);
  await bench.clock.advance(2 * 3_600_000);
  bench.clock.suspend(30 * DAY_MS);
  await bench.clock.advance(2 * 3_600_000);
  expect(rows()).toBe(0);
});

test('a journal that a service has filled has room for the orders of the farm', async () => {
  bench
    .db()
    .exec(`INSERT INTO tasks_journal (task_id, name, miner_key, params, source, accepted_ms, expires_ms, state, status, reported)
    WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 190000)
    SELECT 'x' || i, 'x', 'x', '{}', 'service', ${bench.clock.elapsedMs()}, ${bench.clock.elapsedMs()}, 'final', 'failed', 1 FROM n`);
  begin();
  expect(() => gate.acceptAll([bench.order(keyOf(1))])).toThrow(/journal/);
  const { outcome } = gate.runLocal({ name: 'miner.system.reboot', minerKey: keyOf(1) });
  expect(await bench.clock.finish(outcome)).toMatchObject({ status: 'succeeded' });
});

test('a state that has not changed is told again once in a while, however often somebody asks', async () => {
  const order = bench.order(keyOf(1), { expiresInS: 14_400 });
  begin().acceptAll([order]);
  await bench.clock.advance(20_000);
  const before = bench.farm.records.length;
  for (let second = 0; second < 12; second++) {
    for (let times = 0; times < 100; times++) {
      gate.cancel(order.task_id);
      gate.acceptAll([order]);
    }
    await bench.clock.advance(1_000);
  }
  const again = bench.farm.records.slice(before);
  expect(again.map(({ status }) => status)).toEqual(['running', 'running', 'running']);
  await bench.clock.advance(1_000_000);
  expect(bench.farm.finals().map(({ status }) => status)).toEqual(['succeeded']);
});

test('an uplink cancels what came over it, also after a restart, and nothing else', async () => {
  const settings = { reboot: { concurrency: 1 } };
  const [first, ours, theirs] = [bench.order(keyOf(1)), bench.order(keyOf(1)), bench.order(keyOf(1))];
  begin(settings).acceptAll([first], 'ours');
  gate.acceptAll([ours], 'ours');
  gate.acceptAll([theirs], 'theirs');
  const local = gate.runLocal({ name: 'miner.system.reboot', minerKey: keyOf(1) });
  await bench.clock.advance(5_000);
  expect([gate.cancel(ours.task_id, 'theirs'), gate.cancel(local.taskId, 'theirs')]).toEqual([false, false]);
  await bench.clock.finish(gate.stop());
  begin(settings);
  await bench.clock.settle();
  const told = bench.farm.records.length;
  expect([gate.cancel(ours.task_id, 'theirs'), gate.cancel(local.taskId, 'theirs')]).toEqual([false, false]);
  await bench.clock.settle();
  expect(bench.farm.records).toHaveLength(told);
  expect([gate.cancel(theirs.task_id, 'theirs'), gate.cancel(ours.task_id, 'ours'), gate.cancel(local.taskId)]).toEqual(
    [true, true, true],
  );
});
