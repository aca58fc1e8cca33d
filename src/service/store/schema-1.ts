// Step 1 of the schema: every table of the first version, with the indexes that the lists, the searches and the ingest use.
import type { ColumnDataType, CreateTableBuilder } from 'kysely';
import type { AutoNumber } from './databases.ts';
import type { Db } from './schema.ts';

type ColumnSpec = readonly [name: string, type: ColumnDataType, use?: 'key' | 'optional'];

/** Times in ms need 53 bits: `bigint` is 64 bits wide on every database. */
const TABLES: Readonly<Record<string, readonly ColumnSpec[]>> = {
  workspaces: [
    ['id', 'text', 'key'],
    ['name', 'text'],
    ['slug', 'text'],
    ['created_at', 'bigint'],
  ],
  farms: [
    ['id', 'text', 'key'],
    ['workspace_id', 'text'],
    ['name', 'text', 'optional'],
    ['created_at', 'bigint'],
  ],
  agents: [
    ['id', 'text', 'key'],
    ['farm_id', 'text'],
    ['name', 'text'],
    ['token_hash', 'text'],
    ['version', 'text'],
    ['enrolled_at', 'bigint'],
    ['last_seen_at', 'bigint', 'optional'],
    ['revoked_at', 'bigint', 'optional'],
    ['poll_interval_ms', 'bigint', 'optional'],
    ['uptime_s', 'double precision', 'optional'],
    ['host', 'text', 'optional'],
    ['host_at', 'bigint', 'optional'],
  ],
  enrolment_codes: [
    ['hash', 'text', 'key'],
    ['farm_id', 'text'],
    ['created_at', 'bigint'],
    ['expires_at', 'bigint'],
    ['used_at', 'bigint', 'optional'],
    ['agent_id', 'text', 'optional'],
  ],
  api_keys: [
    ['id', 'text', 'key'],
    ['hash', 'text'],
    ['workspace_id', 'text'],
    ['name', 'text'],
    ['permissions', 'text', 'optional'],
    ['created_at', 'bigint'],
    ['expires_at', 'bigint', 'optional'],
    ['revoked_at', 'bigint', 'optional'],
    ['last_used_at', 'bigint', 'optional'],
  ],
  grants: [
    ['id', 'text', 'key'],
    ['grantor_id', 'text'],
    ['grantee_id', 'text'],
    ['farm_ids', 'text', 'optional'],
    ['permissions', 'text'],
    ['created_at', 'bigint'],
    ['expires_at', 'bigint', 'optional'],
    ['revoked_at', 'bigint', 'optional'],
  ],
  miners: [
    ['id', 'text'],
    ['farm_id', 'text'],
    ['agent_id', 'text', 'optional'],
    ['agent_key', 'text', 'optional'],
    ['created_at', 'bigint'],
    ['reported_at', 'bigint'],
    ['seen_at', 'bigint', 'optional'],
    ['stale_at', 'bigint', 'optional'],
    ['ip_num', 'bigint'],
    ['mac', 'text'],
    ['serial', 'text'],
    ['serials', 'text'],
    ['anomaly_flags', 'bigint'],
    ['unstable_reason', 'text', 'optional'],
    ['mining_mode', 'text'],
    ['hashrate', 'double precision', 'optional'],
    ['expected_hashrate', 'double precision', 'optional'],
    ['ops_status', 'text', 'optional'],
    ['rack', 'text', 'optional'],
    ['position', 'integer', 'optional'],
  ],
  miner_documents: [
    ['document', 'text'],
    ['extras', 'text'],
    ['abilities', 'text'],
  ],
  miner_serials: [
    ['row_id', 'integer'],
    ['farm_id', 'text'],
    ['serial', 'text'],
  ],
  registrations: [
    ['agent_id', 'text', 'key'],
    ['key', 'text', 'key'],
    ['row_id', 'integer'],
    ['epoch', 'text'],
    ['last_at', 'bigint'],
  ],
  task_batches: [
    ['id', 'text', 'key'],
    ['workspace_id', 'text'],
    ['farm_id', 'text'],
    ['agent_id', 'text'],
    ['name', 'text'],
    ['params', 'text'],
    ['actor_type', 'text'],
    ['actor', 'text'],
    ['metadata', 'text'],
    ['status', 'text'],
    ['task_count', 'integer'],
    ['succeed_count', 'integer'],
    ['failed_count', 'integer'],
    ['created_at', 'bigint'],
  ],
  tasks: [
    ['id', 'text', 'key'],
    ['batch_id', 'text'],
    ['agent_id', 'text'],
    ['row_id', 'integer'],
    ['miner_key', 'text'],
    ['name', 'text'],
    ['status', 'text'],
    ['created_at', 'bigint'],
    ['expires_at', 'bigint'],
    ['sent_at', 'bigint', 'optional'],
    ['received_at', 'bigint', 'optional'],
    ['updated_at', 'bigint'],
    ['is_presumed', 'integer'],
    ['message', 'text', 'optional'],
    ['evidence', 'text'],
  ],
  idempotency_keys: [
    ['api_key_id', 'text', 'key'],
    ['key', 'text', 'key'],
    ['body_hash', 'text'],
    ['response', 'text'],
    ['created_at', 'bigint'],
  ],
  ingest_cursors: [
    ['agent_id', 'text', 'key'],
    ['epoch', 'text', 'key'],
    ['seq', 'bigint'],
    ['updated_at', 'bigint'],
  ],
  gaps: [
    ['agent_id', 'text'],
    ['epoch', 'text'],
    ['seq', 'bigint'],
    ['from_at', 'bigint'],
    ['to_at', 'bigint'],
    ['reason', 'text'],
    ['count', 'bigint', 'optional'],
  ],
  events: [
    ['farm_id', 'text'],
    ['agent_id', 'text'],
    ['miner_id', 'text', 'optional'],
    ['type', 'text'],
    ['at', 'bigint'],
    ['detail', 'text'],
  ],
};

