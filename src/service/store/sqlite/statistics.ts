// Fixed statistics with which the embedded database chooses between indexes. So plans are the same on the first day,
// after a year, and on every farm; without them a search for a MAC would read the whole farm in the order of the list.
import { sql } from 'kysely';
import type { Db } from '../schema.ts';

/**
 * Rows of the index, then how many rows share the first column, the first two, … Of several farms with 5,000 miners
 * each. A large share of a farm favours a walk along the list until the page is full, a small one favours fetching the
 * rows and sorting them. `sz` is the size of an entry: it makes a read of a whole farm go in the order of the list, in
 * which its rows lie beside each other.
 */
const MINERS: Readonly<Record<string, string>> = {
  miners_id: '100000 1',
  miners_farm_id_ip_num_id: '100000 5000 1 1 sz=8',
  miners_farm_id_mac: '100000 5000 1',
  miners_farm_id_serial: '100000 5000 1',
  miners_farm_id_anomaly_flags: '100000 5000 2500',
  miners_farm_id_stale_at: '100000 5000 2',
  miners_farm_id_seen_at: '100000 5000 2',
  miners_farm_id_realization: '100000 5000 2',
  miners_farm_id_ops_status: '100000 5000 50',
  miners_farm_id_unstable_reason: '100000 5000 50',
  miners_farm_id_mining_mode: '100000 5000 1000',
  miners_farm_id_model: '100000 5000 1000',
  miners_farm_id_firmware: '100000 5000 1000',
  miners_agent_id_farm_id: '100000 5000 5000',
  miners_location: '100000 5000 40 1',
};
const MINER_SERIALS: Readonly<Record<string, string>> = {
  miner_serials_farm_id_serial: '600000 30000 1',
  miner_serials_row_id: '600000 6',
};

/** In the transaction that has changed the schema: other connections read it with the new schema. */
export async function writeStatistics(db: Db): Promise<void> {
  // Makes the table of statistics, which no other statement can create.
  await sql`ANALYZE schema_version`.execute(db);
  await sql`DELETE FROM sqlite_stat1`.execute(db);
  for (const [table, indexes] of Object.entries({ miners: MINERS, miner_serials: MINER_SERIALS }))
    for (const [index, counts] of Object.entries(indexes))
      await sql`INSERT INTO sqlite_stat1 (tbl, idx, stat) SELECT ${table}, name, ${counts} FROM sqlite_schema WHERE name = ${index}`.execute(
        db,
      );
  // Reads them again, for this connection.
  await sql`ANALYZE sqlite_schema`.execute(db);
}
