// Whether an embedded database has every column of its tables. A flip in the text of the schema is no fault to SQLite:
// a table then has a column of another name, for ever.
import { DamagedError } from '../../../base/storage/sqlite.ts';
import type { Databases } from '../databases.ts';
import { TABLES } from '../schema.ts';

/** To be called when the schema is up to date. Throws what counts as damage, see `sqliteFault`. */
export async function throwIfTablesLack(
  { read, schemaChanges }: Pick<Databases, 'read' | 'schemaChanges'>,
  path: string,
): Promise<void> {
  for (const [table, columns] of Object.entries(TABLES)) {
    const there = await schemaChanges.columnsOf(read, table);
    const missing = Object.keys(columns).find((column) => !there.has(column));
    if (missing !== undefined) throw new DamagedError(`check database ${path}: it has no column ${table}.${missing}`);
  }
}
