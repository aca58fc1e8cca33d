// Keeps a copy of the service from writing on a schema that is newer than it knows. Every write holds a lock that an
// upgrade waits for, and reads the version under it: no write of an older copy comes after the upgrade.
import { hostname } from 'node:os';
import { DummyDriver, Kysely, PostgresAdapter, PostgresIntrospector, PostgresQueryCompiler, sql } from 'kysely';
import { DatabaseError } from '../../../base/errors.ts';
import type { ReportedAvailability } from '../availability.ts';
import type { Tables } from '../schema.ts';

/** What this copy is: the version of the program and of the schema that it knows. */
export type Program = { readonly version: string; readonly schema: number };

/** PostgreSQL keeps so many bytes of the name of a connection. */
const MAX_NAME = 63;

/** How the connections of this copy are called in pg_stat_activity. */
export const connectionName = ({ version, schema }: Program): string =>
  `pithead ${version} schema ${schema} ${hostname()}`.slice(0, MAX_NAME);

/** Makes statements without a database. */
const builder = () =>
  new Kysely<Tables>({
    dialect: {
      createAdapter: () => new PostgresAdapter(),
      createDriver: () => new DummyDriver(),
      createIntrospector: (db) => new PostgresIntrospector(db),
      createQueryCompiler: () => new PostgresQueryCompiler(),
    },
  });
export type SchemaRow = { readonly version: number; readonly program: string | null };

export type SchemaFence = ReturnType<typeof createSchemaFence>;

export function createSchemaFence(availability: ReportedAvailability, program: Program) {
  let isArmed = false;
  /** Why this copy is too old for it; undefined = it is not. */
  const look = ([row]: readonly SchemaRow[]): string | undefined => {
    if (!isArmed || row === undefined || row.version <= program.schema) return undefined;
    const theirs = row.program === null ? 'a newer Pithead' : `Pithead ${row.program}`;
    const text = `the database has schema ${row.version} of ${theirs}; this copy is Pithead ${program.version} and knows schema ${program.schema}: install ${theirs} on this host`;
    availability.outdated(text);
    return text;
  };
  const statements = builder();
  return {
    /** Waits for an upgrade that is under way, and lets none begin until the transaction ends. */
    holdUpgrades: sql`select pg_advisory_xact_lock_shared(hashtextextended('pithead writers', 0))`.compile(statements),
    /** In a statement of its own: after a wait, a statement still sees what was before. */
    readSchema: sql<SchemaRow>`select v.version, p.program from schema_version v
      left join schema_programs p on p.version = v.version where v.owner = 'service'`.compile(statements),
    /** When the schema is newer, this copy takes no more work. */
    look,
    /** The schema was brought to the version of this copy: from now on it is compared. */
    arm(): void {
      isArmed = true;
    },
    isArmed: () => isArmed,
    /** As `look`, and throws DatabaseError `database.newer`. */
    compare(rows: readonly SchemaRow[]): void {
      const text = look(rows);
      if (text !== undefined) throw new DatabaseError('database.newer', text);
    },
  };
}
