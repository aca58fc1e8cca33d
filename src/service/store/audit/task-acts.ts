// What the audit trail says of tasks and of operators' edits. Pure but for the names of batches; audit.ts writes it.
import { hash } from 'node:crypto';
import type { AuditActor } from '../../../model/audit/entry.ts';
import type { Actor } from '../../../model/task.ts';
import type { ServiceAct } from '../databases.ts';
import { chunks } from '../rows.ts';
import type { Db } from '../schema.ts';
import type { EndedTask } from '../tasks/task-outcomes.ts';

type Request = {
  readonly workspaceId: string;
  readonly farmId: string;
  readonly name: string;
  readonly params: Readonly<Record<string, unknown>>;
  readonly ids: readonly string[];
  readonly actor: Actor;
  readonly nowMs: number;
};
type Batch = { readonly id: string; readonly agentId: string; readonly tasks: readonly object[] };

/** One entry per batch; where there was nothing to do, one that says so. */
export function batchesCreated(request: Request, batches: readonly Batch[]): ServiceAct[] {
  const { workspaceId, farmId: farm, name, params, ids, actor, nowMs: atMs } = request;
  const act = { action: 'batch.created', actor, workspaceId, atMs } as const;
  const ordered = { task: name, selected: ids.length };
  if (batches.length === 0) return [{ ...act, subject: { farm }, detail: { ...ordered, tasks: 0, params } }];
  return batches.map(({ id, agentId, tasks }) => ({
    ...act,
    subject: { farm, batch: id, agent: agentId },
    detail: { ...ordered, tasks: tasks.length, params },
  }));
}

type Where = { readonly id: string; readonly farmId: string; readonly workspaceId: string };
type Done = { readonly actor: Actor; readonly tasks: number; readonly nowMs: number };

export const batchCancelled = (where: Where, { tasks, ...by }: Done): ServiceAct => ({
  ...{ action: 'batch.cancelled', detail: { open: tasks } },
  ...ofBatch(where, by),
});

export const batchConfirmed = (where: Where, { tasks, ...by }: Done): ServiceAct => ({
  ...{ action: 'batch.confirmed', detail: { tasks } },
  ...ofBatch(where, by),
});

const ofBatch = ({ id: batch, farmId: farm, workspaceId }: Where, { actor, nowMs: atMs }: Omit<Done, 'tasks'>) => ({
  ...{ actor, workspaceId, atMs },
  subject: { farm, batch },
});

/** Ids of tasks in one entry. */
const MOST_IDS = 40;

/** One entry for the tasks of a batch that came to the same end. */
export async function tasksEnded(
  db: Db,
  tasks: readonly EndedTask[],
  actor: AuditActor,
  atMs: number,
): Promise<ServiceAct[]> {
  const groups = new Map<string, EndedTask[]>();
  for (const task of tasks) {
    const group = `${task.batch_id} ${task.status}`;
    groups.set(group, [...(groups.get(group) ?? []), task]);
  }
  const batches = await findBatches(db, [...new Set(tasks.map(({ batch_id }) => batch_id))]);
  return [...groups.values()].flatMap((ended) => {
    const [{ batch_id, status } = { batch_id: '', status: 'failed' }] = ended;
    const batch = batches.get(batch_id);
    const subject = { batch: batch_id, ...(batch && { farm: batch.farm_id }) };
    const act = { action: 'tasks.ended', actor, workspaceId: batch?.workspace_id, subject, atMs } as const;
    const entries: ServiceAct[] = [];
    for (let from = 0; from < ended.length; from += MOST_IDS) {
      const ids = ended.slice(from, from + MOST_IDS).map(({ id }) => id);
      entries.push({ ...act, detail: { task: batch?.name, status, tasks: ids } });
    }
    return entries;
  });
}

async function findBatches(db: Db, ids: readonly string[]) {
  const found = new Map<string, { workspace_id: string; farm_id: string; name: string }>();
  for (const part of chunks(ids)) {
    const columns = ['id', 'workspace_id', 'farm_id', 'name'] as const;
    const rows = await db.selectFrom('task_batches').select(columns).where('id', 'in', part).execute();
    for (const { id, ...batch } of rows) found.set(id, batch);
  }
  return found;
}

type Values = { readonly opsStatus: string | null; readonly rack: string | null; readonly position: number | null };
type Edit = { readonly id: string; readonly before: Values; readonly after: Values };

/** The first few miners; `count` says how many there were, and `digest` covers all of them. */
export function minersEdited(
  { workspaceId, farmId: farm, actor, nowMs: atMs }: Pick<Request, 'workspaceId' | 'farmId' | 'actor' | 'nowMs'>,
  edits: readonly Edit[],
): ServiceAct {
  const changes = edits.slice(0, MOST_EDITS).map(({ id, before, after }) => ({ id, ...differences(before, after) }));
  const digest = hash('sha256', JSON.stringify(edits.map(({ id, before, after }) => [id, before, after])));
  const detail = { count: edits.length, changes, digest };
  return { action: 'miners.edited', actor, workspaceId, atMs, subject: { farm }, detail };
}

/** The text stands with the note, not in the trail. */
export const noteAdded = (note: Pick<Request, 'workspaceId' | 'farmId' | 'actor' | 'nowMs'> & NoteIds): ServiceAct => ({
  ...{ action: 'note.added', actor: note.actor, workspaceId: note.workspaceId, atMs: note.nowMs },
  subject: { farm: note.farmId, miner: note.minerId, note: note.noteId },
});
type NoteIds = { readonly minerId: string; readonly noteId: string };

const MOST_EDITS = 10;

const differences = (before: Values, after: Values) => ({
  ...(before.opsStatus === after.opsStatus ? {} : { ops_status: [before.opsStatus, after.opsStatus] }),
  ...(before.rack === after.rack ? {} : { rack: [before.rack, after.rack] }),
  ...(before.position === after.position ? {} : { position: [before.position, after.position] }),
});
