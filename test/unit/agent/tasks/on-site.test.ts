// What a person on site has the agent do is told to the services once it is over, as an event of the miner: they did
// not order it and have no task for it. Nothing that never reached a miner is told, and a kill loses none of it.
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { TaskQueue } from '../../../../src/agent/tasks/queue/task-queue.ts';
import { eventRecordSchema } from '../../../../src/wire/records.ts';
import { createBench, keyOf } from './test-queue.ts';

const REBOOT = { name: 'miner.system.reboot', minerKey: keyOf(1) };
let bench: ReturnType<typeof createBench>;
let gate: TaskQueue;

beforeEach(() => {
  bench = createBench();
  gate = begin();
});
afterEach(async () => {
  await bench.clock.finish(gate.stop());
  bench.remove();
});

function begin(): TaskQueue {
  const made = bench.make();
  made.start();
  return made;
}
const events = () => bench.farm.events;
const unreported = () => bench.db().prepare('SELECT count(*) AS count FROM tasks_journal WHERE reported = 0').get();

test('a reboot from here is told with its outcome, once, and is no task of the service', async () => {
  bench.farm.add(keyOf(1));
  const { batchId, runs } = gate.runLocalBatch([REBOOT]);
  await bench.clock.advance(60_000);
  expect(events()).toEqual([]);
  await bench.clock.advance(1_500_000);
  expect(bench.farm.records).toEqual([]);
  expect(events()).toMatchObject([
    {
      ...{ kind: 'event', type: 'task_on_site', key: keyOf(1) },
      detail: { task_id: runs[0]?.taskId, batch_id: batchId, name: 'miner.system.reboot', status: 'succeeded' },
    },
  ]);
  expect(eventRecordSchema.parse(events()[0])).toEqual(events()[0]);
  expect(unreported()).toEqual({ count: 0 });
  gate.cancelAll(runs.map(({ taskId }) => taskId));
  await bench.clock.advance(3_600_000);
  expect(events()).toHaveLength(1);
});

test('who asked for it on this host is kept, shown and told as the word of the client; a rule asks as itself', async () => {
  bench.farm.add(keyOf(1));
  gate.runLocalBatch([{ ...REBOOT, by: 'ana' }]);
  gate.runLocal({ ...REBOOT, name: 'miner.light.update', params: { on: true } });
  await bench.clock.advance(60_000);
  expect(gate.list().map(({ name, by }) => [name, by])).toEqual(
    expect.arrayContaining([
      ['miner.system.reboot', 'ana'],
      ['miner.light.update', null],
    ]),
  );
  await bench.clock.advance(1_500_000);
  const actor = { type: 'user', id: 'host:ana', name: 'ana', via: 'control-socket' };
  expect(events()).toMatchObject([{ type: 'task_on_site', detail: { name: 'miner.system.reboot', actor } }]);
});

test('one that the miner did not do is told as such', async () => {
  bench.farm.add(keyOf(1), { reboot: 'peer.rejected' });
  gate.runLocalBatch([REBOOT]);
  await bench.clock.advance(60_000);
  expect(events()).toMatchObject([
    { detail: { status: 'failed', message: expect.stringMatching('refused by the miner') } },
  ]);
});

test('what was given up before it began, and what the rules of the agent order, are not', async () => {
  bench.farm.add(keyOf(1));
  const { runs } = gate.runLocalBatch([REBOOT, { ...REBOOT, name: 'miner.light.update', params: { on: true } }]);
  gate.cancelAll(runs.map(({ taskId }) => taskId));
  await bench.clock.advance(5_000);
  const { outcome } = gate.runLocal({ ...REBOOT, name: 'miner.light.update', params: { on: true } });
  await bench.clock.advance(60_000);
  expect(await outcome).toMatchObject({ status: 'succeeded' });
  expect(events()).toEqual([]);
  expect(unreported()).toEqual({ count: 0 });
});

test('a kill while it is proven loses nothing, and what could not be told is told later', async () => {
  bench.farm.add(keyOf(1));
  gate.runLocalBatch([REBOOT]);
  await bench.clock.advance(60_000);
  bench.crash();
  void gate.stop();
  await bench.clock.settle();
  bench.farm.world.reportFails = true;
  gate = begin();
  await bench.clock.advance(1_500_000);
  expect(events()).toEqual([]);
  expect(unreported()).toEqual({ count: 1 });
  bench.farm.world.reportFails = false;
  await bench.clock.advance(60_000);
  expect(events()).toMatchObject([{ detail: { status: 'succeeded' } }]);
  expect(unreported()).toEqual({ count: 0 });
});
