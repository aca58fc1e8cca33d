// Tasks of the agent's own go through the same gate: journaled, one at a time, told while they run, ended by a cancel,
// run again after a crash.
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { AgentTask, TaskOutcome } from '../../../../src/agent/tasks/contract.ts';
import { createTaskQueue, type TaskQueue } from '../../../../src/agent/tasks/queue/task-queue.ts';
import { taskSettingsSchema } from '../../../../src/agent/tasks/settings.ts';
import { silentLog } from '../../../../src/base/log.ts';
import { createBench, keyOf } from './test-queue.ts';

const AGENT = keyOf(500);
const RUN_S = 60;

let bench: ReturnType<typeof createBench>;
let gate: TaskQueue | undefined;
let runs: { atMs: number; params: unknown }[];
let ends: { name: string; status: string }[];

beforeEach(() => {
  bench = createBench();
  runs = [];
  ends = [];
});
afterEach(async () => {
  if (gate !== undefined) await bench.clock.finish(gate.stop());
  gate = undefined;
  bench.remove();
});

const work: AgentTask = {
  concurrency: 2,
  async run({ params }, signal, { onProgress }): Promise<TaskOutcome> {
    runs.push({ atMs: bench.clock.nowMs(), params });
    for (let step = 1; step <= RUN_S / 10; step++) {
      try {
        await bench.clock.sleep(10_000, signal);
      } catch {
        return { status: 'cancelled', message: 'cut short', evidence: { steps: step } };
      }
      onProgress({ progress: { step } });
    }
    return { status: 'succeeded', message: 'all of it', evidence: { steps: RUN_S / 10 } };
  },
};

function begin(): TaskQueue {
  gate = createTaskQueue(bench.db(), {
    clock: bench.clock,
    log: silentLog,
    settings: taskSettingsSchema.parse({}),
    deps: {
      ...bench.farm.deps,
      agentTasks: { 'agent.scan.create': work },
      onEnd: ({ name }, { status }) => ends.push({ name, status }),
    },
  });
  gate.start();
  return gate;
}
const scan = (expiresInS = 900) => bench.order(AGENT, { name: 'agent.scan.create', params: { a: 1 }, expiresInS });
const told = () => bench.farm.records.map(({ status, evidence }) => [status, JSON.stringify(evidence)]);

test('it is told when it begins, how far it is, and what came of it', async () => {
  begin().acceptAll([scan()]);
  await bench.clock.advance(25_000);
  expect(told()).toEqual([
    ['running', '{}'],
    ['running', '{"progress":{"step":1}}'],
    ['running', '{"progress":{"step":2}}'],
  ]);
  await bench.clock.advance(40_000);
  expect(told().at(-1)).toEqual(['succeeded', '{"steps":6}']);
  expect(runs).toMatchObject([{ params: { a: 1 } }]);
  expect(ends).toEqual([{ name: 'agent.scan.create', status: 'succeeded' }]);
});

test('asked again for its state, it says how far it is', async () => {
  const order = scan();
  begin().acceptAll([order]);
  await bench.clock.advance(15_000);
  gate?.acceptAll([order]);
  await bench.clock.advance(100);
  expect(told().at(-1)).toEqual(['running', '{"progress":{"step":1}}']);
  expect(runs).toHaveLength(1);
});

test('two about the agent run one after the other', async () => {
  begin().acceptAll([scan(), scan()]);
  await bench.clock.advance(59_000);
  expect(runs).toHaveLength(1);
  await bench.clock.advance(62_000);
  expect(runs).toHaveLength(2);
  expect(bench.farm.finals().map(({ status }) => status)).toEqual(['succeeded', 'succeeded']);
});

test('a cancel ends it although it was started, with what it has until then', async () => {
  const [first, second] = [scan(), scan()];
  begin().acceptAll([first, second]);
  await bench.clock.advance(35_000);
  gate?.cancel(first.task_id);
  gate?.cancel(second.task_id);
  await bench.clock.advance(1_000);
  const ended = Object.fromEntries(bench.farm.finals().map(({ task_id, ...record }) => [task_id, record]));
  expect(ended[first.task_id]).toMatchObject({ status: 'cancelled', evidence: { steps: 4 } });
  expect(ended[second.task_id]).toMatchObject({ status: 'cancelled', message: 'cancelled before it was started' });
  expect(runs).toHaveLength(1);
});

test('abort-all ends it too', async () => {
  begin().acceptAll([scan(), scan()]);
  await bench.clock.advance(15_000);
  expect(gate?.abortAll('smoke')).toBe(2);
  await bench.clock.advance(1_000);
  expect(bench.farm.finals().map(({ status }) => status)).toEqual(['cancelled', 'cancelled']);
});

test('its own expiry does not cut it short once it has begun', async () => {
  begin().acceptAll([scan(20)]);
  await bench.clock.advance(61_000);
  expect(bench.farm.finals()).toMatchObject([{ status: 'succeeded' }]);
});

test('after a crash it runs again from the beginning, and ends once', async () => {
  begin().acceptAll([scan()]);
  await bench.clock.advance(35_000);
  bench.crash();
  begin();
  await bench.clock.advance(100);
  expect(runs).toHaveLength(2);
  await bench.clock.advance(70_000);
  expect(bench.farm.finals()).toHaveLength(1);
  expect(bench.farm.finals()).toMatchObject([{ status: 'succeeded' }]);
});

test('a stop of the agent in the middle is no end: it runs again with the next start', async () => {
  begin().acceptAll([scan()]);
  await bench.clock.advance(35_000);
  await bench.clock.finish(gate?.stop() ?? Promise.resolve());
  expect(bench.farm.finals()).toEqual([]);
  begin();
  await bench.clock.advance(61_000);
  expect(runs).toHaveLength(2);
  expect(bench.farm.finals()).toMatchObject([{ status: 'succeeded' }]);
});

test('one that has expired when the agent is back is told as interrupted', async () => {
  begin().acceptAll([scan(40)]);
  await bench.clock.advance(35_000);
  await bench.clock.finish(gate?.stop() ?? Promise.resolve());
  await bench.clock.advance(60_000);
  begin();
  await bench.clock.advance(1_000);
  expect(runs).toHaveLength(1);
  expect(bench.farm.finals()).toMatchObject([
    { status: 'failed', message: expect.stringContaining('interrupted'), evidence: { interrupted: true } },
  ]);
});

test('one that this version does not know any more is told as unsupported, not kept open for ever', async () => {
  begin().acceptAll([scan()]);
  await bench.clock.advance(5_000);
  await bench.clock.finish(gate?.stop() ?? Promise.resolve());
  gate = bench.make();
  gate.start();
  await bench.clock.advance(1_000);
  expect(bench.farm.finals()).toMatchObject([
    { status: 'failed', message: 'unsupported: this agent cannot do agent.scan.create' },
  ]);
});
