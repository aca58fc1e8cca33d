// Taking miners out of the store, with all that is kept of them beside the events and the sums of their farm. It
// decides nothing about which.
import type { ExpressionBuilder } from 'kysely';
import { removeDays } from '../../history/miner/miner-days.ts';
import { chunks } from '../../rows.ts';
import type { Db, Tables } from '../../schema.ts';

/** Where a miner has rows beside its own. Its tasks are not among them: a miner that has any is not removed. */
const PARTS = ['miner_documents', 'miner_serials', 'miner_notes', 'registrations', 'miner_presence'] as const;

export async function removeMiners(db: Db, rowIds: readonly number[]): Promise<void> {
  for (const part of chunks(rowIds)) {
    // The miner last: what is left of it when this is cut short must not become another one's that gets its number.
    await removeDays(db, part);
    for (const table of PARTS) await db.deleteFrom(table).where('row_id', 'in', part).execute();
    const ids = (eb: ExpressionBuilder<Tables, 'event_sizes'>) =>
      eb.selectFrom('miners').select('miners.id').where('row_id', 'in', part);
    await db.deleteFrom('event_sizes').where('miner_id', 'in', ids).execute();
    await db.deleteFrom('miners').where('row_id', 'in', part).execute();
  }
}
