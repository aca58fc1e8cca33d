import { afterEach, beforeEach, expect, test } from 'vitest';
import type { TaskQueue } from '../../../../src/agent/tasks/queue/task-queue.ts';
import { taskRecordSchema } from '../../../../src/wire/records.ts';
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
const byStatus = (status: string) => bench.farm.finals().filter((record) => record.status === status);

test('twenty miners are rebooted, at most the configured number away at once', async () => {
  for (let number = 1; number <= 20; number++) bench.farm.add(keyOf(number));
  begin({ reboot: { concurrency: 5 } }).acceptAll(
    Array.from({ length: 20 }, (_, index) => bench.order(keyOf(index + 1), { expiresInS: 7_200 })),
  );
  await bench.clock.advance(3_600_000);
  expect(byStatus('succeeded').length).toBe(20);
  expect(bench.farm.world.mostAway).toBe(5);
  expect(bench.farm.records.every((record) => taskRecordSchema.safeParse(record).success)).toBe(true);
});

test('a place is free when a miner is back, not when it hashes', async () => {
  for (let number = 1; number <= 4; number++) bench.farm.add(keyOf(number), { awayS: 60, hashAfterS: 900 });
  begin({ reboot: { concurrency: 1 } }).acceptAll([1, 2, 3, 4].map((number) => bench.order(keyOf(number))));
  await bench.clock.advance(600_000);
  expect(bench.farm.orders.length).toBe(4);
  expect(bench.farm.finals()).toEqual([]);
  await bench.clock.advance(900_000);
  expect(byStatus('succeeded').length).toBe(4);
});

test('no window of the power budget holds more starts than it allows', async () => {
  for (let number = 1; number <= 30; number++) bench.farm.add(keyOf(number));
  begin({ reboot: { concurrency: 100 }, powerGate: { kw: 18, windowS: 30 } }).acceptAll(
    Array.from({ length: 30 }, (_, index) => bench.order(keyOf(index + 1))),
  );
  await bench.clock.advance(800_000);
  const times = bench.farm.orders.map(({ atMs }) => atMs);
  expect(times.length).toBe(30);
  const most = Math.max(
    ...times.map((fromMs) => times.filter((atMs) => atMs >= fromMs && atMs < fromMs + 29_000).length),
  );
  expect(most).toBe(4);
});

test('the power budget remembers what was started before a restart of the agent', async () => {
  for (let number = 1; number <= 8; number++) bench.farm.add(keyOf(number));
  const settings = { reboot: { concurrency: 8 }, powerGate: { kw: 18, windowS: 60 } };
  begin(settings).acceptAll([1, 2, 3, 4, 5, 6, 7, 8].map((number) => bench.order(keyOf(number))));
  await bench.clock.advance(5_000);
  expect(bench.farm.orders.length).toBe(4);
  await bench.clock.finish(gate?.stop() ?? Promise.resolve());
  begin(settings);
  await bench.clock.advance(20_000);
  expect(bench.farm.orders.length).toBe(4);
  await bench.clock.advance(60_000);
  expect(bench.farm.orders.length).toBe(8);
});

test('one miner gets one order at a time, whatever the kinds', async () => {
  const miner = bench.farm.add(keyOf(1));
  begin().acceptAll([
    bench.order(keyOf(1)),
    bench.order(keyOf(1), { name: 'miner.light.update', params: { on: true } }),
  ]);
  await bench.clock.advance(60_000);
  expect([miner.reboots, miner.otherOrders]).toEqual([1, 0]);
  await bench.clock.advance(1_000_000);
  expect(miner.otherOrders).toBe(1);
  expect(byStatus('succeeded').length).toBe(2);
});

test('a task is carried out once however often it is ordered, and its state is told each time', async () => {
  const miner = bench.farm.add(keyOf(1));
  const order = bench.order(keyOf(1));
  begin().acceptAll([order, order]);
  gate?.acceptAll([order]);
  await bench.clock.advance(10_000);
  gate?.acceptAll([order]);
  await bench.clock.advance(1_000_000);
  gate?.acceptAll([order]);
  await bench.clock.advance(1_000);
  expect(miner.reboots).toBe(1);
  expect(bench.farm.records.map(({ status }) => status)).toEqual([
    'pending',
    'running',
    'running',
    'succeeded',
    'succeeded',
  ]);
});

