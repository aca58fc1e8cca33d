// Step 2 of the schema: what historical metrics are made of, and one place in a rack for one miner.
import type { ColumnDataType } from 'kysely';
import type { Db } from './schema.ts';

/** Sums that cells and hours share; see history-sums.ts. */
const SUMS: readonly (readonly [string, ColumnDataType])[] = [
  ['miners', 'integer'],
  ['accounted', 'integer'],
  ['online', 'double precision'],
  ['hashrate', 'double precision'],
  ['hashrate_count', 'integer'],
  ['expected', 'double precision'],
  ['expected_count', 'integer'],
  ['power', 'double precision'],
  ['power_count', 'integer'],
  ['paired_power', 'double precision'],
  ['paired_hashrate', 'double precision'],
  ['temperature', 'double precision'],
  ['temperature_count', 'integer'],
];

export async function addHistory(db: Db): Promise<void> {
  await db.schema
    .createTable('miner_presence')
    .addColumn('row_id', 'integer', (column) => column.primaryKey())
    .addColumn('spans', 'text', (column) => column.notNull())
    .execute();
  for (const name of ['history_cells', 'history_hours']) {
    let table = db.schema
      .createTable(name)
      .addColumn('farm_id', 'text', (column) => column.notNull())
      .addColumn('from_at', 'bigint', (column) => column.notNull());
    if (name === 'history_hours') table = table.addColumn('cells', 'integer', (column) => column.notNull());
    for (const [column, type] of SUMS) table = table.addColumn(column, type, (definition) => definition.notNull());
    await table
      .addColumn('temperature_max', 'double precision')
      .addPrimaryKeyConstraint(`${name}_key`, ['farm_id', 'from_at'])
      .execute();
    await db.schema.createIndex(`${name}_from_at`).on(name).column('from_at').execute();
  }
  await db.schema.createIndex('miners_place').on('miners').columns(['farm_id', 'rack', 'position']).unique().execute();
}
