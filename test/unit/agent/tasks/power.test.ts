// The farm-wide power budget: reboots and wakes share it, whoever asked, and a restart of the agent does not open it.
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { TaskQueue } from '../../../../src/agent/tasks/queue/task-queue.ts';
import { createBench, keyOf } from './test-queue.ts';

let bench: ReturnType<typeof createBench>;
let gate: TaskQueue | undefined;
beforeEach(() => {
  bench = createBench();
  for (let number = 1; number <= 8; number++) bench.farm.add(keyOf(number));
});
afterEach(async () => {
  if (gate !== undefined) await bench.clock.finish(gate.stop());
  gate = undefined;
  bench.remove();
});

const SETTINGS = { reboot: { concurrency: 8 }, powerMode: { concurrency: 8 }, powerGate: { kw: 18, windowS: 60 } };
const begin = () => {
  gate = bench.make(SETTINGS);
  gate.start();
  return gate;
};
const mode = (number: number, wanted: string) =>
  bench.order(keyOf(number), { name: 'miner.power_mode.update', params: { mode: wanted } });

test('a wake takes the place of a reboot, whether the service or a technician asks', async () => {
  begin().acceptAll([mode(1, 'normal'), mode(2, 'normal'), bench.order(keyOf(3))]);
  gate?.runLocal({ name: 'miner.power_mode.update', minerKey: keyOf(4), params: { mode: 'normal' } });
  gate?.runLocal({ name: 'miner.system.reboot', minerKey: keyOf(5) });
  gate?.acceptAll([mode(6, 'normal')]);
  await bench.clock.advance(30_000);
  expect(bench.farm.orders).toHaveLength(4);
  await bench.clock.advance(60_000);
  expect(bench.farm.orders).toHaveLength(6);
});

test('a miner is put to sleep and woken so often a day and no more, whoever asks', async () => {
  gate = bench.make({ ...SETTINGS, powerMode: { dailyCap: 3 } });
  gate.start();
  for (const wanted of ['sleep', 'normal', 'sleep', 'normal']) {
    gate.acceptAll([mode(1, wanted)]);
    await bench.clock.advance(600_000);
  }
  expect(bench.farm.orders).toHaveLength(3);
  expect(bench.farm.finals().at(-1)?.message).toContain('3 times in 24 hours');
  await bench.clock.advance(86_400_000);
  const { outcome } = gate.runLocal({
    name: 'miner.power_mode.update',
    minerKey: keyOf(1),
    params: { mode: 'normal' },
  });
  await bench.clock.advance(60_000);
  expect(await outcome).toMatchObject({ status: 'succeeded' });
});

test('sleep takes load away and waits for nobody', async () => {
  begin().acceptAll([1, 2, 3, 4, 5, 6, 7, 8].map((number) => mode(number, 'sleep')));
  await bench.clock.advance(10_000);
  expect(bench.farm.orders).toHaveLength(8);
});

test('wakes of before a restart of the agent still count', async () => {
  begin().acceptAll([1, 2, 3, 4].map((number) => mode(number, 'normal')));
  await bench.clock.advance(5_000);
  expect(bench.farm.orders).toHaveLength(4);
  await bench.clock.finish(gate?.stop() ?? Promise.resolve());
  begin().acceptAll([5, 6].map((number) => bench.order(keyOf(number))));
  await bench.clock.advance(30_000);
  expect(bench.farm.orders).toHaveLength(4);
  await bench.clock.advance(60_000);
  expect(bench.farm.orders).toHaveLength(6);
});

test('sleeping is done by many at once, whatever waits to be woken', async () => {
  gate = bench.make({ ...SETTINGS, powerMode: { concurrency: 1 }, powerGate: { kw: 4.5, windowS: 600 } });
  gate.start();
  gate.acceptAll([mode(1, 'normal'), mode(2, 'normal'), mode(3, 'normal')]);
  gate.acceptAll([4, 5, 6, 7, 8].map((number) => mode(number, 'sleep')));
  await bench.clock.advance(5_000);
  expect(bench.farm.orders.map(({ key }) => key).toSorted()).toEqual([1, 4, 5, 6, 7, 8].map(keyOf));
});

test('a sleep does not overtake a wake of the same miner that came before it, nor a wake a sleep', async () => {
  gate = bench.make({ ...SETTINGS, powerMode: { concurrency: 1 }, powerGate: { kw: 4.5, windowS: 60 } });
  gate.start();
  const orders = [mode(1, 'normal'), mode(2, 'normal'), mode(2, 'sleep'), mode(2, 'normal')];
  gate.acceptAll(orders);
  await bench.clock.advance(300_000);
  const ended = bench.farm.finals().map(({ task_id }) => task_id);
  expect(ended).toEqual(orders.map(({ task_id }) => task_id));
});

test('heavy miners are started in smaller numbers: the budget is power, not a count', async () => {
  const draws = new Map([1, 2, 3].map((number) => [keyOf(number), 7_200]));
  const draw = { of: (key: string) => draws.get(key), farm: () => ({ miners: 8, drawW: 30_000 }) };
  Object.assign(bench.farm.deps, { draw });
  begin().acceptAll([1, 2, 3, 4, 5].map((number) => bench.order(keyOf(number))));
  await bench.clock.advance(5_000);
  // 18 kW are two of 9 kW each.
  expect(bench.farm.orders.map(({ key }) => key)).toEqual([keyOf(1), keyOf(2)]);
  await bench.clock.advance(60_000);
  expect(bench.farm.orders).toHaveLength(5);
});
