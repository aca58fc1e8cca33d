// A disk that refuses single writes: what cannot be written holds up nothing else, and is written when it can be.
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { TaskQueue } from '../../../../src/agent/tasks/queue/task-queue.ts';
import { createBench, keyOf } from './test-queue.ts';

let bench: ReturnType<typeof createBench>;
let gate: TaskQueue;
beforeEach(() => {
  bench = createBench();
});
afterEach(async () => {
  await bench.clock.finish(gate.stop());
  bench.remove();
});

/** Refuses these writes; the function that it returns lets them through again. */
function refuse(event: string, when: string): () => void {
  bench.db().exec(`CREATE TEMP TRIGGER refusal BEFORE ${event} WHEN ${when}
    BEGIN SELECT RAISE(ABORT, 'disk full'); END`);
  return () => bench.db().exec('DROP TRIGGER refusal');
}
const statuses = () =>
  Object.fromEntries(gate.list().map(({ minerKey, status }) => [Number(minerKey.slice(-12)), status]));

test('an end that cannot be written stops neither other ends, nor expiry, nor reports; it is logged once', async () => {
  bench.farm.add(keyOf(1), { reboot: 'peer.auth' });
  bench.farm.add(keyOf(2), { reboot: 'peer.auth' });
  bench.farm.add(keyOf(3), { reboot: 'hangs' });
  for (const number of [4, 5]) bench.farm.add(keyOf(number));
  gate = bench.make({ reboot: { concurrency: 1 }, actS: 900 });
  gate.start();
  const [a, b, c, d, e] = [1, 2, 3, 4, 5].map((number) =>
    bench.order(keyOf(number), { expiresInS: number < 4 ? 900 : 60 }),
  );
  if (!a || !b || !c || !d || !e) throw new Error('five were ordered');
  const letBe = refuse(
    'UPDATE ON main.tasks_journal',
    `NEW.task_id IN ('${a.task_id}', '${d.task_id}') AND NEW.state = 'final'`,
  );
  gate.acceptAll([a, b, c, d, e]);
  await bench.clock.advance(300_000);
  expect(statuses()).toEqual({ 1: 'running', 2: 'failed', 3: 'running', 4: 'pending', 5: 'timeout' });
  expect(
    bench.farm
      .finals()
      .map(({ status }) => status)
      .toSorted(),
  ).toEqual(['failed', 'timeout']);
  // One for each of the two ends, one for the tries since.
  expect(bench.errors.length).toBeLessThanOrEqual(3);
  letBe();
  await bench.clock.advance(3_000);
  expect(statuses()).toMatchObject({ 1: 'failed', 4: 'timeout' });
  await bench.clock.advance(2_000_000);
  expect(bench.farm.miners.get(keyOf(4))?.reboots).toBe(0);
});

test('a stop of a batch that cannot be written holds, counts its failure once, and is kept when it can be', async () => {
  for (let number = 1; number <= 5; number++)
    bench.farm.add(keyOf(number), number === 1 ? { reboot: 'peer.auth' } : {});
  gate = bench.make({ reboot: { concurrency: 5 } });
  gate.start();
  const letBe = refuse('UPDATE OF stopped ON main.tasks_batches', 'TRUE');
  const orders = [1, 2, 3, 4, 5].map((number) =>
    bench.order(keyOf(number), { expiresInS: 14_400, rollout: { canary: 1, stop_after: 2 } }),
  );
  gate.acceptAll(orders);
  await bench.clock.advance(60_000);
  expect(bench.farm.orders).toHaveLength(1);
  expect(statuses()).toEqual({ 1: 'failed', 2: 'pending', 3: 'pending', 4: 'pending', 5: 'pending' });
  expect(bench.errors.length).toBeLessThanOrEqual(2);
  letBe();
  await bench.clock.advance(3_000);
  expect(statuses()).toEqual({ 1: 'failed', 2: 'cancelled', 3: 'cancelled', 4: 'cancelled', 5: 'cancelled' });
  const { stopped } = bench.db().prepare('SELECT stopped FROM tasks_batches').get() ?? {};
  expect(JSON.parse(String(stopped))).toEqual({ reason: 'canary', succeeded: 0, failed: 1 });
});
