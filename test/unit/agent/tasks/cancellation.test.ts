// What ends a task before its time, and what does not: without a clock, a disk or a miner.
import { expect, test } from 'vitest';
import { cancelled, type TaskOutcome } from '../../../../src/agent/tasks/contract.ts';
import { newRow } from '../../../../src/agent/tasks/queue/admission.ts';
import { Cancellation } from '../../../../src/agent/tasks/queue/cancellation.ts';
import { type Job, type Kind, newJob } from '../../../../src/agent/tasks/queue/job.ts';
import type { StoredTask } from '../../../../src/agent/tasks/stored-task.ts';
import { silentLog } from '../../../../src/base/log.ts';

const BY_DRIVER: Kind = { queue: 'reboot', ability: 'reboot' };
const BY_AGENT: Kind = {
  queue: 'agent.scan.create',
  agentTask: { concurrency: 1, run: () => Promise.reject(new Error('is not run here')) },
};
const STOPPED = cancelled('not started: the batch was stopped');

const rowOf = (taskId: string, extra: Partial<StoredTask> = {}): StoredTask => ({
  ...newRow(
    {
      ...{ taskId, batchId: 'b1', name: 'miner.system.reboot', minerKey: taskId, params: {} },
      ...{ source: 'service', uplink: 'company', expiresMs: 1_000 },
    },
    0,
  ),
  ...extra,
});

function rig(jobs: readonly Job[], unwritten: readonly string[] = []) {
  const ended: { taskId: string; outcome: TaskOutcome }[] = [];
  const again: string[] = [];
  const stopped = new Map<string | null, () => typeof STOPPED | undefined>();
  const cancellation = new Cancellation({
    log: silentLog,
    jobs: new Map(jobs.map((job) => [job.row.taskId, job])),
    journal: { get: (taskId) => (taskId === 'over' ? rowOf('over', { state: 'final' }) : undefined) },
    reports: { sendAgain: ({ taskId }) => again.push(taskId) },
    completion: {
      settle: (ends) => ended.push(...ends.map(({ row, outcome }) => ({ taskId: row.taskId, outcome }))),
      isUnwritten: (taskId) => unwritten.includes(taskId),
    },
    rollouts: { stopped: (batchId) => stopped.get(batchId)?.() },
    drop() {},
  });
  return { cancellation, ended, again, stopped };
}

const job = (taskId: string, stage: Job['stage'], kind: Kind = BY_DRIVER, extra: Partial<StoredTask> = {}): Job => ({
  ...newJob(rowOf(taskId, extra), kind),
  stage,
});

test('what waits ends at once, what is being checked is told to, what was started goes on and says so again', () => {
  const [waiting, checking, started] = [job('w', 'waiting'), job('c', 'checking'), job('s', 'started')];
  const { cancellation, ended, again } = rig([waiting, checking, started]);
  expect(cancellation.cancelAll(['w', 'c', 's', 'w', 'over', 'unknown'])).toBe(2);
  expect(ended.map(({ taskId, outcome }) => [taskId, outcome.status, outcome.mayHaveHappened])).toEqual([
    ['w', 'cancelled', undefined],
  ]);
  expect([checking.giveUp.signal.aborted, checking.givenUp?.status]).toEqual([true, 'cancelled']);
  expect(started.giveUp.signal.aborted).toBe(false);
  expect(again).toEqual(['s', 'over']);
});

test('what the agent itself carries out ends when it is under way, too', () => {
  const scan = job('scan', 'started', BY_AGENT);
  const { cancellation, again } = rig([scan]);
  expect(cancellation.abortAll('the farm says so')).toBe(1);
  expect([scan.giveUp.signal.aborted, again]).toEqual([true, []]);
});

test('what is over and not on disk yet is not ended twice', () => {
  const { cancellation, ended } = rig([job('w', 'waiting')], ['w']);
  expect([cancellation.giveUp([job('w', 'waiting')], STOPPED), ended]).toEqual([0, []]);
});

test.each([
  [undefined, 'mine', true],
  ['company', 'mine', true],
  ['other', 'mine', false],
  ['company', 'local', false],
  ['company', 'unknown', false],
  ['company', 'over', true],
])('over the uplink %s the task %s may be cancelled: %s', (uplink, taskId, may) => {
  const local = job('local', 'waiting', BY_DRIVER, { source: 'local', uplink: null });
  expect(rig([job('mine', 'waiting'), local]).cancellation.mayCancel(taskId, uplink)).toBe(may);
});

test('a stopped batch gives up what waits, once; where the disk refuses, the next call tries again', () => {
  const waiting = job('w', 'waiting');
  const { cancellation, ended, stopped } = rig([waiting, job('s', 'started')]);
  stopped.set('b1', () => STOPPED);
  cancellation.endStopped();
  expect(ended).toEqual([]);
  cancellation.expectStop();
  stopped.set('b1', () => {
    throw new Error('disk full');
  });
  expect(() => cancellation.endStopped()).toThrow('disk full');
  stopped.set('b1', () => STOPPED);
  cancellation.endStopped();
  cancellation.endStopped();
  expect(ended.map(({ taskId }) => taskId)).toEqual(['w']);
});
