// The task handlers of the control socket, driven directly on a real task queue: what lies outside the agent's
// networks, what a preview says, how tasks are listed and given up.
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createTaskHandlers } from '../../../../../src/agent/control/handlers/task-handlers.ts';
import type { RunRequest, Step } from '../../../../../src/agent/control/messages.ts';
import { namedMiners } from '../../../../../src/agent/fleet/miner-selectors.ts';
import { readRanges } from '../../../../../src/base/net/ranges.ts';
import { boardMiner, NOW_MS } from '../../../model/board/board-miners.ts';
import { createBench, keyOf } from '../../tasks/test-queue.ts';

const known = [1, 2, 3].map((n) => boardMiner(n, { id: keyOf(n), key: keyOf(n) }));
const { signal } = new AbortController();
const request = (...miners: string[]): RunRequest => ({ name: 'miner.system.reboot', miners, params: {} });

let bench: ReturnType<typeof createBench>;
let tasks: ReturnType<ReturnType<typeof createBench>['make']>;
let handlers: ReturnType<typeof createTaskHandlers>;
beforeEach(() => {
  bench = createBench();
  for (const { id } of known) bench.farm.add(id);
  tasks = bench.make({ reboot: { concurrency: 2 } });
  tasks.start();
  handlers = createTaskHandlers(
    {
      ...{ clock: bench.clock, tasks, fleet: { get: () => undefined } },
      config: { ranges: readRanges(['10.0.0.0/24'], []), tasks: { reboot: { concurrency: 2 } } },
    },
    { find: (names) => Promise.resolve(namedMiners(names, known, NOW_MS)) },
  );
});
afterEach(async () => {
  await bench.clock.finish(tasks.stop());
  bench.remove();
});

test('a run and a preview of miners that all lie outside the networks are refused', async () => {
  for (const miners of [['192.168.0.1'], ['192.168.0.1', '172.16.0.0/24']]) {
    const refused = { code: 'run.outside', message: expect.stringContaining('miner.system.reboot') };
    await expect(handlers.preview(request(...miners), signal)).rejects.toMatchObject(refused);
    await expect(handlers.run(request(...miners), () => {}, signal)).rejects.toMatchObject(refused);
  }
  expect(handlers.tasks(10, false).tasks).toEqual([]);
});

test('a preview names the miners, those that are unknown, and how many reboots run at a time', async () => {
  const { miners, unknown, at_once } = await handlers.preview(request('10.0.0.2', '10.0.0.9'), signal);
  expect(miners).toEqual([{ key: keyOf(2), ip: '10.0.0.2', model: null }]);
  expect(unknown.map(({ name }) => name)).toEqual(['10.0.0.9']);
  expect(at_once).toBe(2);
  const other = await handlers.preview({ ...request('10.0.0.2'), name: 'miner.log.get' }, signal);
  expect(other.at_once).toBeNull();
});

test('a run says of each miner that it is not about why, and counts it', async () => {
  const steps: Step[] = [];
  const over = handlers.run(request('10.0.0.1', '10.0.0.9', '192.168.0.1'), (step) => steps.push(step), signal);
  expect(await bench.clock.finish(over, 7_200_000)).toEqual({ total: 3, succeeded: 1 });
  expect(steps.filter(({ status }) => status === 'failed')).toEqual([
    expect.objectContaining({ ip: '10.0.0.9', message: 'no known miner has this address', task_id: null }),
    expect.objectContaining({ ip: '192.168.0.1', message: expect.stringContaining('outside the networks') }),
  ]);
});

test('tasks are listed newest first, open ones apart, and what is beyond the limit is counted', async () => {
  const runs = [];
  for (const { id: key } of known) {
    runs.push(...tasks.runLocalBatch([{ name: 'miner.system.reboot', minerKey: key }], keyOf(77)).runs);
    await bench.clock.advance(1_000);
  }
  const open = handlers.tasks(2, true);
  expect([open.tasks.length, open.left_out]).toEqual([2, 1]);
  expect(handlers.tasks(2, false).left_out).toBeNull();
  const [shown] = open.tasks;
  expect(shown).toMatchObject({
    miner_key: keyOf(3),
    batch_id: keyOf(77),
    source: 'local',
    ip: null,
    finished_at: null,
  });
  expect(shown?.accepted_at).toBe(new Date(bench.clock.nowMs() - 1_000).toISOString());
  const waiting = open.tasks.filter(({ started_at }) => started_at === null).map(({ task_id }) => task_id);
  const ids = runs.map(({ taskId }) => taskId);
  expect(ids).toEqual(expect.arrayContaining(waiting));
  await bench.clock.advance(30_000);
  expect(bench.farm.orders).toHaveLength(2);
  expect(handlers.cancel(ids), 'only what has not been started').toBe(1);
  expect(handlers.cancel(ids)).toBe(0);
});

test('all tasks that have not been started are given up at once', async () => {
  tasks.runLocalBatch(
    known.map(({ id: key }) => ({ name: 'miner.system.reboot', minerKey: key })),
    keyOf(77),
  );
  await bench.clock.advance(30_000);
  expect(handlers.abortAll('fire')).toBe(1);
  expect(handlers.abortAll('fire')).toBe(0);
});
