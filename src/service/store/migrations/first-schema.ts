// Step 1 of the schema: every table, with the indexes that the lists, the searches, the ingest and the pruning use.
import { type CreateTableBuilder, sql } from 'kysely';
import type { AutoNumber } from '../databases.ts';
import { type Column, type Db, REALIZATION, TABLES } from '../schema.ts';
import type { StepParts } from './step.ts';

/** [table, columns, unique?] */
const INDEXES: readonly (readonly [string, readonly string[], 'unique'?])[] = [
  ['workspaces', ['slug'], 'unique'],
  ['farms', ['workspace_id']],
  ['agents', ['farm_id']],
  ['api_keys', ['workspace_id']],
  ['people', ['name_key'], 'unique'],
  ['people', ['workspace_id']],
  ['sessions', ['token_hash'], 'unique'],
  ['sessions', ['person_id']],
  ['person_codes', ['workspace_id', 'person_id']],
  ['grants', ['grantee_id']],
  ['miners', ['id'], 'unique'],
  // The order of every list of miners.
  ['miners', ['farm_id', 'ip_num', 'id']],
  ['miners', ['farm_id', 'mac']],
  ['miners', ['farm_id', 'serial']],
  ['miners', ['farm_id', 'anomaly_flags']],
  ['miners', ['farm_id', 'stale_at']],
  ['miners', ['farm_id', 'ops_status']],
  ['miners', ['farm_id', 'unstable_reason']],
  ['miners', ['farm_id', 'mining_mode']],
  ['miners', ['farm_id', 'model']],
  ['miners', ['farm_id', 'firmware']],
  ['miners', ['farm_id', 'seen_at']],
  // Answers "how many of this agent" by itself.
  ['miners', ['agent_id', 'farm_id']],
  ['miner_serials', ['farm_id', 'serial']],
  ['miner_serials', ['row_id']],
  ['miner_notes', ['row_id', 'at']],
  ['registrations', ['row_id']],
  ['task_batches', ['farm_id', 'created_at', 'id']],
  ['task_batches', ['created_at']],
  ['tasks', ['batch_id']],
  ['tasks', ['row_id', 'status']],
  ['tasks', ['agent_id', 'status']],
  ['tasks', ['status', 'expires_at']],
  ['scan_addresses', ['at']],
  ['idempotency_keys', ['created_at']],
  ['ingest_cursors', ['updated_at']],
  ['events', ['farm_id', 'at']],
  ['events', ['at']],
  ['events', ['miner_id', 'at']],
  ['audit_entries', ['workspace_id', 'seq']],
  ['audit_entries', ['action', 'seq']],
  ['webhooks', ['workspace_id']],
  ['webhook_dead_letters', ['webhook_id', 'failed_at']],
  ['webhook_dead_letters', ['webhook_id', 'is_to_be_sent']],
  ['held_events', ['agent_id', 'key']],
  ['held_events', ['held_at']],
  ['gaps', ['agent_id', 'to_at']],
  ['gaps', ['to_at']],
  ['history_cells', ['from_at']],
  ['history_hours', ['from_at']],
];

export async function createFirstSchema(db: Db, { autoNumber }: StepParts): Promise<void> {
  for (const [name, columns] of Object.entries(TABLES)) await createTable(db, name, columns, autoNumber).execute();
  await createIndexes(db);
}

/** Those that are missing. */
export async function createIndexes(db: Db): Promise<void> {
  const createIndex = (name: string, on: string) => db.schema.createIndex(name).ifNotExists().on(on);
  for (const [table, columns, unique] of INDEXES) {
    const index = createIndex([table, ...columns].join('_'), table).columns([...columns]);
    await (unique ? index.unique() : index).execute();
  }
  // A position of a rack is for one miner.
  await createIndex('miners_location', 'miners').columns(['farm_id', 'rack', 'position']).unique().execute();
  await createIndex('miners_farm_id_realization', 'miners').column('farm_id').expression(REALIZATION).execute();
  // The few miners of an agent that have an ops status, without looking at the others; and the few tasks that are
  // cancelled.
  const marked = createIndex('miners_agent_id_ops_status', 'miners').columns(['agent_id', 'ops_status']);
  await marked.where(sql`ops_status`, 'is not', null).execute();
  const cancelled = createIndex('tasks_cancelled', 'tasks').columns(['agent_id', 'id']);
  await cancelled.where(sql`cancel_at`, 'is not', null).execute();
}

export function createTable(
  db: Db,
  name: string,
  columns: Readonly<Record<string, Column>>,
  autoNumber: AutoNumber,
): CreateTableBuilder<string, string> {
  let table: CreateTableBuilder<string, string> = db.schema.createTable(name);
  for (const [column, { type, row, isOptional, initially }] of Object.entries(columns))
    table = table.addColumn(column, type, (definition) => {
      if (row !== undefined) return row === 'made' ? autoNumber(definition.primaryKey()) : definition.primaryKey();
      const typed = isOptional ? definition : definition.notNull();
      return initially === undefined ? typed : typed.defaultTo(initially);
    });
  const keys = Object.entries(columns).flatMap(([column, { isKey }]) => (isKey ? [column] : []));
  return keys.length === 0 ? table : table.addPrimaryKeyConstraint(`${name}_key`, keys);
}
