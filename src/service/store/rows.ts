// What many statements of the store share: rows in portions, pages and counts, lists of texts in one column. It knows
// no table.
import type { SelectQueryBuilder } from 'kysely';
import type { Tables } from './schema.ts';

/** Rows per statement: below the smallest bound on parameters among the databases. */
const ROWS_PER_STATEMENT = 100;

export function chunks<T>(items: readonly T[]): T[][] {
  const parts: T[][] = [];
  for (let start = 0; start < items.length; start += ROWS_PER_STATEMENT)
    parts.push(items.slice(start, start + ROWS_PER_STATEMENT));
  return parts;
}

/**
 * The clocks of copies of the service may differ by as much. What was written later than that from now was written
 * before the clock was set back, and does not say how long ago.
 */
export const CLOCKS_DIFFER_MS = 60_000;

/** A part of a list: at most `limit` items after `offset` are skipped. */
export type Window = { readonly limit: number; readonly offset: number };

/**
 * How many rows the statement selects that a page of `rows` is of. A page that is not full is the last one, and its end
 * is the count.
 */
export async function countAll<T extends keyof Tables>(
  wanted: SelectQueryBuilder<Tables, T, object>,
  rows = 0,
  { limit, offset }: Window = { limit: 0, offset: 0 },
): Promise<number> {
  if (rows < limit && (rows > 0 || offset === 0)) return offset + rows;
  const found = await wanted.select((eb) => eb.fn.countAll<number>().as('count')).executeTakeFirstOrThrow();
  return Number(found.count);
}

/** A JSON array of texts that we wrote. */
export function textList(json: string): readonly string[] {
  const value: unknown = JSON.parse(json);
  return Array.isArray(value) ? value.map(String) : [];
}
