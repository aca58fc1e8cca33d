// Opens PostgreSQL: two bounded pools of connections (one refuses to write), locks between the copies of the service,
// and their messages. All that is special to PostgreSQL is in this folder; the rest of the store uses the query builder
// only.
import { Kysely, sql } from 'kysely';
import pg from 'pg';
import { systemClock } from '../../../base/clock.ts';
import { ConfigError, renderError } from '../../../base/errors.ts';
import { type Log, silentLog } from '../../../base/log.ts';
import type { Databases, Lock } from '../databases.ts';
import { readItemsFromRows } from '../miners/items.ts';
import type { Tables } from '../schema.ts';
import { retryConflicts } from './conflicts.ts';
import { numberTypes, PlainPostgresDialect } from './dialect.ts';
import { createPostgresMessages } from './messages.ts';

/** Per copy: twice this many connections, and one for messages. */
const POOL_SIZE = 8;
const CONNECT_MS = 5_000;
/** No statement of ours takes longer, unless something is wrong; waiting for a lock ends before. */
const STATEMENT_MS = 30_000;
const LOCK_MS = 15_000;
/** A copy that hangs or has lost the network must not hold its locks for ever. */
const IDLE_IN_TRANSACTION_MS = 30_000;
/** The client's own bound, for when nothing comes back at all. */
const ANSWER_MS = STATEMENT_MS + 5_000;

export const isPostgresUrl = (target: string): boolean => /^postgres(ql)?:\/\//i.test(target);

/** Without user and password, for messages. */
export function nameOfPostgres(url: string): string {
  const { host, pathname } = parseUrl(url);
  return `postgres://${host}${pathname}`;
}

/** Connects when first used. `log` gets a line for each idle connection that is lost. */
export function openPostgresDatabases(url: string, log: Log = silentLog, random = Math.random): Databases {
  parseUrl(url);
  // Real time, because the other transaction runs in real time.
  const conflicts = { sleep: (delayMs: number) => systemClock.sleep(delayMs), random };
  const options: pg.PoolConfig = {
    connectionString: url,
    types: numberTypes(),
    max: POOL_SIZE,
    keepAlive: true,
    application_name: 'pithead',
    connectionTimeoutMillis: CONNECT_MS,
    statement_timeout: STATEMENT_MS,
    query_timeout: ANSWER_MS,
    lock_timeout: LOCK_MS,
    idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_MS,
  };
  const open = (more: pg.PoolConfig) => {
    const pool = new pg.Pool({ ...options, ...more });
    pool.on('error', (error) => log.warn({ error: renderError(error) }, 'lost a connection to the database'));
    return new Kysely<Tables>({ dialect: new PlainPostgresDialect({ pool }, conflicts) });
  };
  const write = open({});
  const read = open({ options: '-c default_transaction_read_only=on' });
  let closing: Promise<void> | undefined;
  return {
    write,
    read,
    // Made inside, a page would take it twice as long: it is the one that all copies share.
    readItems: readItemsFromRows,
    transact: (work) => retryConflicts(() => write.transaction().execute(work), conflicts),
    autoNumber: (key) => key.generatedByDefaultAsIdentity(),
    lock,
    // The operator of the database makes the backups.
    backUp: async () => {},
    // PostgreSQL keeps its own statistics.
    afterMigration: async () => {},
    messages: createPostgresMessages(write, { connectionString: url, keepAlive: true, application_name: 'pithead' }),
    async sharedNowMs() {
      const { rows } = await sql<{ ms: number }>`
        select CAST(floor(extract(epoch from clock_timestamp()) * 1000) AS bigint) AS ms`.execute(read);
      return rows[0]?.ms ?? Number.NaN;
    },
    close() {
      closing ??= Promise.all([read.destroy(), write.destroy()]).then(() => {});
      return closing;
    },
  };
}

/** Two names that happen to share a number wait for each other: that is harmless. */
const lock: Lock = async (transaction, name) => {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`pithead ${name}`}, 0))`.execute(transaction);
};

function parseUrl(url: string): URL {
  const parsed = URL.parse(url);
  if (parsed !== null) return parsed;
  throw new ConfigError('open the database', [
    { path: 'database', message: 'accepted: postgres://user:password@host:port/name, special characters as %xx' },
  ]);
}
