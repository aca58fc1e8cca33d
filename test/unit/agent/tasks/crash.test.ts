// A kill at each step of the journal: nothing that must run once runs twice, and everything ends. The kill is a
// database that is gone under the gate's feet, and a new gate on the same file.
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { TaskQueue } from '../../../../src/agent/tasks/queue/task-queue.ts';
import { taskSettingsSchema } from '../../../../src/agent/tasks/settings.ts';
import { createVault } from '../../../../src/base/storage/vault.ts';
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

const state = () => bench.db().prepare('SELECT state FROM tasks_journal').get()?.state;

/** Stops a gate as a kill does: it can neither write nor act any more. */
function kill(old: TaskQueue): void {
  bench.crash();
  void old.stop();
}

async function crashAfter(ms: number, ways: Partial<SimMiner['ways']>, downS: number) {
  const miner = bench.farm.add(keyOf(1), ways);
  const first = bench.make();
  first.start();
  first.acceptAll([bench.order(keyOf(1), { expiresInS: 100_000 })]);
  await bench.clock.advance(ms);
  const before = state();
  kill(first);
  await bench.clock.settle();
  const phases = bench.farm.phases.length;
  bench.farm.records.length = 0;
  await bench.clock.advance(downS * 1_000);
  gate = bench.make();
  gate.start();
  await bench.clock.advance(3_600_000);
  return { miner, before, finals: bench.farm.finals(), phases: bench.farm.phases.slice(phases) };
}

test('killed while it waits for its turn, it is carried out once by the next run', async () => {
  const { before, miner, finals } = await crashAfter(0, {}, 30);
  expect(before).toBe('accepted');
  expect(miner.reboots).toBe(1);
  expect(finals.map(({ status }) => status)).toEqual(['succeeded']);
});

test('killed after it was journaled and before the reply, it is not sent again but proven', async () => {
  const { before, miner, finals, phases } = await crashAfter(150, {}, 30);
  expect(before).toBe('started');
  // The order was under way when the agent died: the miner carries it out all the same.
  expect(miner.reboots).toBe(1);
  expect(phases).toEqual(['01 rebooting', '01 idle']);
  expect(finals).toMatchObject([{ status: 'succeeded', evidence: { interrupted: true } }]);
});

test.each([5, 60, 300, 7_200])(
  'killed after it was sent and back %i s later, the clock of the miner still proves it',
  async (downS) => {
    const { before, miner, finals } = await crashAfter(1_000, {}, downS);
    expect(before).toBe('verifying');
    expect(miner.reboots).toBe(1);
    expect(finals).toMatchObject([{ status: 'succeeded', evidence: { interrupted: true, uptimeBeforeS: 86_400 } }]);
  },
);

test('what was sent before a kill is known as ours in the next run, and what was not is not', async () => {
  await crashAfter(1_000, {}, 60);
  expect(gate?.restartsSince(keyOf(1), 0)).toEqual([{ startedMs: expect.any(Number), finishedMs: expect.any(Number) }]);
  expect(gate?.restartsSince(keyOf(2), 0)).toEqual([]);
  expect(gate?.restartsSince(keyOf(1), bench.clock.elapsedMs())).toEqual([]);
});

test('killed after it was sent to a miner that ignored it, it has failed and is not sent again', async () => {
  const { miner, finals } = await crashAfter(1_000, { reboot: 'ignored' }, 30);
  expect(miner.reboots).toBe(1);
  expect(finals).toMatchObject([
    { status: 'failed', message: 'interrupted by a restart of the agent: the miner did not restart' },
  ]);
});

test('killed while a miner is gone for good, it ends as a timeout', async () => {
  const { miner, finals } = await crashAfter(1_000, { reboot: 'dies' }, 3_000);
  expect(miner.reboots).toBe(1);
  expect(finals.map(({ status }) => status)).toEqual(['timeout']);
});

test('killed between the end and the report, the outcome is told by the next run', async () => {
  bench.farm.add(keyOf(1));
  bench.farm.world.reportFails = true;
  const first = bench.make();
  first.start();
  first.acceptAll([bench.order(keyOf(1))]);
  await bench.clock.advance(1_000_000);
  expect(state()).toBe('final');
  kill(first);
  await bench.clock.settle();
  bench.farm.world.reportFails = false;
  gate = bench.make();
  gate.start();
  await bench.clock.advance(60_000);
  expect(bench.farm.finals().map(({ status }) => status)).toEqual(['succeeded']);
  await bench.clock.advance(600_000);
  expect(bench.farm.finals().length).toBe(1);
});

test.each([
  ['repeatable', 'miner.light.update', 'light', 2, 'succeeded'],
  ['once', 'miner.firmware.update', 'firmware', 1, 'failed'],
] as const)('killed with a %s order under way', async (effect, name, kind, orders, status) => {
  bench.remove();
  bench = createBench({ [kind]: effect });
  const miner = bench.farm.add(keyOf(1));
  const first = bench.make();
  const order = bench.order(keyOf(1), { name, expiresInS: 10_000 });
  first.acceptAll([order]);
  // As the journal stands between the order and its reply.
  bench
    .db()
    .prepare("UPDATE tasks_journal SET state = 'started', status = 'running', started_ms = ?, took_effect = 1")
    .run(bench.clock.elapsedMs());
  miner.otherOrders = 1;
  kill(first);
  gate = bench.make();
  gate.start();
  await bench.clock.advance(600_000);
  expect(miner.otherOrders).toBe(orders);
  expect(bench.farm.finals().map((record) => record.status)).toEqual([status]);
});

test('a task whose params cannot be opened any more is not carried out, and says so', async () => {
  bench.farm.add(keyOf(1));
  const settings = taskSettingsSchema.parse({});
  const first = bench.makeWith(settings, createVault(Buffer.alloc(32, 1)));
  first.acceptAll([bench.order(keyOf(1))]);
  kill(first);
  gate = bench.makeWith(settings, createVault(Buffer.alloc(32, 2)));
  gate.start();
  await bench.clock.advance(5_000);
  expect(bench.farm.orders).toEqual([]);
  expect(bench.farm.finals()).toMatchObject([
    { status: 'failed', message: expect.stringContaining('cannot be opened with the key in use') },
  ]);
});

test('killed at any moment of twenty reboots, none is sent twice and all end', async () => {
  for (let number = 1; number <= 20; number++) {
    bench.farm.add(keyOf(number), { awayS: 20 + number * 3, hashAfterS: 30 });
  }
  let current = bench.make({ powerGate: { kw: 13.5, windowS: 10 } });
  current.start();
  current.acceptAll(Array.from({ length: 20 }, (_, index) => bench.order(keyOf(index + 1), { expiresInS: 100_000 })));
  for (let round = 0; round < 40; round++) {
    await bench.clock.advance(((round * 7_919) % 97) * 211 + 50);
    kill(current);
    await bench.clock.settle();
    current = bench.make({ powerGate: { kw: 13.5, windowS: 10 } });
    current.start();
  }
  gate = current;
  await bench.clock.advance(4 * 3_600_000);
  const reboots = [...bench.farm.miners.values()].map((miner) => miner.reboots);
  expect(Math.max(...reboots)).toBe(1);
  expect(gate.list().map((task) => task.state)).toEqual(Array.from({ length: 20 }, () => 'final'));
  // Killed before the order left: it is not known to have been sent, and is not sent again.
  const unsent = reboots.filter((count) => count === 0).length;
  expect(gate.list().filter((task) => task.status === 'failed').length).toBe(unsent);
  expect(gate.list().filter((task) => task.status === 'succeeded').length).toBe(20 - unsent);
});
