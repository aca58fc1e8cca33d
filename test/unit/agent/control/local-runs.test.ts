// What people of this host ask for goes through the task queue as everything else does: told step by step, bounded, and
// given up when nobody listens.
import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createLocalRuns } from '../../../../src/agent/control/handlers/local-runs.ts';
import type { RunRequest, Step } from '../../../../src/agent/control/messages.ts';
import type { TaskQueue } from '../../../../src/agent/tasks/queue/task-queue.ts';
import { createBench, keyOf } from '../tasks/test-queue.ts';

let bench: ReturnType<typeof createBench>;
let gate: TaskQueue;
beforeEach(() => {
  bench = createBench();
  for (let number = 1; number <= 6; number++) bench.farm.add(keyOf(number));
  gate = bench.make({ reboot: { concurrency: 6 }, powerGate: { kw: 13.5, windowS: 600 } });
  gate.start();
});
afterEach(async () => {
  await bench.clock.finish(gate.stop());
  bench.remove();
});

const miners = [1, 2, 3, 4, 5, 6].map((number) => ({ key: keyOf(number), ip: `10.0.0.${number}` }));

function begin(more: Partial<RunRequest> = {}, some = miners) {
  const runs = createLocalRuns(gate);
  const steps: Step[] = [];
  const listener = new AbortController();
  const request: RunRequest = { name: 'miner.system.reboot', miners: [], params: {}, ...more };
  const batchId = randomUUID();
  const over = runs.run({ ...request, batchId }, some, (step) => steps.push(step), listener.signal);
  over.catch(() => {});
  const lastOf = (ip: string) => steps.findLast((step) => step.ip === ip)?.status;
  return { runs, steps, listener, over, lastOf, batchId, statuses: () => miners.map(({ ip }) => lastOf(ip)) };
}

test('each miner is told of from its place in the line to its proof, and the power budget holds', async () => {
  const { steps, over, statuses } = begin();
  await bench.clock.advance(300_000);
  expect(bench.farm.orders).toHaveLength(3);
  expect(statuses()).toEqual(['running', 'running', 'running', 'pending', 'pending', 'pending']);
  expect(await bench.clock.finish(over, 7_200_000)).toBe(6);
  const first = steps.filter(({ ip }) => ip === '10.0.0.1');
  expect(first.map(({ status }) => status)).toEqual(['pending', 'running', 'running', 'running', 'succeeded']);
  expect(new Set(first.map(({ task_id }) => task_id)).size).toBe(1);
});

test('when nobody listens any more, what is not started is given up and the rest is proven', async () => {
  const { listener, over, statuses } = begin();
  await bench.clock.advance(30_000);
  listener.abort();
  expect(await bench.clock.finish(over, 7_200_000)).toBe(3);
  expect(statuses()).toEqual([...Array(3).fill('succeeded'), ...Array(3).fill('cancelled')]);
  expect(bench.farm.orders).toHaveLength(3);
});

test('what waits is given up in one transaction, so that Ctrl-C of many does not hold up the agent', async () => {
  const many = Array.from({ length: 40 }, (_, i) => ({ key: keyOf(i + 1), ip: `10.0.0.${i + 1}` }));
  for (const { key } of many) bench.farm.add(key);
  const { listener, over, steps } = begin({}, many);
  const exec = vi.spyOn(bench.db(), 'exec');
  listener.abort();
  expect(exec.mock.calls.filter(([sql]) => sql === 'COMMIT')).toHaveLength(1);
  expect(gate.open()).toHaveLength(6);
  expect(await bench.clock.finish(over)).toBe(0);
  expect(steps.filter(({ status }) => status === 'cancelled')).toHaveLength(40);
});

