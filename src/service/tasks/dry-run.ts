// Who would get a task, which agents would refuse it to whom, and what it would come to at each agent. It creates
// nothing.
import type { Clock } from '../../base/clock.ts';
import { SKIP_REASONS } from '../../base/error-codes.data.ts';
import { plainText } from '../../model/plain-text.ts';
import type { OutlookAnswer } from '../../wire/outlook.ts';
import type { BatchStore, NewBatch, TaskCandidate } from '../store/store.ts';
import type { AgentOutlook, BatchCreation, CreationPlan, Target } from './creation.ts';
import type { Outlooks } from './outlooks.ts';
import type { Plan } from './plan.ts';

type Wanted = Pick<BatchCreation, 'farmId' | 'name' | 'ids' | 'params' | 'toAnswer'>;
type Parts = {
  readonly batches: Pick<BatchStore, 'candidates'>;
  readonly askOutlook: Outlooks['ask'];
  readonly clock: Pick<Clock, 'nowMs'>;
};

/** The JSON text of the answer. Throws what `plan` throws. */
export async function dryRun(
  { farmId, name, ids, params, toAnswer }: Wanted,
  { batches: store, askOutlook, clock }: Parts,
  plan: (candidates: readonly TaskCandidate[]) => CreationPlan,
): Promise<string> {
  const candidates = await store.candidates({ farmId, name, ids: [...new Set(ids)] });
  const { batches, skipped, ...rest } = plan(candidates);
  const asked = await Promise.all(
    batches.map(async ({ agentId, tasks, rollout }) => {
      const minerKeys = tasks.map(({ minerKey }) => minerKey);
      return askOutlook(agentId, { name, params, miner_keys: minerKeys, canary: rollout?.canary });
    }),
  );
  const judged = batches.map((batch, index) => judge(batch, asked[index], candidates));
  const refused = [...skipped, ...judged.flatMap(({ refused }) => refused)];
  return JSON.stringify(
    toAnswer({
      ...rest,
      batches: judged.map(({ id, taskCount }) => ({ id, taskCount })),
      skipped: refused,
      createdAtMs: clock.nowMs(),
      dryRun: { targets: targetsOf(ids, candidates, refused), outlooks: judged },
    }),
  );
}

/** What the agent says of the tasks of one batch. */
function judge(
  { id, agentId, tasks }: NewBatch,
  answer: OutlookAnswer | undefined,
  candidates: readonly TaskCandidate[],
): AgentOutlook & { readonly id: string; readonly refused: Plan['skipped'] } {
  if (answer === undefined) return { id, agentId, taskCount: tasks.length, outlook: undefined, refused: [] };
  const { type: _, question_id: __, left_out: leftOut, ...outlook } = answer;
  const idOfRow = new Map(candidates.map((candidate) => [candidate.rowId, candidate.id]));
  // One that the agent names twice, or was not asked about, does not count.
  const left = new Map(tasks.map(({ minerKey, rowId }) => [minerKey, idOfRow.get(rowId)]));
  const refused = leftOut.flatMap(({ reason, miner_keys: keys }): Plan['skipped'] => {
    const ids = keys.flatMap((key) => left.get(key) ?? []);
    for (const key of keys) left.delete(key);
    return ids.length === 0
      ? []
      : [{ reason: 'refused_by_agent', message: plainText(reason) ?? SKIP_REASONS.refused_by_agent.text, ids }];
  });
  return { id, agentId, taskCount: left.size, outlook, refused };
}

function targetsOf(
  ids: readonly string[],
  candidates: readonly TaskCandidate[],
  skipped: Plan['skipped'],
): readonly Target[] {
  const ips = new Map(candidates.map(({ id, ip }) => [id, ip]));
  const reasons = new Map(skipped.flatMap(({ reason, ids: ofReason }) => ofReason.map((id) => [id, reason])));
  return [...new Set(ids)].map((id) => ({ id, ip: ips.get(id) ?? null, reason: reasons.get(id) ?? null }));
}
