// Which commands enter the journal, and in which state.
import { expect, test } from 'vitest';
import { Admission, newRow } from '../../../../src/agent/tasks/queue/admission.ts';
import { taskSettingsSchema } from '../../../../src/agent/tasks/settings.ts';
import type { StoredTask } from '../../../../src/agent/tasks/stored-task.ts';
import { createVirtualClock } from '../../../support/virtual-clock.ts';

const MOST = 200_000;
const LOCAL = 20_000;

const rowOf = (taskId: string, source: StoredTask['source'] = 'service', batchId: string | null = 'b1'): StoredTask =>
  newRow(
    {
      ...{ taskId, batchId, name: 'miner.system.reboot', minerKey: taskId, params: {} },
      ...{ source, uplink: null, expiresMs: 60_000 },
    },
    0,
  );

function rig(size = 0, maxQueued = 10) {
  const rows = new Map<string, StoredTask>();
  const declared: string[] = [];
  const pruned: number[] = [];
  const admission = new Admission({
    clock: createVirtualClock(),
    journal: {
      get: (taskId) => rows.get(taskId),
      insert(fresh) {
        for (const row of fresh) rows.set(row.taskId, row);
      },
      prune: (beforeMs) => pruned.push(beforeMs) - pruned.length,
      size: () => size,
    },
    rollouts: { declare: (batchId) => declared.push(batchId), stopped: () => undefined },
    settings: taskSettingsSchema.parse({ maxQueued }),
    isKnown: (name) => name === 'miner.system.reboot',
  });
  return { admission, rows, declared, pruned };
}

test('each task id enters once, also within one call; what is known is named', () => {
  const { admission, rows } = rig();
  const first = admission.admit([rowOf('a'), rowOf('b'), rowOf('a')]);
  expect([first.fresh.map(({ taskId }) => taskId), first.known]).toEqual([['a', 'b'], []]);
  const second = admission.admit([rowOf('b'), rowOf('c')]);
  expect(second.fresh.map(({ taskId }) => taskId)).toEqual(['c']);
  expect(second.known).toEqual([rows.get('b')]);
});

test('what is beyond the queue is over as it enters, counted with what is open and what came before it', () => {
  const { fresh } = rig(0, 3).admission.admit([rowOf('a'), rowOf('b'), rowOf('c')], undefined, 1);
  expect(fresh.map(({ status }) => status)).toEqual(['pending', 'pending', 'failed']);
});

test('the rule of a batch is kept before its first task enters', () => {
  const { admission, declared } = rig();
  admission.admit([rowOf('a'), rowOf('b', 'service', 'b2')], new Map([['b2', { canary: 1 }]]));
  expect(declared).toEqual(['b2']);
});

test('services leave room in the journal for the people of the farm; a full one takes nothing', () => {
  const { admission, rows, pruned } = rig(MOST - LOCAL);
  expect(() => admission.admit([rowOf('a')])).toThrow('are remembered already');
  expect([rows.size, pruned.length]).toEqual([0, 1]);
  expect(admission.admit([rowOf('a', 'local')]).fresh).toHaveLength(1);
});
