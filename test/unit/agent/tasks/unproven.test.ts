// A reboot that cannot be proven holds no place for as long as it is looked for: others go on, and its outcome is as
// honest as before.
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { TaskQueue } from '../../../../src/agent/tasks/queue/task-queue.ts';
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

/** Reboots all with five places; gives when the last was sent and when the last was over, in seconds. */
async function rebootAll(count: number, waysOf: (i: number) => Partial<SimMiner['ways']>) {
  const keys = Array.from({ length: count }, (_, i) => keyOf(i + 1));
  for (const [i, key] of keys.entries()) bench.farm.add(key, waysOf(i));
  gate = bench.make({ reboot: { concurrency: 5 } });
  gate.start();
  const startMs = bench.clock.elapsedMs();
  gate.acceptAll(keys.map((key) => bench.order(key, { expiresInS: 4 * 3_600 })));
  let overS = 0;
  while (bench.farm.finals().length < count && overS < 3 * 3_600) {
    await bench.clock.advance(5_000);
    overS += 5;
  }
  const sentS = Math.max(...bench.farm.orders.map(({ atMs }) => (atMs - startMs) / 1_000));
  const byStatus = Object.groupBy(bench.farm.finals(), ({ status }) => status);
  return { sentS: Math.round(sentS), overS, finals: bench.farm.finals(), byStatus };
}

const UNPROVEN = { reboot: 'ignored', clock: 'none' } as const;
const isUnproven = (i: number) => i < 5;

/** What 20 miners take that all come back: the last is sent after 289 s. */
const USUAL_S = 300;

test('of 20 miners the first 5 never prove it: the others go on after two minutes, not after ten', async () => {
  const { sentS, overS, byStatus } = await rebootAll(20, (i) => (isUnproven(i) ? UNPROVEN : {}));
  // Ten minutes for the first five made it 794 s, and 1,105 s until all were over.
  expect(sentS).toBeLessThan(USUAL_S + 60);
  expect(overS).toBeLessThan(700);
  expect(byStatus.succeeded).toHaveLength(15);
  expect(byStatus.failed?.map(({ message }) => message)).toEqual(
    Array(5).fill('the miner answers, but nothing that it tells proves a restart'),
  );
  expect(bench.errors).toEqual([]);
});

test('5 that stay away hold up the others for as long as a miner may be away, and are looked for as long as before', async () => {
  const { sentS, overS, byStatus } = await rebootAll(20, (i) => (isUnproven(i) ? { reboot: 'dies' } : {}));
  expect(sentS).toBeLessThan(USUAL_S + 120);
  expect(overS).toBeLessThan(750);
  expect(byStatus.succeeded).toHaveLength(15);
  expect(byStatus.timeout?.map(({ message }) => message)).toEqual(
    Array(5).fill('the miner did not come back within 10m'),
  );
});

test('a reboot that kills every miner does not go on through the farm: twice as many as there are places, and no more', async () => {
  const { byStatus } = await rebootAll(20, () => ({ reboot: 'dies' }));
  expect(byStatus.timeout).toHaveLength(20);
  const [firstMs = 0] = bench.farm.orders.map(({ atMs }) => atMs);
  expect(bench.farm.orders.filter(({ atMs }) => atMs - firstMs < 590_000)).toHaveLength(10);
});
