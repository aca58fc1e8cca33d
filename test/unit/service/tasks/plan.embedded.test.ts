// Which reason counts when several would do, and what the batches hold.
import { expect, test } from 'vitest';
import type { TaskCandidate } from '../../../../src/service/store/store.ts';
import { planBatches } from '../../../../src/service/tasks/plan.ts';

const candidate = (id: string, change: Partial<TaskCandidate> = {}): TaskCandidate => ({
  rowId: Number(id),
  id,
  ip: `10.0.0.${id}`,
  agentId: 'agent',
  agentKey: `key ${id}`,
  opsStatus: null,
  abilities: ['miner.system.reboot'],
  isBusy: false,
  ...change,
});

function plan(minerIds: string[], candidates: TaskCandidate[]) {
  let made = 0;
  return planBatches('miner.system.reboot', minerIds, candidates, () => `id ${++made}`);
}

test('every selected miner is either in one batch or skipped once', () => {
  const { batches, skipped } = plan(
    ['1', '2', '3', '1', '9'],
    [candidate('1'), candidate('2', { agentId: 'other' }), candidate('3', { isBusy: true })],
  );
  expect(batches.map(({ agentId, tasks }) => [agentId, tasks.map(({ minerKey }) => minerKey)])).toEqual([
    ['agent', ['key 1']],
    ['other', ['key 2']],
  ]);
  expect(skipped.map(({ reason, ids }) => [reason, ids])).toEqual([
    ['no_change', ['3']],
    ['not_found', ['9']],
  ]);
  const ids = batches.flatMap((batch) => [batch.id, ...batch.tasks.map(({ id }) => id)]);
  expect(new Set(ids).size).toBe(4);
});

test.each([
  [{ opsStatus: 'retired', agentId: null, abilities: [], isBusy: true }, 'ops_status'],
  [{ agentId: null, abilities: [], isBusy: true }, 'no_agent'],
  [{ agentKey: null }, 'no_agent'],
  [{ abilities: ['miner.light.update'], isBusy: true }, 'unsupported'],
  [{ isBusy: true }, 'no_change'],
])('%j is skipped for %s', (change, reason) => {
  expect(plan(['1'], [candidate('1', change)]).skipped).toMatchObject([{ reason, ids: ['1'] }]);
});

test.each(['maintenance', 'off_rack', 'transit'])('ops status %s does not stand in the way', (opsStatus) => {
  expect(plan(['1'], [candidate('1', { opsStatus })]).batches).toHaveLength(1);
});
