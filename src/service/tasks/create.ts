// Creating task batches for a client: once per idempotency key, one batch per agent, and the answer in the interface's
// words.
import type { Clock } from '../../base/clock.ts';
import { REFUSALS } from '../../base/error-codes.data.ts';
import { RefusedError } from '../../base/errors.ts';
import { withForcedCanary } from '../../model/task.ts';
import { type SecondPersonAct, TASK_KINDS } from '../../model/tasks/task-kinds.data.ts';
import { MAX_PARAMS_LENGTH } from '../../wire/protocol.ts';
import { type BatchStore, IDEMPOTENCY_MS } from '../store/store.ts';
import { type BatchCreation, type Made, planCreation } from './creation.ts';
import { dryRun } from './dry-run.ts';
import type { Outlooks } from './outlooks.ts';

/** A task that no agent took by then is given up. Spec decisions, "Tasks". */
const TASK_TTL_MS = 15 * 60_000;
/** Of tasks that wait for one another, or for a person. */
const ROLLOUT_TTL_MS = 4 * 3_600_000;

type CreationParts = {
  readonly batches: Pick<BatchStore, 'create' | 'candidates'>;
  readonly askOutlook: Outlooks['ask'];
  readonly clock: Pick<Clock, 'nowMs'>;
  readonly newId: (nowMs: number) => string;
  /** What waits until another person has confirmed it. */
  readonly secondPerson: readonly SecondPersonAct[] | undefined;
  /** Called for every agent that has new tasks, after they are stored. */
  readonly deliver: (agentId: string) => Promise<void>;
};

/**
 * The JSON text of the answer. Throws RefusedError `request.invalid` when no agent would take the params or a miner
 * lacks what its pools need, `request.conflict` when the idempotency key was used with another body, or another number
 * of miners is meant than was expected.
 */
export async function createBatches(creation: BatchCreation, parts: CreationParts): Promise<string> {
  const nowMs = parts.clock.nowMs();
  const newId = () => parts.newId(nowMs);
  mustBeShort(creation.params);
  const { workspaceId, farmId, actor, name, ids, params, rollout, mostOpen, idempotency } = creation;
  const isHeld = parts.secondPerson?.some((act) => act === TASK_KINDS[name].allow) ?? false;
  const toAnswer = (made: Made) => creation.toAnswer({ ...made, needsSecondPerson: isHeld });
  if (creation.isDryRun === true)
    return dryRun({ ...creation, toAnswer }, parts, (candidates) => planCreation(creation, candidates, newId));
  const ownMs = creation.expiresInS && creation.expiresInS * 1_000;
  const usualMs = isHeld || withForcedCanary(name, rollout) !== undefined ? ROLLOUT_TTL_MS : TASK_TTL_MS;
  const outcome = await parts.batches.create(
    {
      ...{ workspaceId, farmId, actor, name, params, mostOpen, isHeld, nowMs },
      ids: [...new Set(ids)],
      expiresAtMs: nowMs + (ownMs ?? usualMs),
      idempotency: idempotency && { ...idempotency, body: sentBody(creation), sinceMs: nowMs - IDEMPOTENCY_MS },
    },
    (candidates) => {
      const { batches, ...rest } = planCreation(creation, candidates, newId);
      const made = batches.map(({ id, tasks }) => ({ id, taskCount: tasks.length }));
      return { batches, response: JSON.stringify(toAnswer({ batches: made, ...rest, createdAtMs: nowMs })) };
    },
  );
  if (outcome.kind === 'conflict')
    throw outcome.before.startsWith(`${farmId} `)
      ? new RefusedError('request.conflict')
      : new RefusedError('request.conflict', 'This Idempotency-Key was already used for another farm');
  if (outcome.kind === 'created') for (const agentId of outcome.agentIds) await parts.deliver(agentId);
  return outcome.response;
}

/** Throws RefusedError `request.invalid`. */
function mustBeShort(params: BatchCreation['params']): void {
  const { length } = JSON.stringify(params);
  if (length > MAX_PARAMS_LENGTH)
    throw new RefusedError(
      'request.invalid',
      `${REFUSALS['request.invalid'].text}: body.params: received ${length} characters of JSON, accepted: at most ${MAX_PARAMS_LENGTH}`,
    );
}

/** What the client has sent, but for the farm: that is kept readable, so that a conflict can say what differs. */
function sentBody({ name, ids, filter, params, sentParams, rollout, ...rest }: BatchCreation): string {
  const { expectCount, expiresInS, wording } = rest;
  return canonical({
    ...{ name, ids: filter ?? ids, params: sentParams ?? params, rollout, expectCount, expiresInS, wording },
  });
}

/** JSON text that does not depend on the order of keys. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_key, part: unknown) =>
    typeof part === 'object' && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  );
}
