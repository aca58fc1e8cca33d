// Changes of locations as they are recorded, newest first, and how one is undone: the miners go back to where they
// were, all of them or none. What has been changed once more since is left alone.
import { z } from 'zod';
import type { Location } from '../../../model/locations/location.ts';
import { type Actor, actorSchema } from '../../../model/task.ts';
import type { Audited } from '../databases.ts';
import { applyEdits, type EditOutcome, LOCATION_CHANGE } from '../miners/operator-fields.ts';
import { chunks } from '../rows.ts';
import type { Db } from '../schema.ts';
import { addToMetadata } from '../tasks/task-outcomes.ts';

/** Times in ms. */
export type LocationChange = {
  readonly id: string;
  readonly atMs: number;
  readonly actor: Actor;
  readonly minerCount: number;
  readonly undoes: string | null;
  readonly undoneBy: string | null;
};

/** A miner that is not where the change has put it. `by` = who changed it since, as far as it is recorded. */
export type ChangedSince = { readonly ipNum: number; readonly now: Location; readonly by: string | null };

export type UndoOutcome =
  | EditOutcome
  | { readonly kind: 'unknown' }
  | { readonly kind: 'undone'; readonly by: string }
  | { readonly kind: 'changed'; readonly miners: readonly ChangedSince[] };

type UndoRequest = {
  readonly workspaceId: string;
  readonly farmId: string;
  readonly id: string;
  readonly actor: Actor;
  readonly nowMs: number;
  readonly isDryRun: boolean;
};

const MAX_NAMED = 10;
const metadataSchema = z.object({
  undoes: z.string().optional(),
  undone: z.object({ by: z.object({ name: z.string() }), change_id: z.string() }).optional(),
});
const locationSchema = z.object({ rack: z.string().nullable(), position: z.int().nullable() });
const evidenceSchema = z.object({ before: locationSchema, after: locationSchema });

export type LocationChangeStore = ReturnType<typeof createLocationChangeStore>;

export function createLocationChangeStore(databases: Audited, newId: (nowMs: number) => string) {
  const { read, transact, lock } = databases;
  return {
    /** The newest ones. */
    list: (farmId: string, limit: number) => listChanges(read, farmId, limit),
    undo: (request: UndoRequest): Promise<UndoOutcome> =>
      transact(async (trx) => {
        const { farmId, id, actor, nowMs, isDryRun } = request;
        await lock(trx, `locations ${farmId}`);
        const batch = await findChange(trx, farmId, id);
        if (batch === undefined) return { kind: 'unknown' };
        const { undone } = metadataSchema.parse(JSON.parse(batch.metadata));
        if (undone !== undefined) return { kind: 'undone', by: undone.by.name };
        const moves = await readMoves(trx, id);
        const changed = moves.filter(({ now, after }) => !isSame(now, after));
        if (changed.length > 0) return { kind: 'changed', miners: await whoChanged(trx, id, changed) };
        const edits = moves.map(({ minerId, before }) => ({ id: minerId, ...before }));
        const { workspaceId } = request;
        const edit = { workspaceId, farmId, edits, actor, nowMs, isDryRun, metadata: { undoes: id } };
        const outcome = await applyEdits(trx, databases, edit, newId);
        // After the last locks, but short.
        if (outcome.kind === 'done' && outcome.changeId !== null) await markUndone(trx, id, actor, outcome.changeId);
        return outcome;
      }),
  };
}

const isSame = (a: Location, b: Location) => a.rack === b.rack && a.position === b.position;

const markUndone = (db: Db, id: string, { type, id: actorId, name }: Actor, changeId: string) =>
  addToMetadata(db, id, () => ({ undone: { by: { type, id: actorId, name }, change_id: changeId } }));

const findChange = (db: Db, farmId: string, id: string) =>
  db
    .selectFrom('task_batches')
    .select('metadata')
    .where('id', '=', id)
    .where('farm_id', '=', farmId)
    .where('name', '=', LOCATION_CHANGE)
    .executeTakeFirst();

async function listChanges(db: Db, farmId: string, limit: number): Promise<readonly LocationChange[]> {
  const rows = await db
    .selectFrom('task_batches')
    .select(['id', 'created_at', 'actor', 'task_count', 'metadata'])
    .where('farm_id', '=', farmId)
    .where('name', '=', LOCATION_CHANGE)
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(limit)
    .execute();
  return rows.map(({ id, created_at: atMs, actor, task_count: minerCount, metadata }) => {
    const { undoes = null, undone } = metadataSchema.parse(JSON.parse(metadata));
    const by = actorSchema.parse(JSON.parse(actor));
    return { id, atMs, actor: by, minerCount, undoes, undoneBy: undone?.change_id ?? null };
  });
}

type Move = {
  readonly minerId: string;
  readonly rowId: number;
  readonly ipNum: number;
  readonly before: Location;
  readonly after: Location;
  readonly now: Location;
};

/** Of every miner of the change that is still there. */
async function readMoves(db: Db, id: string): Promise<readonly Move[]> {
  const rows = await db
    .selectFrom('tasks')
    .innerJoin('miners', 'miners.row_id', 'tasks.row_id')
    .select(['tasks.evidence', 'miners.row_id', 'miners.id as miner_id', 'miners.ip_num', 'rack', 'position'])
    .where('batch_id', '=', id)
    .execute();
  return rows.map(({ evidence, row_id: rowId, miner_id: minerId, ip_num: ipNum, ...now }) => ({
    ...evidenceSchema.parse(JSON.parse(evidence)),
    ...{ rowId, minerId, ipNum, now },
  }));
}

/** The newest change of each of some miners says who it was. */
async function whoChanged(db: Db, id: string, moves: readonly Move[]): Promise<readonly ChangedSince[]> {
  const named = moves.slice(0, MAX_NAMED);
  const by = new Map<number, string>();
  for (const part of chunks(named.map(({ rowId }) => rowId)))
    for (const row of await db
      .selectFrom('tasks')
      .innerJoin('task_batches', 'task_batches.id', 'tasks.batch_id')
      .select(['tasks.row_id', 'actor'])
      .where('tasks.row_id', 'in', part)
      .where('tasks.name', '=', LOCATION_CHANGE)
      .where('batch_id', '!=', id)
      .orderBy('tasks.created_at')
      .orderBy('tasks.id')
      .execute())
      by.set(row.row_id, actorSchema.parse(JSON.parse(row.actor)).name);
  return named.map(({ ipNum, now, rowId }) => ({ ipNum, now, by: by.get(rowId) ?? null }));
}