test.each(['Ctrl-C', 'abort'])(
  '%s gives up what waits also while the disk refuses: nothing is done, and the end is written when it can be',
  async (by) => {
    const many = Array.from({ length: 10 }, (_, i) => ({ key: keyOf(i + 1), ip: `10.0.0.${i + 1}` }));
    for (const { key } of many) bench.farm.add(key);
    const { listener, over, runs } = begin({}, many);
    bench.db().exec(`CREATE TEMP TRIGGER full BEFORE UPDATE ON main.tasks_journal WHEN NEW.state = 'final'
    BEGIN SELECT RAISE(ABORT, 'database or disk is full'); END`);
    if (by === 'Ctrl-C') listener.abort();
    else expect(runs.abortAll('smoke')).toBe(10);
    await bench.clock.advance(5_000);
    bench.db().exec('DROP TRIGGER full');
    expect(await bench.clock.finish(over)).toBe(0);
    expect(bench.farm.orders).toEqual([]);
    expect(gate.list().map(({ status }) => status)).toEqual(Array(10).fill('cancelled'));
  },
);

test('a few at a time means that; the others are not even in the journal, and an abort of all counts them', async () => {
  const { runs, over, statuses, steps } = begin({ concurrency: 2 });
  await bench.clock.advance(5_000);
  expect(gate.open()).toHaveLength(2);
  expect(runs.abortAll('enough')).toBe(4);
  expect(await bench.clock.finish(over, 7_200_000)).toBe(2);
  expect(statuses()).toEqual(['succeeded', 'succeeded', ...Array(4).fill('cancelled')]);
  expect(steps.at(-1)?.status).toBe('succeeded');
  expect(steps.find(({ ip }) => ip === '10.0.0.6')).toMatchObject({ message: 'given up with all others: enough' });
  expect(bench.farm.orders).toHaveLength(2);
});

test('the first ones decide, also where they are handed over bit by bit', async () => {
  for (const deaf of [1, 2]) bench.farm.add(keyOf(deaf), { reboot: 'ignored' });
  for (const concurrency of [undefined, 1]) {
    const some = concurrency === undefined ? [miners[0], miners[2], miners[3]] : [miners[1], miners[4], miners[5]];
    const { over, steps } = begin(
      { rollout: { canary: 1 }, ...(concurrency !== undefined && { concurrency }) },
      some.filter((miner) => miner !== undefined),
    );
    expect(await bench.clock.finish(over, 7_200_000)).toBe(0);
    const ends = steps.filter(({ status }) => status !== 'pending' && status !== 'running');
    expect(ends.map(({ status }) => status)).toEqual(['failed', 'cancelled', 'cancelled']);
  }
  expect(bench.farm.orders).toHaveLength(2);
});

test('what is handed over goes on without the caller, and is found again by its batch', async () => {
  const { listener, over, statuses, batchId } = begin({ detach: true });
  expect(await over).toBe(0);
  listener.abort();
  const found = gate.batch(batchId);
  expect(found.map(({ minerKey, status }) => [minerKey, status])).toEqual(miners.map(({ key }) => [key, 'pending']));
  await bench.clock.advance(7_200_000);
  expect(statuses()).toEqual(Array(6).fill('succeeded'));
  expect(gate.batch(batchId).map(({ status }) => status)).toEqual(Array(6).fill('succeeded'));
});

test('of what failed the params are kept, so that it can be asked for again; secrets are not', async () => {
  const dead = keyOf(99);
  const run = async (params: Record<string, unknown>) => {
    const { over, batchId } = begin({ params }, [{ key: dead, ip: '10.0.0.99' }]);
    await bench.clock.finish(over, 7_200_000);
    return gate.batch(batchId)[0];
  };
  expect(await run({ force: true })).toMatchObject({ status: 'failed', params: { force: true } });
  expect(await run({ password: 'hunter2' })).toMatchObject({ status: 'failed', params: undefined });
  const kept = bench.db().prepare('SELECT params FROM tasks_journal').all();
  expect(JSON.stringify(kept)).not.toContain('hunter2');
});