/** [table, columns, unique?] */
const INDEXES: readonly (readonly [string, readonly string[], 'unique'?])[] = [
  ['workspaces', ['slug'], 'unique'],
  ['farms', ['workspace_id']],
  ['agents', ['farm_id']],
  ['api_keys', ['workspace_id']],
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
  ['miners', ['agent_id']],
  ['miner_serials', ['farm_id', 'serial']],
  ['miner_serials', ['row_id']],
  ['registrations', ['row_id']],
  ['task_batches', ['farm_id', 'created_at', 'id']],
  ['tasks', ['batch_id']],
  ['tasks', ['row_id', 'status']],
  ['tasks', ['agent_id', 'status']],
  ['tasks', ['status', 'expires_at']],
  ['idempotency_keys', ['created_at']],
  ['events', ['farm_id', 'at']],
  ['events', ['at']],
  ['gaps', ['agent_id', 'to_at']],
];

/** Tables whose rows are joined by a small number of the database's own making. */
const NUMBERED = new Map<string, 'made' | 'given'>([
  ['miners', 'made'],
  ['miner_documents', 'given'],
]);

export async function createFirstSchema(db: Db, autoNumber: AutoNumber): Promise<void> {
  for (const [name, columns] of Object.entries(TABLES)) await createTable(db, name, columns, autoNumber).execute();
  for (const [table, columns, unique] of INDEXES) {
    const index = db.schema
      .createIndex([table, ...columns].join('_'))
      .on(table)
      .columns([...columns]);
    await (unique ? index.unique() : index).execute();
  }
}

function createTable(
  db: Db,
  name: string,
  columns: readonly ColumnSpec[],
  autoNumber: AutoNumber,
): CreateTableBuilder<string, string> {
  let table: CreateTableBuilder<string, string> = db.schema.createTable(name);
  const numbered = NUMBERED.get(name);
  if (numbered !== undefined)
    table = table.addColumn('row_id', 'integer', (column) =>
      numbered === 'made' ? autoNumber(column.primaryKey()) : column.primaryKey(),
    );
  for (const [column, type, use] of columns)
    table = table.addColumn(column, type, (definition) => (use === 'optional' ? definition : definition.notNull()));
  const key = columns.filter(([, , use]) => use === 'key').map(([column]) => column);
  return key.length === 0 ? table : table.addPrimaryKeyConstraint(`${name}_key`, key);
}
