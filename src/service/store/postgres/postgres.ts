// Opens PostgreSQL: two bounded pools of connections (one refuses to write), locks between the copies of the service,
// and their messages. All that is special to PostgreSQL is in this folder; the rest of the store uses the query builder
// only.
import { Kysely, sql } from 'kysely';
import pg from 'pg';
import { systemClock } from '../../../base/clock.ts';
import { ConfigError, renderError } from '../../../base/errors.ts';
import { type Log, silentLog } from '../../../base/log.ts';
import { VERSION } from '../../../base/version.ts';
import { createAvailability } from '../availability.ts';
import type { Availability, Databases, Lock } from '../databases.ts';
import { STEPS } from '../migrations/migrations.ts';
import { readItemsFromRows } from '../miners/items.ts';
import type { Tables } from '../schema.ts';
import { retryConflicts } from './conflicts.ts';
import { numberTypes, PlainPostgresDialect } from './dialect.ts';
import { readItemsByCursor } from './items.ts';
import { createPostgresMessages } from './messages.ts';
import { createSchemaChanges } from './schema-changes.ts';
import { connectionName, createSchemaFence, type Program } from './schema-fence.ts';

/** Per copy: twice this many connections, and one for messages. */
const POOL_SIZE = 8;
/** For a connection, a free one of the pool or a new one. */
const CONNECT_MS = 3_000;
/** No statement of ours takes longer, unless something is wrong; waiting for a lock ends before. */
const STATEMENT_MS = 30_000;
/** A client waits for the answer to its request. */
const LOCK_MS = 4_000;
/** A copy that hangs or has lost the network must not hold its locks while its agents are on another one. */
const IDLE_IN_TRANSACTION_MS = 5_000;
/** The client's own bound, for when nothing comes back at all. */
const ANSWER_MS = STATEMENT_MS + 5_000;

type PostgresOptions = {
  readonly random?: () => number;
  /** Default: this one. */
  readonly program?: Program;
};

export const isPostgresUrl = (target: string): boolean => /^postgres(ql)?:\/\//i.test(target);

/** Without user and password, for messages. */
export function nameOfPostgres(url: string): string {
  const { host, pathname } = parseUrl(url);
  return `postgres://${host}${pathname}`;
}

/** Connects when first used. `log` gets a line for each idle connection that is lost. */
export function openPostgresDatabases(
  url: string,
  log: Log = silentLog,
  { random = Math.random, program = { version: VERSION, schema: STEPS.length } }: PostgresOptions = {},
): Databases {
  parseUrl(url);
  // Real time, because the other transaction runs in real time.
  const conflicts = { sleep: (delayMs: number) => systemClock.sleep(delayMs), random };
  const availability = createAvailability();
  const fence = createSchemaFence(availability, program);
  const open = (mayWrite: boolean) => {
    const pool = new pg.Pool({ ...poolOptions(url, program), ...(!mayWrite && { options: READ_ONLY }) });
    pool.on('error', (error) => log.warn({ error: renderError(error) }, 'lost a connection to the database'));
    cutWhenAway(pool, availability);
    return new Kysely<Tables>({
      dialect: new PlainPostgresDialect({ pool }, conflicts, { availability, mayWrite, fence }),
    });
  };
  const write = open(true);
  const read = open(false);
  let closing: Promise<void> | undefined;
  return {
    write,
    read,
    readItems: readItemsFromRows,
    transact: (work) => retryConflicts(() => write.transaction().execute(work), conflicts),
    autoNumber: (key) => key.generatedByDefaultAsIdentity(),
    lock,
    // The operator of the database makes the backups.
    backUp: async () => {},
    // PostgreSQL keeps its own statistics.
    afterMigration: async () => {},
    messages: createPostgresMessages(
      write,
      { availability, fence },
      {
        ...{ connectionString: url, keepAlive: true, application_name: connectionName(program) },
      },
    ),
    availability,
    schemaChanges: createSchemaChanges(program, fence),
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

const READ_ONLY = '-c default_transaction_read_only=on';

const poolOptions = (url: string, program: Program): pg.PoolConfig => ({
  connectionString: url,
  types: numberTypes(),
  max: POOL_SIZE,
  keepAlive: true,
  application_name: connectionName(program),
  connectionTimeoutMillis: CONNECT_MS,
  statement_timeout: STATEMENT_MS,
  query_timeout: ANSWER_MS,
  lock_timeout: LOCK_MS,
  idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_MS,
});

/**
 * Of a server with several processors a large page takes one: the others stay with who asks for little. The
 * server walks the index in the order of the page: joining and sorting all rows first takes longer, and keeps that
 * processor busy until the first row comes. Where it has to sort it does so in memory; a cursor is read to its end.
 */
const FOR_LARGE = [
  ...['max_parallel_workers_per_gather=0', 'work_mem=32MB', 'cursor_tuple_fraction=1'],
  ...['enable_sort=off', 'enable_hashjoin=off', 'enable_mergejoin=off'],
]
  .map((setting) => `-c ${setting}`)
  .join(' ');

/**
 * A connection more to a database that this process has opened and watches. It does not learn by itself that the
 * database is away: its caller does.
 */
export function openPostgresReads(url: string): Pick<Databases, 'read' | 'readItems'> {
  const program = { version: VERSION, schema: STEPS.length };
  const pool = new pg.Pool({ ...poolOptions(url, program), max: 1, options: `${READ_ONLY} ${FOR_LARGE}` });
  // The next statement opens another one, or says why it cannot.
  pool.on('error', () => {});
  const availability = createAvailability();
  const conflicts = { sleep: (delayMs: number) => systemClock.sleep(delayMs), random: Math.random };
  const guard = { availability, mayWrite: false, fence: createSchemaFence(availability, program) };
  return {
    read: new Kysely<Tables>({ dialect: new PlainPostgresDialect({ pool }, conflicts, guard) }),
    readItems: readItemsByCursor,
  };
}

/**
 * When the database is away its connections end: those in use might wait for an answer that never comes, and those that
 * are free may be dead when it is back.
 */
function cutWhenAway(pool: pg.Pool, availability: Availability): void {
  const open = new Set<pg.PoolClient>();
  pool.on('connect', (client) => {
    open.add(client);
    // Statements report the loss of their connection; between two of them it would end the process.
    client.on('error', () => {});
  });
  pool.on('remove', (client) => open.delete(client));
  availability.onChange((unavailable) => {
    // A goodbye would wait for a peer that never answers.
    if (unavailable?.code === 'database.away') for (const client of open) client.connection.stream.destroy();
  });
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
