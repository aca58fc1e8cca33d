// Up to which slice the reports of an agent are stored, for each of its epochs.
import { chunks } from '../rows.ts';
import type { Db } from '../schema.ts';

/** Of one agent. An epoch ends only with its outbox, and a connection carries few. */
const MAX_CURSORS = 100;

type Stored = { readonly agentId: string; readonly epoch: string; readonly seq: number; readonly nowMs: number };

/** With a new epoch beyond MAX_CURSORS the one is forgotten that was stored longest ago. */
export async function writeCursor(db: Db, { agentId: agent_id, epoch, seq, nowMs: updated_at }: Stored): Promise<void> {
  await db
    .insertInto('ingest_cursors')
    .values({ agent_id, epoch, seq, updated_at })
    .onConflict((conflict) => conflict.columns(['agent_id', 'epoch']).doUpdateSet({ seq, updated_at }))
    .execute();
  if (seq > 1) return;
  const older = await db
    .selectFrom('ingest_cursors')
    .select('epoch')
    .where('agent_id', '=', agent_id)
    .where('epoch', '<>', epoch)
    .orderBy('updated_at', 'desc')
    .execute();
  for (const part of chunks(older.slice(MAX_CURSORS - 1)))
    await db
      .deleteFrom('ingest_cursors')
      .where('agent_id', '=', agent_id)
      .where(
        'epoch',
        'in',
        part.map((row) => row.epoch),
      )
      .execute();
}

/** 0 = nothing of it. */
export async function readCursor(db: Db, agentId: string, epoch: string): Promise<number> {
  const row = await db
    .selectFrom('ingest_cursors')
    .select('seq')
    .where('agent_id', '=', agentId)
    .where('epoch', '=', epoch)
    .executeTakeFirst();
  return row?.seq ?? 0;
}
