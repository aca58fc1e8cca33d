// What people wrote about miners: kept with who wrote it, the newest of each miner. Each note is an event too.
import { z } from 'zod';
import { type Actor, actorSchema, shownActor } from '../../../../model/task.ts';
import { noteAdded } from '../../audit/task-acts.ts';
import type { Audited } from '../../databases.ts';
import { appendEvents, OF_SERVICE } from '../../events/append.ts';
import { countAll, type Window } from '../../rows.ts';
import type { Db, Row } from '../../schema.ts';
import { type Once, onceOnly } from '../../tenants/answered.ts';

/** Of a miner; an older one goes when another one comes. */
export const MOST_NOTES = 200;

type NewNote = {
  readonly workspaceId: string;
  readonly farmId: string;
  readonly minerId: string;
  readonly text: string;
  readonly actor: Actor;
  readonly nowMs: number;
  readonly once?: Once | undefined;
};

/** A note as its first answer is kept. */
const keptSchema = z.object({ id: z.string(), atMs: z.number(), text: z.string(), actor: actorSchema });

export type Note = Readonly<ReturnType<typeof toNote>>;
export type NoteStore = ReturnType<typeof createNoteStore>;

export function createNoteStore({ read, transact, lock, audit }: Audited, newId: (nowMs: number) => string) {
  const write = async (trx: Db, { minerId, farmId, ...note }: NewNote): Promise<Note | undefined> => {
    const miner = await findRow(trx, farmId, minerId);
    if (miner === undefined) return undefined;
    const { row_id } = miner;
    const { text, actor, nowMs: at, workspaceId } = note;
    const row = { id: newId(at), row_id, at, actor: JSON.stringify(actor), text };
    await trx.insertInto('miner_notes').values(row).execute();
    await removeOldest(trx, row_id);
    const detail = { note_id: row.id, text, actor: shownActor(actor) };
    const event = { farmId, agentId: OF_SERVICE, minerId, type: 'note_added', atMs: at, detail } as const;
    await appendEvents(trx, [event]);
    await audit(trx, [noteAdded({ workspaceId, farmId, minerId, noteId: row.id, actor, nowMs: at })]);
    return toNote(row);
  };
  return {
    /** Undefined = the farm has no such miner. */
    add: (note: NewNote): Promise<Note | undefined> =>
      transact((trx) =>
        onceOnly(
          trx,
          lock,
          { once: note.once, farmId: note.farmId, nowMs: note.nowMs },
          {
            work: () => write(trx, note),
            write: (done) => (done === undefined ? undefined : JSON.stringify(done)),
            read: (text) => keptSchema.parse(JSON.parse(text)),
          },
        ),
      ),
    /** Newest first. Undefined = the farm has no such miner. */
    async list(farmId: string, minerId: string, window: Window) {
      const miner = await findRow(read, farmId, minerId);
      return miner && listNotes(read, miner.row_id, window);
    },
  };
}

export async function listNotes(read: Db, rowId: number, window: Window) {
  const wanted = read.selectFrom('miner_notes').where('row_id', '=', rowId);
  const rows = await wanted
    .selectAll()
    .orderBy('at', 'desc')
    .orderBy('id', 'desc')
    .limit(window.limit)
    .offset(window.offset)
    .execute();
  return { notes: rows.map(toNote), total: await countAll(wanted, rows.length, window) };
}

const findRow = (db: Db, farmId: string, minerId: string) =>
  db.selectFrom('miners').select('row_id').where('id', '=', minerId).where('farm_id', '=', farmId).executeTakeFirst();

async function removeOldest(db: Db, rowId: number): Promise<void> {
  const old = await db
    .selectFrom('miner_notes')
    .select('id')
    .where('row_id', '=', rowId)
    .orderBy('at', 'desc')
    .orderBy('id', 'desc')
    .limit(MOST_NOTES)
    .offset(MOST_NOTES)
    .execute();
  const ids = old.map(({ id }) => id);
  if (ids.length > 0) await db.deleteFrom('miner_notes').where('id', 'in', ids).execute();
}

const toNote = ({ id, at: atMs, actor, text }: Pick<Row<'miner_notes'>, 'id' | 'at' | 'actor' | 'text'>) => ({
  ...{ id, atMs, text },
  actor: actorSchema.parse(JSON.parse(actor)),
});