test('what is not started when it expires is a timeout and never sent', async () => {
  bench.farm.add(keyOf(1));
  bench.farm.add(keyOf(2));
  begin({ reboot: { concurrency: 1 } }).acceptAll([
    bench.order(keyOf(1)),
    bench.order(keyOf(2), { expiresInS: 30 }),
    bench.order(keyOf(2), { expiresInS: -5 }),
  ]);
  await bench.clock.advance(1_000_000);
  expect(bench.farm.miners.get(keyOf(2))?.reboots).toBe(0);
  expect(byStatus('timeout').map(({ message }) => message)).toEqual([
    'not started before it expired',
    'not started before it expired',
  ]);
});

test('a cancel stops what waits, also at the power budget, and nothing that was sent', async () => {
  for (let number = 1; number <= 3; number++) bench.farm.add(keyOf(number));
  const orders = [1, 2, 3].map((number) => bench.order(keyOf(number)));
  begin({ reboot: { concurrency: 2 }, powerGate: { kw: 4.5, windowS: 300 } }).acceptAll(orders);
  await bench.clock.advance(10_000);
  for (const { task_id } of orders) gate?.cancel(task_id);
  gate?.cancel(keyOf(77));
  await bench.clock.advance(1_000_000);
  expect(bench.farm.orders.map(({ key }) => key)).toEqual([keyOf(1)]);
  expect(byStatus('cancelled').length).toBe(2);
  expect(byStatus('succeeded').length).toBe(1);
  expect(bench.errors).toEqual([]);
});

test('many are cancelled in one go: each is counted once, and what goes on says so again', async () => {
  for (let number = 1; number <= 4; number++) bench.farm.add(keyOf(number));
  const orders = [1, 2, 3, 4].map((number) => bench.order(keyOf(number)));
  begin({ reboot: { concurrency: 2 }, powerGate: { kw: 4.5, windowS: 300 } }).acceptAll(orders);
  await bench.clock.advance(10_000);
  const ids = orders.map(({ task_id }) => task_id);
  const told = bench.farm.records.length;
  expect(gate?.cancelAll([...ids, ...ids, keyOf(77)])).toBe(3);
  await bench.clock.advance(1);
  const again = bench.farm.records.slice(told).filter(({ status }) => status === 'running');
  expect(again.map(({ task_id }) => task_id)).toEqual([ids[0]]);
  await bench.clock.advance(1_000_000);
  expect(
    byStatus('cancelled')
      .map(({ task_id }) => task_id)
      .sort(),
  ).toEqual(ids.slice(1).sort());
});

test('abort-all gives up everything that waits, with the reason', async () => {
  for (let number = 1; number <= 50; number++) bench.farm.add(keyOf(number));
  begin().acceptAll(Array.from({ length: 50 }, (_, index) => bench.order(keyOf(index + 1))));
  await bench.clock.advance(5_000);
  expect(gate?.abortAll('smoke in hall 2')).toBe(45);
  await bench.clock.advance(1_000_000);
  expect(bench.farm.orders.length).toBe(5);
  expect(byStatus('cancelled').length).toBe(45);
  expect(byStatus('cancelled')[0]?.message).toContain('smoke in hall 2');
});

test('ten thousand orders at once are held within the bound, the rest is refused with the reason', async () => {
  bench.farm.add(keyOf(1));
  begin({ maxQueued: 10_000 });
  for (let batch = 0; batch < 105; batch++) gate?.acceptAll(Array.from({ length: 100 }, () => bench.order(keyOf(1))));
  await bench.clock.advance(1_000);
  expect(byStatus('failed').length).toBe(500);
  expect(byStatus('failed')[0]?.message).toContain('10000 tasks wait already');
  expect(gate?.abortAll('enough')).toBe(9_999);
});

test.each([
  ['a miner that nobody knows', { miner_key: keyOf(55) }, 'does not know'],
  ['a task that no miner carries out', { name: 'agent.self.update' }, 'unsupported'],
  ['an ability that its driver has not', { name: 'miner.pool.update' }, 'unsupported'],
  ['params that do not fit', { name: 'miner.light.update', params: { on: 'maybe' } }, 'params'],
  ['params without end', { params: { note: 'x'.repeat(20_000) } }, 'too large'],
] as const)('%s is refused before anything is sent', async (_what, more, words) => {
  bench.farm.add(keyOf(1));
  begin().acceptAll([bench.order(keyOf(1), more)]);
  await bench.clock.advance(5_000);
  expect(bench.farm.orders).toEqual([]);
  expect(byStatus('failed')[0]?.message).toContain(words);
});

test('a miner outside the configured networks is never touched', async () => {
  bench.farm.add(keyOf(1));
  bench.farm.world.reach = () => false;
  begin().acceptAll([bench.order(keyOf(1))]);
  await bench.clock.advance(5_000);
  expect(bench.farm.orders).toEqual([]);
  expect(byStatus('failed')[0]?.message).toContain('outside the networks');
});

