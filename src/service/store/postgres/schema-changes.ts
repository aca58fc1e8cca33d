// Changes of the schema on PostgreSQL, beside other copies of the service: waits for their writes, and finds the copies
// of older versions by the names of their connections.
import { sql } from 'kysely';
import type { OlderCopies, SchemaChanges } from '../databases.ts';
import type { Db } from '../schema.ts';
import type { Program, SchemaFence } from './schema-fence.ts';

/** How versions without a fence call their connections. */
const UNAWARE = 'pithead';
const NAME = /^pithead (\S+) schema (\d+)/;

export function createSchemaChanges({ schema }: Program, fence: SchemaFence): SchemaChanges {
  return {
    async lockWriters(transaction) {
      // Writes that are under way may take as long.
      await sql`set local lock_timeout = '20s'`.execute(transaction);
      await sql`select pg_advisory_xact_lock(hashtextextended('pithead writers', 0))`.execute(transaction);
    },
    findOlderCopies: (transaction) => findOlderCopies(transaction, schema),
    refuseNewer: fence.arm,
    async dropDefault(transaction, table, column) {
      const dropped = transaction.schema.alterTable(table).alterColumn(column, (altered) => altered.dropDefault());
      await dropped.execute();
    },
    async columnsOf(transaction, table) {
      const { rows } = await sql<{ name: string }>`select column_name AS name from information_schema.columns
        where table_schema = current_schema() and table_name = ${table}`.execute(transaction);
      return new Set(rows.map(({ name }) => name));
    },
  };
}

async function findOlderCopies(transaction: Db, schema: number): Promise<OlderCopies> {
  const { rows } = await sql<{ name: string; client: string | null; since: string }>`
    select application_name AS name, host(client_addr) AS client,
      to_char(min(backend_start) at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') AS since
    from pg_stat_activity
    where datname = current_database() and application_name ~ '^pithead( |$)' and pid <> pg_backend_pid()
    group by 1, 2 order by 1, 2`.execute(transaction);
  const shown = rows.map(({ name, client, since }) => ({
    isUnaware: name === UNAWARE,
    schema: Number(NAME.exec(name)?.[2] ?? 0),
    text: `${name === UNAWARE ? 'a copy of Pithead that does not notice upgrades' : name}, from ${client ?? 'an unknown address'}, connected since ${since}`,
  }));
  return {
    unaware: shown.filter(({ isUnaware }) => isUnaware).map(({ text }) => text),
    aware: shown.filter((one) => !one.isUnaware && one.schema < schema).map(({ text }) => text),
  };
}
