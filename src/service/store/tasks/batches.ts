// Task batches: creates them with their tasks in one transaction, once per idempotency key, and lists them. Sending
// tasks is tasks.ts.
import type { ExpressionBuilder } from 'kysely';
import { RefusedError } from '../../../base/errors.ts';
import {
  type Actor,
  actorSchema,
  type BatchStatus,
  batchStatusSchema,
  type TaskName,
  type TaskStatus,
  taskNameSchema,
} from '../../../model/task.ts';
import type { TaskCommand } from '../../../wire/frames.ts';
import { batchesCreated } from '../audit/task-acts.ts';
import type { Audited } from '../databases.ts';
import type { Encryption } from '../encryption.ts';
import { countAll, type Window } from '../rows.ts';
import type { Db, Row, Tables } from '../schema.ts';
import { conditions, type TimeFilter, type ValueFilter } from '../value-filter.ts';
import { insertBatch } from './batch-write.ts';
import { findCandidates, type TaskCandidate, type Wanted } from './candidates.ts';

/** `params` = what its agent gets beside those of the batch: never a secret. */
export type NewTask = {
  readonly id: string;
  readonly rowId: number;
  readonly minerKey: string;
  readonly params?: Readonly<Record<string, unknown>>;
};

export type NewBatch = {
  readonly id: string;
  readonly agentId: string;
  readonly tasks: readonly NewTask[];
  readonly rollout?: TaskCommand['rollout'];
};

export type BatchRequest = Wanted & {
  readonly workspaceId: string;
  readonly params: Readonly<Record<string, unknown>>;
  readonly actor: Actor;
  readonly nowMs: number;
  readonly expiresAtMs: number;
  /** So many tasks of this name the actor may have that are not over, with these. */
  readonly mostOpen?: number | undefined;
  /** They wait until another person has confirmed them. */
  readonly isHeld?: boolean;
  /** Keys older than `since` count as unknown. */
  readonly idempotency?:
    | { readonly callerId: string; readonly key: string; readonly body: string; readonly sinceMs: number }
    | undefined;
};

/** `response` is the text that was answered, now or the first time. */
type BatchOutcome =
  | { readonly kind: 'created'; readonly response: string; readonly agentIds: readonly string[] }
  | { readonly kind: 'replayed'; readonly response: string }
  /** `before` = the farm that the key was used with, a blank, and the digest of the body. */
  | { readonly kind: 'conflict'; readonly before: string };

export type BatchFilter = {
  readonly name?: ValueFilter<TaskName> | undefined;
  readonly status?: ValueFilter<BatchStatus> | undefined;
  readonly actorType?: ValueFilter<Actor['type']> | undefined;
  readonly createdAt?: TimeFilter | undefined;
};

export type Batch = Readonly<ReturnType<typeof toBatch>>;

type Plan = { readonly batches: readonly NewBatch[]; readonly response: string };
export type BatchStore = ReturnType<typeof createBatchStore>;

export function createBatchStore({ read, transact, lock, audit }: Audited, encryption: Encryption) {
  return {
    candidates: (wanted: Wanted): Promise<readonly TaskCandidate[]> => findCandidates(read, wanted),
    /**
     * `plan` gets the miners or agents that were found, decides, and makes the answer; all of it in one transaction.
     */
    create: (request: BatchRequest, plan: (candidates: readonly TaskCandidate[]) => Plan): Promise<BatchOutcome> =>
      transact(async (trx) => {
        const { farmId, idempotency } = request;
        // No other transaction decides meanwhile which miners of the farm are busy, or answers the same request.
        await lock(trx, `tasks ${farmId}`);
        if (idempotency !== undefined) await lock(trx, `request ${idempotency.callerId} ${idempotency.key}`);
        const before = await findAnswered(trx, request, encryption);
        if (before !== undefined) return before;
        const { batches, response } = plan(await findCandidates(trx, request));
        if (request.mostOpen !== undefined) {
          // Its requests for other farms count as well.
          await lock(trx, `request of ${request.actor.id}`);
          await requireFewOpen(trx, request, request.mostOpen, batches);
        }
        const params = encryption.encryptParams(request.params);
        for (const { rollout, ...batch } of batches)
          await insertBatch(trx, request, {
            ...batch,
            status: 'pending',
            params,
            metadata: {
              ...(rollout !== undefined && { rollout }),
              ...(request.isHeld === true && { needs_second_person: true }),
            },
            expiresAtMs: request.expiresAtMs,
          });
        await keepAnswer(trx, request, encryption, response);
        await audit(trx, batchesCreated(request, batches));
        return { kind: 'created', response, agentIds: batches.map(({ agentId }) => agentId) };
      }),
    /** Newest first. */
    async list({ farmId, filter, window }: { farmId: string; filter: BatchFilter; window: Window }) {
      const where = (eb: ExpressionBuilder<Tables, 'task_batches'>) =>
        eb.and([
          eb('farm_id', '=', farmId),
          ...conditions(eb, 'name', filter.name),
          ...conditions(eb, 'status', filter.status),
          ...conditions(eb, 'actor_type', filter.actorType),
          ...conditions(eb, 'created_at', filter.createdAt),
        ]);
      const rows = await read
        .selectFrom('task_batches')
        .selectAll()
        .where(where)
        .orderBy('created_at', 'desc')
        .orderBy('id', 'desc')
        .limit(window.limit)
        .offset(window.offset)
        .execute();
      return {
        batches: rows.map((row) => toBatch(row, encryption)),
        total: await countAll(read.selectFrom('task_batches').where(where), rows.length, window),
      };
    },
  };
}

