// Creating task batches for a client: once per idempotency key, one batch per agent, and the answer in the interface's
// words.
import type { Clock } from '../../base/clock.ts';
import { REFUSALS } from '../../base/error-codes.data.ts';
import { RefusedError } from '../../base/errors.ts';
import type { RequestedPools } from '../../model/pools/requested-pools.ts';
import type { PreviewedWorker } from '../../model/pools/resolve-pools.ts';
import { type RolloutRequest, withForcedCanary } from '../../model/task.ts';
import type { ExecutionTaskName } from '../../model/tasks/task-kinds.data.ts';
import { MAX_PARAMS_LENGTH } from '../../wire/protocol.ts';
import { type BatchRequest, type BatchStore, IDEMPOTENCY_MS, type TaskCandidate } from '../store/store.ts';
import { type Plan, planBatches } from './plan.ts';
import { planPools } from './plan-pools.ts';

/** A task that no agent took by then is given up. Spec decisions, "Tasks". */
const TASK_TTL_MS = 15 * 60_000;
/** Of tasks that wait for one another. */
const ROLLOUT_TTL_MS = 4 * 3_600_000;

/** What a client wants created: a request to the store, with what the answer and the end of the tasks need. */
export type BatchCreation = Pick<BatchRequest, 'workspaceId' | 'farmId' | 'ids' | 'params' | 'actor'> & {
  readonly name: ExecutionTaskName;
  readonly rollout?: RolloutRequest | undefined;
  /** Of an update of pools, as its params have them. */
  readonly pools?: RequestedPools | undefined;
  /** What the client sent, where the params say more; default: the params. */
  readonly sentParams?: BatchRequest['params'] | undefined;
  /** What the client has written in place of the ids: the same filter may mean others later. */
  readonly filter?: object | undefined;
  /** How many targets there must be. */
  readonly expectCount?: number | undefined;
  /** Says who would get the task, and creates nothing. */
  readonly isDryRun?: boolean | undefined;
  /** Not begun within this, seconds: given up. */
  readonly expiresInS?: number | undefined;
  /** Key of the request, if it has one; it counts per API key. */
  readonly idempotency: Pick<NonNullable<BatchRequest['idempotency']>, 'callerId' | 'key'> | undefined;
  /** Makes the answer, which becomes JSON. The same request in two wordings counts as two requests. */
  readonly wording: 'v1' | 'v2';
  readonly toAnswer: (made: Made) => unknown;
};

/** What was created and what was not. */
export type Made = {
  readonly batches: readonly { readonly id: string; readonly taskCount: number }[];
  readonly skipped: Plan['skipped'];
  /** Of an update of pools: workers that some of the miners get. */
  readonly poolsPreview?: readonly PreviewedWorker[];
  readonly createdAtMs: number;
  /** Of a dry run: each that is meant. */
  readonly targets: readonly Target[] | undefined;
};

/** Null `reason` = it gets the task. */
type Target = { readonly id: string; readonly ip: string | null; readonly reason: string | null };

/**
 * The JSON text of the answer. Throws RefusedError `request.invalid` when no agent would take the params or a miner
 * lacks what its pools need,
 * `request.conflict` when the idempotency key was used with another body.
 */
export async function createBatches(
  creation: BatchCreation,
  parts: {
    readonly batches: Pick<BatchStore, 'create'>;
    readonly clock: Clock;
    readonly newId: (nowMs: number) => string;
    /** Called for every agent that has new tasks, after they are stored. */
    readonly deliver: (agentId: string) => Promise<void>;
  },
): Promise<string> {
  const nowMs = parts.clock.nowMs();
  const {
    rollout: asked,
    filter,
    expectCount,
    pools,
    sentParams,
    expiresInS,
    idempotency,
    wording,
    toAnswer,
    isDryRun,
    ...request
  } = creation;
  const { farmId, name, ids, params } = request;
  const { length } = JSON.stringify(params);
  if (length > MAX_PARAMS_LENGTH)
    throw new RefusedError(
      'request.invalid',
      `${REFUSALS['request.invalid'].text}: body.params: received ${length} characters of JSON, accepted: at most ${MAX_PARAMS_LENGTH}`,
    );
  // The farm stays readable, so that a conflict can say what differs.
  const sent = {
    name,
    ids: filter ?? ids,
    params: sentParams ?? params,
    rollout: asked,
    expectCount,
    expiresInS,
    wording,
  };
  const rollout = withForcedCanary(name, asked);
  const usualMs = rollout === undefined ? TASK_TTL_MS : ROLLOUT_TTL_MS;
  const outcome = await parts.batches.create(
    {
      ...request,
      ids: [...new Set(ids)],
      nowMs,
      isDryRun: isDryRun === true,
      expiresAtMs: nowMs + (expiresInS === undefined ? usualMs : expiresInS * 1_000),
      idempotency: idempotency && { ...idempotency, body: canonical(sent), sinceMs: nowMs - IDEMPOTENCY_MS },
    },
    (candidates) => {
      mustBeAsMany(expectCount, new Set(ids).size);
      const plan = planBatches(name, ids, candidates, () => parts.newId(nowMs), rollout);
      const { batches, ...rest } = pools === undefined ? plan : planPools(plan, pools, candidates);
      const made = batches.map(({ id, tasks }) => ({ id, taskCount: tasks.length }));
      const targets = isDryRun === true ? targetsOf(ids, candidates, rest.skipped) : undefined;
      const answer = toAnswer({ batches: made, ...rest, createdAtMs: nowMs, targets });
      return { batches, response: JSON.stringify(answer) };
    },
  );
  if (outcome.kind === 'conflict')
    throw outcome.before.startsWith(`${farmId} `)
      ? new RefusedError('request.conflict')
      : new RefusedError('request.conflict', 'This Idempotency-Key was already used for another farm');
  if (outcome.kind === 'created') for (const agentId of outcome.agentIds) await parts.deliver(agentId);
  return outcome.response;
}

/** Throws RefusedError `request.conflict`. */
function mustBeAsMany(expected: number | undefined, found: number): void {
  if (expected === undefined || expected === found) return;
  throw new RefusedError(
    'request.conflict',
    `expect_count: received ${expected}, and ${found} are meant now; nothing was created`,
  );
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

/** JSON text that does not depend on the order of keys. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_key, part: unknown) =>
    typeof part === 'object' && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  );
}
