// How many bytes the events of each miner take, and its bound: one that changes its mind all day loses its own oldest
// events, and none of another miner. What is counted may be more than there is; before anything is removed it is
// counted anew.

import { yieldToEventLoop } from '../../../base/clock.ts';
import { HISTORY_KEPT_DAYS } from '../../../model/events/history-kept.data.ts';
import { chunks } from '../rows.ts';
import type { Db, Row } from '../schema.ts';

/** For so long events are kept; on average a miner may fill so much of each day. */
export const EVENTS_KEPT_DAYS = HISTORY_KEPT_DAYS.events;
const BYTES_PER_DAY = 1_000;
const MOST_BYTES = EVENTS_KEPT_DAYS * BYTES_PER_DAY;
/** What is left of a miner that had more: it is not looked at again for a while. */
const LEFT_BYTES = 0.9 * MOST_BYTES;
/** Of a row beside its detail, with its share of the indexes. */
const ROW_BYTES = 400;
/** Rows that are read at a time; between them the event loop goes on. */
const PORTION = 500;

type Sized = Pick<Row<'events'>, 'miner_id' | 'detail'>;

const bytesOf = ({ detail }: Pick<Sized, 'detail'>) => ROW_BYTES + Buffer.byteLength(detail);

/** In the transaction that adds them. */
export async function addSizes(transaction: Db, rows: readonly Sized[]): Promise<void> {
  const sizes = new Map<string, number>();
  for (const row of rows)
    if (row.miner_id !== null) sizes.set(row.miner_id, (sizes.get(row.miner_id) ?? 0) + bytesOf(row));
  for (const part of chunks([...sizes].map(([miner_id, bytes]) => ({ miner_id, bytes }))))
    await transaction
      .insertInto('event_sizes')
      .values(part)
      .onConflict((conflict) =>
        conflict
          .column('miner_id')
          .doUpdateSet((eb) => ({ bytes: eb('event_sizes.bytes', '+', eb.ref('excluded.bytes')) })),
      )
      .execute();
}

/** Removes the oldest events of miners that have more than they may. */
export async function pruneFullMiners(write: Db): Promise<void> {
  const full = await write.selectFrom('event_sizes').select('miner_id').where('bytes', '>', MOST_BYTES).execute();
  for (const { miner_id } of full) {
    const bytes = await trimMiner(write, miner_id);
    await write.updateTable('event_sizes').set({ bytes }).where('miner_id', '=', miner_id).execute();
    await yieldToEventLoop();
  }
}

/** Gives the bytes that are left. Events that come meanwhile are counted the next time. */
async function trimMiner(write: Db, minerId: string): Promise<number> {
  let bytes = 0;
  for (let before = { at: Number.MAX_SAFE_INTEGER, position: 0 }; ; ) {
    const { at, position } = before;
    const older = write
      .selectFrom('events')
      .where('miner_id', '=', minerId)
      .where((eb) => eb.or([eb('at', '<', at), eb.and([eb('at', '=', at), eb('position', '<', position)])]));
    const rows = await older
      .select(['at', 'position', 'detail'])
      .orderBy('at', 'desc')
      .orderBy('position', 'desc')
      .limit(PORTION)
      .execute();
    for (const row of rows) {
      if (bytes + bytesOf(row) > LEFT_BYTES) {
        await removeUpTo(write, minerId, row);
        return bytes;
      }
      bytes += bytesOf(row);
    }
    const last = rows.at(-1);
    if (last === undefined || rows.length < PORTION) return bytes;
    before = last;
    await yieldToEventLoop();
  }
}

async function removeUpTo(write: Db, minerId: string, { at, position }: { at: number; position: number }) {
  await write
    .deleteFrom('events')
    .where('miner_id', '=', minerId)
    .where((eb) => eb.or([eb('at', '<', at), eb.and([eb('at', '=', at), eb('position', '<=', position)])]))
    .execute();
}
