// How long an order may wait is told by a clock that nobody sets and that a suspend does not stop.
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { TaskQueue } from '../../../../src/agent/tasks/queue/task-queue.ts';
import { createBench, keyOf } from './test-queue.ts';

const HOUR_MS = 3_600_000;
const LIFE_S = 300;

let bench: ReturnType<typeof createBench>;
let gate: TaskQueue;
beforeEach(() => {
  bench = createBench();
});
afterEach(async () => {
  await bench.clock.finish(gate.stop());
  bench.remove();
});

/** The first holds its place for long; the second waits in line, or for the power budget. */
async function twoOrders(settings: object) {
  for (const number of [1, 2]) bench.farm.add(keyOf(number), { awayS: 10_000, reboot: 'hangs' });
  gate = bench.make({ actS: 900, ...settings });
  gate.start();
  gate.acceptAll([1, 2].map((number) => bench.order(keyOf(number), { expiresInS: LIFE_S })));
  await bench.clock.advance(5_000);
}
const statusOf = (number: number) => gate.list().find(({ minerKey }) => minerKey === keyOf(number))?.status;

test.each([
  ['in line', HOUR_MS, { reboot: { concurrency: 1 } }],
  ['in line', -HOUR_MS, { reboot: { concurrency: 1 } }],
  ['for the power budget', HOUR_MS, { powerGate: { kw: 4.5, windowS: 3_000 } }],
  ['for the power budget', -HOUR_MS, { powerGate: { kw: 4.5, windowS: 3_000 } }],
])(
  'waiting %s while the wall clock is set by %i ms, it lives no longer and no shorter',
  async (_where, step, settings) => {
    await twoOrders(settings);
    bench.clock.stepWall(step);
    await bench.clock.advance(270_000);
    expect(statusOf(2)).toBe('pending');
    await bench.clock.advance(60_000);
    expect(statusOf(2)).toBe('timeout');
    await bench.clock.advance(4_000_000);
    expect(bench.farm.orders.map(({ key }) => key)).toEqual([keyOf(1)]);
  },
);

test('a suspend of the host uses its life up', async () => {
  await twoOrders({ powerGate: { kw: 4.5, windowS: 60 } });
  bench.clock.suspend(HOUR_MS);
  await bench.clock.advance(2_000);
  expect(statusOf(2)).toBe('timeout');
  await bench.clock.advance(600_000);
  expect(bench.farm.orders).toHaveLength(1);
});

test('taken up again after a restart, it lives as long as the journal says', async () => {
  const settings = { reboot: { concurrency: 1, graceS: 900 } };
  await twoOrders(settings);
  await bench.clock.finish(gate.stop());
  await bench.clock.advance(280_000);
  gate = bench.make(settings);
  gate.start();
  await bench.clock.advance(5_000);
  expect(statusOf(2)).toBe('pending');
  bench.clock.stepWall(HOUR_MS);
  await bench.clock.advance(5_000);
  expect(statusOf(2)).toBe('pending');
  await bench.clock.advance(15_000);
  expect(statusOf(2)).toBe('timeout');
});
