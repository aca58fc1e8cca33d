// The task handlers of the control socket, driven directly on a real task queue: what lies outside the agent's
// networks, what a preview says, how tasks are listed and given up.
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createTaskHandlers } from '../../../../../src/agent/control/handlers/task-handlers.ts';
import type { RunRequest, Step } from '../../../../../src/agent/control/messages.ts';
import { namedMiners } from '../../../../../src/agent/fleet/miner-selectors.ts';
import { readRanges } from '../../../../../src/base/net/ranges.ts';
import type { PoolFacts } from '../../../../../src/model/pools/resolve-pools.ts';
import { boardMiner, NOW_MS } from '../../../model/board/board-miners.ts';
import { createBench, keyOf } from '../../tasks/test-queue.ts';

const known = [1, 2, 3].map((n) => boardMiner(n, { id: keyOf(n), key: keyOf(n) }));
const { signal } = new AbortController();
const request = (...miners: string[]): RunRequest => ({ name: 'miner.system.reboot', miners, params: {} });

let bench: ReturnType<typeof createBench>;
let tasks: ReturnType<ReturnType<typeof createBench>['make']>;
let handlers: ReturnType<typeof createTaskHandlers>;
const poolFacts = new Map<string, PoolFacts>();
beforeEach(() => {
  bench = createBench();
  for (const { id } of known) bench.farm.add(id);
  tasks = bench.make({ reboot: { concurrency: 2 } });
  tasks.start();
  handlers = createTaskHandlers(
    {
      ...{ clock: bench.clock, tasks, fleet: { get: () => undefined }, poolFacts: (key) => poolFacts.get(key) },
      config: { ranges: readRanges(['10.0.0.0/24'], []) },
    },
    { find: (names) => Promise.resolve(namedMiners(names, known, NOW_MS)) },
  );
});
afterEach(async () => {
  poolFacts.clear();
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

test('a preview names the miners, those that are unknown, and how many run at a time', async () => {
  const { miners, unknown, at_once, kw } = await handlers.preview(request('10.0.0.2', '10.0.0.9'), signal);
  expect(miners).toEqual([{ key: keyOf(2), ip: '10.0.0.2', model: null, power_w: null }]);
  expect(kw).toBeNull();
  expect(unknown.map(({ name }) => name)).toEqual(['10.0.0.9']);
  expect(at_once).toBe(2);
});

test('a preview says which miners are left out and why, and how long the others will take', async () => {
  const names = ['10.0.0.1', '10.0.0.2', '10.0.0.3'];
  const log = await handlers.preview({ ...request(...names), name: 'miner.log.get' }, signal);
  expect([log.miners, log.eta_s]).toEqual([[], 0]);
  expect(log.left_out.map(({ ip }) => ip)).toEqual(names);
  expect(new Set(log.left_out.map(({ reason }) => reason))).toEqual(
    new Set(['unsupported: driver sim cannot do miner.log.get']),
  );
  await bench.clock.finish(
    handlers.run(request('10.0.0.1'), () => {}, signal),
    7_200_000,
  );
  const reboot = await handlers.preview(request(...names), signal);
  expect(reboot.left_out).toEqual([
    { key: keyOf(1), ip: '10.0.0.1', reason: expect.stringContaining('was rebooted in the last') },
  ]);
  expect(reboot.miners.map(({ ip }) => ip)).toEqual(['10.0.0.2', '10.0.0.3']);
  const oneByOne = await handlers.preview({ ...request(...names), concurrency: 1 }, signal);
  expect(oneByOne.at_once).toBe(1);
  expect(oneByOne.eta_s).toBeGreaterThan(1.5 * (reboot.eta_s ?? Number.NaN));
  // One has ended, and three are needed to go by.
  expect([reboot.eta_is_guess, log.eta_is_guess]).toEqual([true, false]);
});

const URL = 'stratum+tcp://pool.example:3333';
const poolsOf = (user: unknown, miners = ['10.0.0.1-3']): RunRequest => ({
  ...{ name: 'miner.pool.update', miners, params: { pools: [{ url: URL, user }] } },
});
const read = (...numbers: number[]) => {
  for (const n of numbers)
    poolFacts.set(keyOf(n), { ip: `10.0.0.${n}`, shown: [{ url: URL, user: `old.r${n}` }], set: undefined });
};

test('a preview of pools shows the workers that miners would get', async () => {
  read(1, 2, 3);
  const preview = await handlers.preview(poolsOf('account.{worker}'), signal);
  expect(preview.pools_preview).toEqual([1, 2, 3].map((n) => ({ ip: `10.0.0.${n}`, user: `account.r${n}` })));
  expect(preview).not.toHaveProperty('pools_refusal');
  expect(await handlers.preview(request('10.0.0.1'), signal)).not.toHaveProperty('pools_preview');
  expect(await handlers.preview({ ...poolsOf('x'), params: {} }, signal)).not.toHaveProperty('pools_preview');
});

test('pools that one of the miners cannot get are refused before anything is sent, and a preview says so', async () => {
  read(1, 2, 3);
  const locations = { '10.0.0.1': { rack: 'A', position: 1 }, '10.0.0.3': { rack: 'A', position: 3 } };
  const wanted = { ...poolsOf('account.{rack}-{position}'), locations };
  const lacking = '1 of 3 miners lack what the pools need: 10.0.0.2 (no rack, no position)';
  expect(await handlers.preview(wanted, signal)).toMatchObject({
    pools_preview: [
      { ip: '10.0.0.1', user: 'account.A-1' },
      { ip: '10.0.0.3', user: 'account.A-3' },
    ],
    pools_refusal: lacking,
  });
  const refused = { code: 'run.pools', message: `miner.pool.update: ${lacking}; nothing was sent` };
  await expect(handlers.run(wanted, () => {}, signal)).rejects.toMatchObject(refused);
  expect(handlers.tasks(10, false).tasks).toEqual([]);
});

test('braces that mean nothing are refused with the miners named', async () => {
  read(1, 2, 3);
  await expect(handlers.run(poolsOf('account.{name}'), () => {}, signal)).rejects.toMatchObject({
    code: 'run.pools',
    message: expect.stringContaining('10.0.0.3 (unknown braces {name} in the worker)'),
  });
});

test('each miner gets its own location, and one that was not read yet is left to its task', async () => {
  read(1);
  const locations = { '10.0.0.1': { rack: 'A', position: 1 } };
  const admitted: unknown[] = [];
  const runLocalBatch = tasks.runLocalBatch.bind(tasks);
  tasks.runLocalBatch = (commands, ...rest) => {
    admitted.push(...commands.map(({ params }) => params?.location));
    return runLocalBatch(commands, ...rest);
  };
  const over = handlers.run({ ...poolsOf('account.{rack}'), locations }, () => {}, signal);
  expect(await bench.clock.finish(over, 7_200_000)).toMatchObject({ total: 3, succeeded: 0 });
  expect(admitted).toEqual([locations['10.0.0.1'], undefined, undefined]);
});

test('a run says of each miner that it is not about why, and counts it', async () => {
  const steps: Step[] = [];
  const over = handlers.run(request('10.0.0.1', '10.0.0.9', '192.168.0.1'), (step) => steps.push(step), signal);
  expect(await bench.clock.finish(over, 7_200_000)).toMatchObject({ total: 3, succeeded: 1 });
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
