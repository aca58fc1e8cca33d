// Makes large pages of a list from the rows of PostgreSQL, a portion at a time: the rows of a whole page would be
// copied from one part of the heap to the next while they wait for the last one. The database plans and sorts once.
// Made inside the database a page would take it twice as long: it is the one that all copies share.
import { sql } from 'kysely';
import { type MinerRow, type ReadItems, rowsOf, writeItems } from '../miners/items.ts';

/**
 * As the statement says: a number of rows is no parameter there. So few that server and thread work for about a
 * millisecond at a time: other requests wait no longer than that for a processor.
 */
const PORTION = 100;

export const readItemsByCursor: ReadItems = (read, page, item, nowMs, take) =>
  read.transaction().execute(async (transaction) => {
    await sql`declare page no scroll cursor for ${rowsOf(page, item)}`.execute(transaction);
    let count = 0;
    for (;;) {
      const { rows } = await sql<MinerRow>`fetch 100 from page`.execute(transaction);
      if (rows.length > 0) await take(`${count > 0 ? ',' : ''}${writeItems(rows, item, nowMs)}`);
      count += rows.length;
      if (rows.length < PORTION) return count;
    }
  });
