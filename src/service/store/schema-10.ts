// Step 10 of the schema: how many miners of a cell told each quantity of history, and in which cells a miner did.
import { sql } from 'kysely';
import type { Db } from './schema.ts';

const QUANTITIES = ['hashrate', 'expected', 'power'];

/**
 * Of cells from before, the fewest miners that can have told it so often. Hours stay as they were made, unless something more is told of them. In the cell that was
 * begun before, a miner may be counted twice.
 */
export async function addKnownMiners(db: Db): Promise<void> {
  await db.schema
    .alterTable('miner_presence')
    .addColumn('known', 'text', (column) => column.notNull().defaultTo(''))
    .execute();
  for (const quantity of QUANTITIES) {
    const name = `${quantity}_miners`;
    for (const table of ['history_cells', 'history_hours'])
      await db.schema
        .alterTable(table)
        .addColumn(name, 'integer', (column) => column.notNull().defaultTo(0))
        .execute();
    await sql`UPDATE history_cells SET ${sql.ref(name)} = (CAST(${sql.ref(`${quantity}_count`)} AS bigint) * miners + accounted - 1) / accounted
      WHERE accounted > 0`.execute(db);
  }
}
