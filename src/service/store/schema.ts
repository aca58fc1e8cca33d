// The types of the tables of the service, as the query builder has them. The tables are in tables/tables.data.ts.
import { type Generated, type Kysely, type Selectable, sql } from 'kysely';
import { type Column, TABLES } from './tables/tables.data.ts';

export { type Column, TABLES };

type MinerColumns = (typeof TABLES)['miners'];
type Overwritten<W> = {
  [C in keyof MinerColumns]: MinerColumns[C] extends { overwritten: W } ? C : never;
}[keyof MinerColumns];

function overwritten<W extends 'always' | 'rarely'>(when: W): readonly Overwritten<W>[] {
  const columns: Readonly<Record<string, Column>> = TABLES.miners;
  return Object.keys(columns).filter((name): name is Overwritten<W> => columns[name]?.overwritten === when);
}
/**
 * Columns of miners that each report overwrites, and those that lists, filters and identity look up, which hardly ever
 * change.
 */
export const MOVING = overwritten('always');
export const STEADY = overwritten('rarely');

/**
 * Actual of expected hashrate, null where there is nothing to compare. A filter asks in exactly these words, or the
 * index does not serve it.
 */
export const REALIZATION = sql<number>`(hashrate / nullif(expected_hashrate, 0))`;

type Value<C> =
  | (C extends { type: 'text' } ? string : C extends { row: 'made' } ? Generated<number> : number)
  | (C extends { isOptional: true } ? null : never);

export type Tables = {
  -readonly [T in keyof typeof TABLES]: { -readonly [C in keyof (typeof TABLES)[T]]: Value<(typeof TABLES)[T][C]> };
} & { schema_version: { owner: string; version: number }; schema_programs: { version: number; program: string } };

/** A row as it is read. */
export type Row<T extends keyof Tables> = Selectable<Tables[T]>;

/** A connection or a transaction. */
export type Db = Kysely<Tables>;
