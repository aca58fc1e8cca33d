// Creating task batches for a client: once per idempotency key, one batch per agent, and the answer in the interface's words.
import { hash } from 'node:crypto';
import type { Clock } from '../../base/clock.ts';
import { RefusedError } from '../../base/errors.ts';
import type { Actor, TaskName } from '../../model/task.ts';
import { type BatchStore, IDEMPOTENCY_MS } from '../store/store.ts';
import { type Plan, planBatches } from './plan.ts';

/** A task that no agent took by then is given up. Spec decisions, "Tasks". */
const TASK_TTL_MS = 15 * 60_000;

export type BatchOrder = {
  readonly workspaceId: string;
  readonly farmId: string;
  readonly name: TaskName;
  readonly minerIds: readonly string[];
  readonly params: Readonly<Record<string, unknown>>;
  readonly actor: Actor;
  /** Key of the request, if it has one; it counts per API key. */
  readonly idempotency: { readonly apiKeyId: string; readonly key: string } | undefined;
};

/** The JSON text of the answer. Throws RefusedError `request.conflict` when the idempotency key was used with another body. */
export async function createBatches(
  order: BatchOrder,
  parts: {
    readonly batches: Pick<BatchStore, 'create'>;
    readonly clock: Clock;
    readonly newId: (nowMs: number) => string;
    /** Called for every agent that has new tasks, after they are stored. */
    readonly deliver: (agentId: string) => Promise<void>;
  },
): Promise<string> {
  const nowMs = parts.clock.nowMs();
  const { workspaceId, farmId, name, minerIds, params, actor, idempotency } = order;
  const bodyHash = hash('sha256', canonical({ farmId, name, minerIds, params }));
  const outcome = await parts.batches.create(
    {
      workspaceId,
      farmId,
      name,
      minerIds: [...new Set(minerIds)],
      params,
      actor,
      nowMs,
      expiresAtMs: nowMs + TASK_TTL_MS,
      idempotency: idempotency && { ...idempotency, bodyHash, sinceMs: nowMs - IDEMPOTENCY_MS },
    },
    (candidates) => {
      const plan = planBatches(name, minerIds, candidates, () => parts.newId(nowMs));
      return { batches: plan.batches, response: JSON.stringify(answer(order, plan, nowMs)) };
    },
  );
  if (outcome.kind === 'conflict')
    throw new RefusedError('request.conflict', 'This Idempotency-Key was already used with another request body');
  if (outcome.kind === 'created') for (const agentId of outcome.agentIds) await parts.deliver(agentId);
  return outcome.response;
}

function answer({ name, params, actor }: BatchOrder, { batches, skipped }: Plan, nowMs: number) {
  const count = (lists: readonly (readonly unknown[])[]) => lists.reduce((sum, list) => sum + list.length, 0);
  return {
    success: true,
    data: batches.map(({ id, tasks }) => ({
      batch_id: id,
      task_name: name,
      task_count: tasks.length,
      task_params: params,
      created_by: actor,
      created_at: new Date(nowMs).toISOString(),
    })),
    error: null,
    meta: {
      summary: {
        created_count: count(batches.map(({ tasks }) => tasks)),
        skipped_count: count(skipped.map(({ miner_ids }) => miner_ids)),
      },
      skipped,
    },
  };
}

/** JSON text that does not depend on the order of keys. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_key, part: unknown) =>
    typeof part === 'object' && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  );
}
