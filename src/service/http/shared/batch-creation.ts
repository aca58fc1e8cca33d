// What the routes that create task batches share: the actor, the idempotency key, and the answer.
import type { FastifyReply, FastifyRequest } from 'fastify';
import { permissionOf } from '../../../model/permissions/permissions.ts';
import { shownParams } from '../../../model/task.ts';
import { SAVED_POOLS_PERMISSION } from '../../../model/tasks/task-kinds.data.ts';
import { type Caller, requirePermission } from '../../auth/authorise.ts';
import type { BatchCreation, Made } from '../../tasks/creation.ts';
import { accessOf, farmOf } from '../guard.ts';
import type { RouteParts } from '../server.ts';
import { idempotencyOf } from '../transfer/idempotency.ts';
import { good, toIso } from './envelope.ts';

/**
 * How a version of the interface shows what was created. `fields` = task name and params, creator, time: the same in
 * both.
 */
type Words = {
  toBatch(batch: Made['batches'][number], fields: object): unknown;
  toSkipped(skip: Made['skipped'][number]): unknown;
  /** What else the `meta` of a dry run has. */
  toDryRun?(dryRun: NonNullable<Made['dryRun']>): object;
};

/**
 * Creates the batches for the farm of this request and sends the answer, that of the first time for a repeated
 * idempotency key.
 */
export async function sendCreated(
  request: FastifyRequest,
  reply: FastifyReply,
  createBatches: RouteParts['createBatches'],
  creation: Omit<BatchCreation, 'workspaceId' | 'farmId' | 'actor' | 'mostOpen' | 'idempotency' | 'toAnswer'>,
  { toBatch, toSkipped, toDryRun }: Words,
): Promise<FastifyReply> {
  const access = accessOf(request);
  const isSaved = creation.sentParams?.pool_set !== undefined;
  requirePermission(access, isSaved ? SAVED_POOLS_PERMISSION : permissionOf(creation.name));
  const { caller } = access;
  const { id: farmId, workspaceId } = farmOf(request);
  const { actor } = caller;
  const text = await createBatches({
    ...creation,
    workspaceId,
    farmId,
    actor,
    mostOpen: mostOpenOf(caller, creation.name),
    idempotency: idempotencyOf(caller, request.headers['idempotency-key']),
    toAnswer({ batches, skipped, poolsPreview, needsSecondPerson, createdAtMs, dryRun }) {
      const fields = {
        task_name: creation.name,
        task_params: shownParams(creation.params),
        created_by: actor,
        created_at: toIso(createdAtMs),
      };
      const summary = {
        created_count: batches.reduce((sum, { taskCount }) => sum + taskCount, 0),
        skipped_count: skipped.reduce((sum, { ids }) => sum + ids.length, 0),
      };
      const preview = poolsPreview === undefined ? {} : { pools_preview: poolsPreview };
      const held = needsSecondPerson === true && creation.wording === 'v2' ? { needs_second_person: true } : {};
      const meta = { summary, skipped: skipped.map(toSkipped), ...preview, ...held };
      // A dry run has created none.
      if (dryRun !== undefined) return { ...good([]), meta: { ...meta, ...toDryRun?.(dryRun) } };
      return { ...good(batches.map((batch) => toBatch(batch, fields))), meta };
    },
  });
  return reply.type('application/json; charset=utf-8').send(text);
}

/** One technician shall not be able to put a farm out of work. */
const MOST_REBOOTS = 20;

const mostOpenOf = ({ person }: Caller, task: BatchCreation['name']) =>
  person?.role === 'technician' && task === 'miner.system.reboot' ? MOST_REBOOTS : undefined;
