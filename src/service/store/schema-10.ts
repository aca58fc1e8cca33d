// Step 10 of the schema: how many miners of a cell told each quantity of history, and in which cells a miner did.
import type { ExpressionBuilder } from 'kysely';
import type { Db, Tables } from './schema.ts';

type Count = 'hashrate_count' | 'expected_count' | 'power_count';

/**
 * Of cells from before, the fewest miners that can have told it so often. Hours stay as they were made, unless something more is told of them. In
 * the cell that was begun before, a miner may be counted twice.
 */
export async function addKnownMiners(db: Db): Promise<void> {
  await db.schema
    .alterTable('miner_presence')
    .addColumn('known', 'text', (column) => column.notNull().defaultTo(''))
    .execute();
  for (const table of ['history_cells', 'history_hours'])
    for (const name of ['hashrate_miners', 'expected_miners', 'power_miners'])
      await db.schema
        .alterTable(table)
        .addColumn(name, 'integer', (column) => column.notNull().defaultTo(0))
        .execute();
  await db
    .updateTable('history_cells')
    .set((eb) => ({
      hashrate_miners: fewest(eb, 'hashrate_count'),
      expected_miners: fewest(eb, 'expected_count'),
      power_miners: fewest(eb, 'power_count'),
    }))
    .where('accounted', '>', 0)
    .execute();
}

/** count / accounted of the miners, rounded up. The product is too large for the type of its factors. */
function fewest(eb: ExpressionBuilder<Tables, 'history_cells'>, count: Count) {
  const product = eb(eb.cast<number>(count, 'bigint'), '*', eb.ref('miners'));
  const raised = eb(product, '+', eb('accounted', '-', eb.lit(1)));
  return eb.cast<number>(eb(eb.parens(raised), '/', eb.ref('accounted')), 'integer');
}