/** Throws RefusedError `people.reboots`. */
async function requireFewOpen(db: Db, { actor, name }: BatchRequest, most: number, batches: readonly NewBatch[]) {
  const created = batches.reduce((sum, { tasks }) => sum + tasks.length, 0);
  const { open } = await db
    .selectFrom('tasks')
    .innerJoin('task_batches', 'task_batches.id', 'tasks.batch_id')
    .select((eb) => eb.fn.countAll<number>().as('open'))
    .where('tasks.status', 'in', OPEN)
    .where('tasks.name', '=', name)
    .where('task_batches.actor', '=', JSON.stringify(actor))
    .executeTakeFirstOrThrow();
  if (created === 0 || Number(open) + created <= most) return;
  throw new RefusedError(
    'people.reboots',
    `Reboot ${created} miners: a technician may have ${most} open reboots, and ${actor.name} has ${open}; wait until some are over, choose fewer, or ask an operator`,
  );
}
const OPEN: readonly TaskStatus[] = ['pending', 'running'];

async function findAnswered(
  db: Db,
  { farmId, idempotency }: BatchRequest,
  encryption: Encryption,
): Promise<BatchOutcome | undefined> {
  if (idempotency === undefined) return undefined;
  const row = await db
    .selectFrom('idempotency_keys')
    .select(['body_hash', 'response', 'created_at'])
    .where('api_key_id', '=', idempotency.callerId)
    .where('key', '=', idempotency.key)
    .where('created_at', '>', idempotency.sinceMs)
    .executeTakeFirst();
  if (row === undefined) return undefined;
  return row.body_hash === bodyHashOf(farmId, idempotency.body, encryption)
    ? { kind: 'replayed', response: row.response }
    : { kind: 'conflict', before: row.body_hash };
}

const bodyHashOf = (farmId: string, body: string, encryption: Encryption) => `${farmId} ${encryption.digest(body)}`;

async function keepAnswer(
  db: Db,
  { farmId, idempotency, nowMs }: BatchRequest,
  encryption: Encryption,
  response: string,
): Promise<void> {
  if (idempotency === undefined) return;
  const { callerId, key, body } = idempotency;
  const bodyHash = bodyHashOf(farmId, body, encryption);
  await db
    .insertInto('idempotency_keys')
    .values({ api_key_id: callerId, key, body_hash: bodyHash, response, created_at: nowMs })
    .onConflict((conflict) =>
      conflict.columns(['api_key_id', 'key']).doUpdateSet({ body_hash: bodyHash, response, created_at: nowMs }),
    )
    .execute();
}

export function toBatch(row: Row<'task_batches'>, encryption: Encryption) {
  const metadata: Record<string, unknown> = JSON.parse(row.metadata);
  return {
    id: row.id,
    name: taskNameSchema.parse(row.name),
    status: batchStatusSchema.parse(row.status),
    taskCount: row.task_count,
    succeedCount: row.succeed_count,
    failedCount: row.failed_count,
    params: encryption.decryptParams(row.params) ?? {},
    actor: actorSchema.parse(JSON.parse(row.actor)),
    createdAtMs: row.created_at,
    metadata,
  };
}
