// Task batches: making them with their tasks in one transaction (once per idempotency key), and listing them. Handing tasks out is tasks.ts.
import type { ExpressionBuilder } from 'kysely';
import {
  type Actor,
  actorSchema,
  type BatchStatus,
  batchStatusSchema,
  type TaskName,
  taskNameSchema,
} from '../../model/task.ts';
import type { TaskOrder } from '../../wire/frames.ts';
import { findAgentCandidates } from './agent-candidates.ts';
import type { Lock, Transact } from './databases.ts';
import { chunks } from './miner-write.ts';
import { totalFromPage, type Window } from './miners.ts';
import type { Db, Row, Tables } from './schema.ts';
import type { Sealing } from './sealing.ts';
import { textList } from './tenants.ts';
import { type TimeFilter, timeConditions, type ValueFilter, valueConditions } from './value-filter.ts';

/** A miner that a task is wanted for, or an agent, with what decides whether it gets one. */
export type TaskCandidate = {
  /** 0 = no miner: rows count from 1. */
  readonly rowId: number;
  readonly id: string;
  readonly agentId: string | null;
  readonly agentKey: string | null;
  readonly opsStatus: string | null;
  /** Names of the tasks that its driver can do. */
  readonly abilities: readonly string[];
  /** The same task is pending or running on it. */
  readonly isBusy: boolean;
};

export type NewBatch = {
  readonly id: string;
  readonly agentId: string;
  readonly tasks: readonly { readonly id: string; readonly rowId: number; readonly minerKey: string }[];
  readonly rollout?: TaskOrder['rollout'];
};

export type BatchRequest = {
  readonly workspaceId: string;
  readonly farmId: string;
  /** Whether `ids` are of miners or of agents. */
  readonly targets: 'miners' | 'agents';
  readonly ids: readonly string[];
  readonly name: TaskName;
  readonly params: Readonly<Record<string, unknown>>;
  readonly actor: Actor;
  readonly nowMs: number;
  readonly expiresAtMs: number;
  /** Keys older than `since` count as unknown. */
  readonly idempotency?:
    | { readonly apiKeyId: string; readonly key: string; readonly bodyHash: string; readonly sinceMs: number }
    | undefined;
};

/** `response` is the text that was answered, now or the first time. */
export type BatchOutcome =
  | { readonly kind: 'created'; readonly response: string; readonly agentIds: readonly string[] }
  | { readonly kind: 'replayed'; readonly response: string }
  | { readonly kind: 'conflict' };

export type BatchFilter = {
  readonly name?: ValueFilter<TaskName> | undefined;
  readonly status?: ValueFilter<BatchStatus> | undefined;
  readonly actorType?: ValueFilter<Actor['type']> | undefined;
  readonly createdAt?: TimeFilter | undefined;
};

export type Batch = {
  readonly id: string;
  readonly name: TaskName;
  readonly status: BatchStatus;
  readonly taskCount: number;
  readonly succeedCount: number;
  readonly failedCount: number;
  readonly params: Record<string, unknown>;
  readonly actor: Actor;
  readonly createdAtMs: number;
  readonly metadata: Record<string, unknown>;
};

export type BatchStore = {
  /** `plan` sees the miners or agents that were found, decides, and words the answer; all of it in one transaction. */
  create(
    request: BatchRequest,
    plan: (candidates: readonly TaskCandidate[]) => {
      readonly batches: readonly NewBatch[];
      readonly response: string;
    },
  ): Promise<BatchOutcome>;
  /** Newest first. */
  list(query: {
    farmId: string;
    filter: BatchFilter;
    window: Window;
  }): Promise<{ batches: readonly Batch[]; total: number }>;
};

