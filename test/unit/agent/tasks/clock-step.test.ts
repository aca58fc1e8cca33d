// Caps, lives and proofs of tasks when the wall clock is set, while the agent runs and between two runs; and what is
// reported of them afterwards.
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { TaskQueue } from '../../../../src/agent/tasks/queue/task-queue.ts';
import { taskSettingsSchema } from '../../../../src/agent/tasks/settings.ts';
import { createBench, keyOf } from './test-queue.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const STEPS = [-DAY_MS, -HOUR_MS, HOUR_MS, DAY_MS];
const KEY = keyOf(1);
let bench: ReturnType<typeof createBench>;
let gate: TaskQueue;

beforeEach(() => {
  bench = createBench();
  bench.farm.add(KEY, { awayS: 20, hashAfterS: 10 });
  gate = bench.make();
  gate.start();
});
afterEach(async () => {
  await bench.clock.finish(gate.stop());
  bench.remove();
});

const newest = () => bench.farm.finals().at(-1);

async function reboot(params: object = {}) {
  gate.acceptAll([bench.order(KEY, { params: { ...params } })]);
  await bench.clock.advance(120_000);
}

test.each(STEPS)(
  'a reboot ten minutes ago still counts after a step of %i ms, and no longer than ten minutes',
  async (stepMs) => {
    await reboot();
    bench.clock.stepWall(stepMs);
    await reboot();
    expect(newest()?.message).toContain('in the last 10m');
    await bench.clock.advance(600_000);
    await reboot();
    expect(newest()?.status).toBe('succeeded');
  },
);

test.each(STEPS)(
  'six reboots in a day are the end, whatever steps of %i ms come in between, and the day ends',
  async (stepMs) => {
    for (let number = 0; number < 8; number++) {
      await reboot({ force: true });
      bench.clock.stepWall(number % 2 === 0 ? stepMs : -stepMs);
    }
    bench.clock.stepWall(stepMs);
    await reboot({ force: true });
    expect(bench.farm.miners.get(KEY)?.reboots).toBe(6);
    expect(newest()?.message).toContain('6 times in 24 hours');
    await bench.clock.advance(DAY_MS);
    await reboot();
    expect(bench.farm.miners.get(KEY)?.reboots).toBe(7);
  },
);

test.each(STEPS)('what waits over a restart and a step of %i ms lives as long as before', async (stepMs) => {
  bench.farm.add(keyOf(2));
  const early = bench.order(KEY, { expiresInS: 285 });
  const late = bench.order(keyOf(2), { expiresInS: 300 });
  await bench.clock.finish(gate.stop());
  bench.make().acceptAll([early, late]);
  bench.clock.stepWall(stepMs);
  await bench.clock.advance(290_000);
  gate = bench.make();
  gate.start();
  await bench.clock.advance(900_000);
  const outcomes = bench.farm.finals().map(({ task_id, status }) => [task_id, status]);
  expect(Object.fromEntries(outcomes)).toEqual({ [early.task_id]: 'timeout', [late.task_id]: 'succeeded' });
});

test('what waited before the host was started without its time is not run, and what comes then is', async () => {
  await bench.clock.finish(gate.stop());
  const early = bench.order(KEY);
  bench.make().acceptAll([early]);
  gate = bench.makeWith(taskSettingsSchema.parse({}), undefined, true);
  gate.start();
  await bench.clock.advance(5_000);
  expect(newest()).toMatchObject({ task_id: early.task_id, status: 'timeout' });
  expect(newest()?.message).toContain('ask for it again');
  expect(bench.farm.miners.get(KEY)?.reboots).toBe(0);
  await reboot();
  expect(newest()?.status).toBe('succeeded');
});

test.each(STEPS)(
  'a reboot that a kill and a step of %i ms interrupt is proven by the miner’s clock alone',
  async (stepMs) => {
    gate.acceptAll([bench.order(KEY)]);
    await bench.clock.advance(12_000);
    bench.crash();
    bench.clock.stepWall(stepMs);
    await bench.clock.finish(gate.stop());
    gate = bench.make();
    gate.start();
    await bench.clock.advance(600_000);
    expect(bench.farm.miners.get(KEY)?.reboots).toBe(1);
    expect(newest()?.status).toBe('succeeded');
  },
);

test('a miner that did not restart is not proven to have by a clock that was set forward', async () => {
  bench.farm.add(keyOf(3), { reboot: 'ignored' });
  gate.acceptAll([bench.order(keyOf(3))]);
  await bench.clock.advance(2_000);
  bench.crash();
  bench.clock.stepWall(DAY_MS);
  await bench.clock.finish(gate.stop());
  gate = bench.make();
  gate.start();
  await bench.clock.advance(1_500_000);
  expect(newest()?.status).not.toBe('succeeded');
});

test.each(STEPS)('what is reported again after a step of %i ms is not dated after now', async (stepMs) => {
  const order = bench.order(KEY);
  gate.acceptAll([order]);
  await bench.clock.advance(120_000);
  bench.clock.stepWall(stepMs);
  await bench.clock.advance(60_000);
  gate.acceptAll([order]);
  await bench.clock.advance(1_000);
  const agoMs = bench.clock.nowMs() - Date.parse(newest()?.at ?? '');
  expect(agoMs).toBeGreaterThanOrEqual(61_000);
  expect(agoMs).toBeLessThan(181_000);
});
