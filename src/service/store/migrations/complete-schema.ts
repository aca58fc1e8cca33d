// Step 2 of the schema: what the first builds of 0.2.0 lack of the tables of today. A new database has it all from step
// 1, and this step finds nothing to do.
import { sql } from 'kysely';
import { BugError } from '../../../base/errors.ts';
import { DEFAULT_MAX_MINERS, MOST_MAX_MINERS } from '../../../model/grant.ts';
import { ROLES } from '../../../model/permissions/permissions.data.ts';
import { NOT_KNOWN } from '../history/algorithms.ts';
import { type Column, type Db, TABLES } from '../schema.ts';
import { createIndexes, createTable } from './first-schema.ts';
import type { StepParts } from './step.ts';

/** Of columns that every row must have: the value of the rows that are there. */
const FILLS: Readonly<Record<string, number | string>> = {
  'agents.max_miners': DEFAULT_MAX_MINERS,
  'agents.new_miners_left': DEFAULT_MAX_MINERS,
  'agents.new_miners_at': 0,
  'enrolment_codes.max_miners': DEFAULT_MAX_MINERS,
  'miners.reported_order': 0,
  'miner_presence.open_hours': '',
};

export async function completeSchema(db: Db, parts: StepParts): Promise<void> {
  const hasOldEvents = !(await parts.columnsOf(db, 'events')).has('position');
  if (hasOldEvents) await setEventsAside(db);
  const hasOldHistory = !(await parts.columnsOf(db, 'history_cells')).has('algorithm');
  if (hasOldHistory) await setHistoryAside(db, parts);
  for (const [name, columns] of Object.entries(TABLES)) {
    const there = await parts.columnsOf(db, name);
    if (there.size === 0) await createTable(db, name, columns, parts.autoNumber).execute();
    else await addColumns(db, parts, name, columns, there);
  }
  if (hasOldEvents) await bringEventsBack(db);
  if (hasOldHistory) await bringHistoryBack(db);
  await nameAllPermissions(db);
  await db.schema.dropIndex('miners_place').ifExists().execute();
  await createIndexes(db);
  await grantWhatIsThere(db);
}

async function addColumns(
  db: Db,
  { dropDefault }: StepParts,
  table: string,
  columns: Readonly<Record<string, Column>>,
  there: ReadonlySet<string>,
): Promise<void> {
  for (const [name, { type, isOptional, isKey, initially }] of Object.entries(columns)) {
    if (there.has(name)) continue;
    const fill = initially ?? FILLS[`${table}.${name}`];
    if (isKey || (!isOptional && fill === undefined))
      throw new BugError(`add the column ${name} to ${table}: what do the rows have that are there?`);
    await db.schema
      .alterTable(table)
      .addColumn(name, type, (column) => (isOptional || fill === undefined ? column : column.notNull().defaultTo(fill)))
      .execute();
    // A copy that does not know the column must not be able to write the row.
    if (!isOptional && initially === undefined) await dropDefault(db, table, name);
  }
}

/** An agent that has many miners keeps them, and gets room for as many again. */
async function grantWhatIsThere(db: Db): Promise<void> {
  const agents = await db
    .selectFrom('registrations')
    .select((eb) => ['agent_id', eb.fn.countAll<number>().as('miners')])
    .groupBy('agent_id')
    .having((eb) => eb.fn.countAll(), '>', DEFAULT_MAX_MINERS / 2)
    .execute();
  for (const { agent_id, miners } of agents)
    await db
      .updateTable('agents')
      .set({ max_miners: Math.min(MOST_MAX_MINERS, 2 * miners) })
      .where('id', '=', agent_id)
      .where('max_miners', '<', 2 * miners)
      .execute();
}

/** Events got a position, which is a part of their key: the table is made anew. */
async function setEventsAside(db: Db): Promise<void> {
  for (const index of ['events_farm_id_at', 'events_at']) await db.schema.dropIndex(index).ifExists().execute();
  await db.schema.alterTable('events').renameTo('events_before').execute();
}

async function bringEventsBack(db: Db): Promise<void> {
  await sql`INSERT INTO events (farm_id, position, agent_id, miner_id, type, at, detail)
    SELECT farm_id, row_number() OVER (PARTITION BY farm_id ORDER BY at), agent_id, miner_id, type, at, detail
    FROM events_before`.execute(db);
  await sql`INSERT INTO event_counts (farm_id, position) SELECT farm_id, max(position) FROM events GROUP BY farm_id`.execute(
    db,
  );
  await db.schema.dropTable('events_before').execute();
}

/** History got an algorithm, which is a part of its key: the tables are made anew. */
async function setHistoryAside(db: Db, parts: StepParts): Promise<void> {
  for (const table of ['history_cells', 'history_hours'] as const) {
    const { algorithm: _, ...columns } = TABLES[table];
    await addColumns(db, parts, table, columns, await parts.columnsOf(db, table));
    await db.schema.createTable(`${table}_before`).as(db.selectFrom(table).selectAll()).execute();
    await db.schema.dropTable(table).execute();
  }
}

/** Of what was counted before, the algorithm is not known. */
async function bringHistoryBack(db: Db): Promise<void> {
  await sql`INSERT INTO history_cells (farm_id, from_at, algorithm, miners, accounted, online, hashrate, hashrate_count,
      expected, expected_count, power, power_count, paired_power, paired_hashrate, temperature, temperature_count,
      temperature_max, hashrate_miners, expected_miners, power_miners)
    SELECT farm_id, from_at, ${NOT_KNOWN}, miners, accounted, online, hashrate, hashrate_count,
      expected, expected_count, power, power_count, paired_power, paired_hashrate, temperature, temperature_count,
      temperature_max, hashrate_miners, expected_miners, power_miners
    FROM history_cells_before`.execute(db);
  await sql`INSERT INTO history_hours (farm_id, from_at, algorithm, cells, miners, accounted, online, hashrate,
      hashrate_count, expected, expected_count, power, power_count, paired_power, paired_hashrate, temperature,
      temperature_count, temperature_max, hashrate_miners, expected_miners, power_miners)
    SELECT farm_id, from_at, ${NOT_KNOWN}, cells, miners, accounted, online, hashrate,
      hashrate_count, expected, expected_count, power, power_count, paired_power, paired_hashrate, temperature,
      temperature_count, temperature_max, hashrate_miners, expected_miners, power_miners
    FROM history_hours_before`.execute(db);
  for (const table of ['history_cells_before', 'history_hours_before'] as const)
    await db.schema.dropTable(table).execute();
}

/** Keys that could do everything had no list of permissions. */
async function nameAllPermissions(db: Db): Promise<void> {
  await sql`UPDATE api_keys SET role = ${ROLES.at(-1) ?? null}, permissions = '[]' WHERE permissions IS NULL`.execute(
    db,
  );
}