test('an outcome is told once, and again until the outbox has it', async () => {
  bench.farm.add(keyOf(1));
  bench.farm.world.reportFails = true;
  begin().acceptAll([bench.order(keyOf(1))]);
  await bench.clock.advance(1_000_000);
  expect(bench.farm.finals()).toEqual([]);
  bench.farm.world.reportFails = false;
  await bench.clock.advance(120_000);
  expect(bench.farm.finals().map(({ status }) => status)).toEqual(['succeeded']);
});

test.each([
  ['is marked before the task queue has stopped', 100, 1],
  ['and takes too long is told again by the next run', 60_000, 0],
])('an outcome that is being told at the stop %s; the database is left alone then', async (_what, tookMs, reported) => {
  const { report } = bench.farm.deps;
  bench.farm.deps.report = async (record) => {
    await bench.clock.sleep(tookMs);
    await report(record);
  };
  begin().acceptAll([bench.order(keyOf(1))]);
  await bench.clock.advance(10);
  await bench.clock.finish(gate?.stop() ?? Promise.resolve(), 5_000);
  expect(bench.db().prepare('SELECT state, reported FROM tasks_journal').get()).toEqual({ state: 'final', reported });
  bench.db().close();
  await bench.clock.advance(120_000);
  expect(bench.warnings.filter((line) => line.includes('could not be written yet'))).toEqual([]);
  gate = undefined;
});

test('a technician goes through the same gate and hears the steps and the outcome', async () => {
  bench.farm.add(keyOf(1));
  const states: string[] = [];
  begin();
  const { outcome } =
    gate?.runLocal({ name: 'miner.system.reboot', minerKey: keyOf(1), onState: (state) => states.push(state) }) ?? {};
  await bench.clock.advance(1_000_000);
  expect(await outcome).toMatchObject({ status: 'succeeded' });
  expect(states).toEqual(['started', 'sent', 'verifying', 'final']);
  expect(bench.farm.records).toEqual([]);
  expect(gate?.list()).toMatchObject([{ source: 'local', status: 'succeeded', state: 'final' }]);
});

test('a technician who waits when the agent stops is told so', async () => {
  bench.farm.add(keyOf(1));
  begin();
  const { outcome } = gate?.runLocal({ name: 'miner.system.reboot', minerKey: keyOf(1) }) ?? {};
  await bench.clock.advance(5_000);
  await bench.clock.finish(Promise.all([gate?.stop(), gate?.stop()]));
  await expect(outcome).rejects.toMatchObject({ code: 'cancelled' });
});

test('other kinds succeed on the word of the miner; a lost reply of a repeatable one is sent again by nobody', async () => {
  const good = bench.farm.add(keyOf(1));
  const lossy = bench.farm.add(keyOf(2), { reboot: 'lost-reply' });
  begin().acceptAll(
    [1, 2].map((number) => bench.order(keyOf(number), { name: 'miner.light.update', params: { on: true } })),
  );
  await bench.clock.advance(60_000);
  expect([good.otherOrders, lossy.otherOrders]).toEqual([1, 1]);
  expect(byStatus('succeeded')[0]).toMatchObject({ message: 'done' });
  expect(byStatus('failed')[0]?.message).toContain('lost');
});

test('orders that come before the start wait for it, in the journal', async () => {
  bench.farm.add(keyOf(1));
  gate = bench.make();
  gate.acceptAll([bench.order(keyOf(1))]);
  await bench.clock.advance(10_000);
  expect(bench.farm.orders).toEqual([]);
  gate.start();
  gate.start();
  await bench.clock.advance(1_000_000);
  expect(byStatus('succeeded').length).toBe(1);
});

test('when the journal refuses, the order is not taken', () => {
  bench.farm.add(keyOf(1));
  begin();
  bench.db().close();
  expect(() => gate?.acceptAll([bench.order(keyOf(1))])).toThrow();
  expect(bench.farm.orders).toEqual([]);
});

test('a task that only a newer service knows ends as unsupported and is remembered', async () => {
  bench.farm.add(keyOf(1));
  const order = bench.order(keyOf(1), { name: 'miner.dance.begin' });
  const odd = ['constructor', 'toString'].map((name) => bench.order(keyOf(1), { name }));
  begin().acceptAll([...odd, order, order]);
  await bench.clock.advance(1_000);
  expect(byStatus('failed').map(({ message }) => message)).toContain(
    'unsupported: this agent cannot do miner.dance.begin',
  );
  expect(bench.farm.orders).toEqual([]);
  expect(gate?.list().map(({ name }) => name)).toContain('miner.dance.begin');
});