export function createBatchStore(read: Db, transact: Transact, lock: Lock, sealing: Sealing): BatchStore {
  return {
    create: (request, plan) =>
      transact(async (trx) => {
        const { farmId, idempotency } = request;
        // Nobody else decides meanwhile which miners of the farm are busy, nor answers the same request.
        await lock(trx, `tasks ${farmId}`);
        if (idempotency !== undefined) await lock(trx, `request ${idempotency.apiKeyId} ${idempotency.key}`);
        const before = await findAnswered(trx, request);
        if (before !== undefined) return before;
        const { batches, response } = plan(
          request.targets === 'agents' ? await findAgentCandidates(trx, request) : await findCandidates(trx, request),
        );
        for (const batch of batches) await insertBatch(trx, request, batch, sealing);
        await keepAnswer(trx, request, response);
        return { kind: 'created', response, agentIds: batches.map(({ agentId }) => agentId) };
      }),
    async list({ farmId, filter, window }) {
      const where = (eb: ExpressionBuilder<Tables, 'task_batches'>) =>
        eb.and([
          eb('farm_id', '=', farmId),
          ...(filter.name ? valueConditions(eb, 'name', filter.name) : []),
          ...(filter.status ? valueConditions(eb, 'status', filter.status) : []),
          ...(filter.actorType ? valueConditions(eb, 'actor_type', filter.actorType) : []),
          ...(filter.createdAt ? timeConditions(eb, 'created_at', filter.createdAt) : []),
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
        batches: rows.map((row) => toBatch(row, sealing)),
        total: totalFromPage(rows.length, window) ?? (await count()),
      };

      async function count(): Promise<number> {
        const found = await read
          .selectFrom('task_batches')
          .select((eb) => eb.fn.countAll<number>().as('count'))
          .where(where)
          .executeTakeFirstOrThrow();
        return Number(found.count);
      }
    },
  };
}

async function findAnswered(db: Db, { idempotency }: BatchRequest): Promise<BatchOutcome | undefined> {
  if (idempotency === undefined) return undefined;
  const row = await db
    .selectFrom('idempotency_keys')
    .select(['body_hash', 'response', 'created_at'])
    .where('api_key_id', '=', idempotency.apiKeyId)
    .where('key', '=', idempotency.key)
    .where('created_at', '>', idempotency.sinceMs)
    .executeTakeFirst();
  if (row === undefined) return undefined;
  return row.body_hash === idempotency.bodyHash ? { kind: 'replayed', response: row.response } : { kind: 'conflict' };
}

async function keepAnswer(db: Db, { idempotency, nowMs }: BatchRequest, response: string): Promise<void> {
  if (idempotency === undefined) return;
  const { apiKeyId, key, bodyHash } = idempotency;
  await db
    .insertInto('idempotency_keys')
    .values({ api_key_id: apiKeyId, key, body_hash: bodyHash, response, created_at: nowMs })
    .onConflict((conflict) =>
      conflict.columns(['api_key_id', 'key']).doUpdateSet({ body_hash: bodyHash, response, created_at: nowMs }),
    )
    .execute();
}

async function findCandidates(db: Db, { farmId, ids, name }: BatchRequest): Promise<TaskCandidate[]> {
  const rows = await db
    .selectFrom('miners')
    .leftJoin('miner_documents', 'miner_documents.row_id', 'miners.row_id')
    // One that was revoked takes no tasks any more.
    .leftJoin('agents', (join) => join.onRef('agents.id', '=', 'agent_id').on('revoked_at', 'is', null))
    .select(['miners.row_id', 'miners.id', 'agents.id as agent_id', 'agent_key', 'ops_status', 'abilities'])
    .where('miners.farm_id', '=', farmId)
    .where('miners.id', 'in', ids)
    .execute();
  if (rows.length === 0) return [];
  const busy = await db
    .selectFrom('tasks')
    .select('row_id')
    .where(
      'row_id',
      'in',
      rows.map(({ row_id }) => row_id),
    )
    .where('name', '=', name)
    .where('status', 'in', ['pending', 'running'])
    .execute();
  const busyRows = new Set(busy.map(({ row_id }) => row_id));
  return rows.map((row) => ({
    rowId: row.row_id,
    id: row.id,
    agentId: row.agent_id,
    agentKey: row.agent_key,
    opsStatus: row.ops_status,
    abilities: row.abilities === null ? [] : textList(row.abilities),
    isBusy: busyRows.has(row.row_id),
  }));
}

async function insertBatch(db: Db, request: BatchRequest, batch: NewBatch, sealing: Sealing): Promise<void> {
  const { nowMs, name } = request;
  await db
    .insertInto('task_batches')
    .values({
      id: batch.id,
      workspace_id: request.workspaceId,
      farm_id: request.farmId,
      agent_id: batch.agentId,
      name,
      params: sealing.sealParams(request.params),
      actor_type: request.actor.type,
      actor: JSON.stringify(request.actor),
      metadata: JSON.stringify(batch.rollout === undefined ? {} : { rollout: batch.rollout }),
      status: 'pending',
      task_count: batch.tasks.length,
      succeed_count: 0,
      failed_count: 0,
      created_at: nowMs,
    })
    .execute();
  const rows = batch.tasks.map(({ id, rowId, minerKey }) => ({
    id,
    batch_id: batch.id,
    agent_id: batch.agentId,
    row_id: rowId,
    miner_key: minerKey,
    name,
    status: 'pending',
    created_at: nowMs,
    expires_at: request.expiresAtMs,
    sent_at: null,
    received_at: null,
    cancel_at: null,
    updated_at: nowMs,
    is_presumed: 0,
    message: null,
    evidence: '{}',
  }));
  for (const part of chunks(rows)) await db.insertInto('tasks').values(part).execute();
}

export function toBatch(row: Row<'task_batches'>, sealing: Sealing): Batch {
  return {
    id: row.id,
    name: taskNameSchema.parse(row.name),
    status: batchStatusSchema.parse(row.status),
    taskCount: row.task_count,
    succeedCount: row.succeed_count,
    failedCount: row.failed_count,
    params: sealing.openParams(row.params) ?? {},
    actor: actorSchema.parse(JSON.parse(row.actor)),
    createdAtMs: row.created_at,
    metadata: JSON.parse(row.metadata),
  };
}
