// Pages of miners: which rows, in which order, and how many there are in all. Which miners are meant is miner-filter.ts
// and miner-search.ts.
import type { ExpressionBuilder } from 'kysely';
import type { Databases } from '../databases.ts';
import { countAll, type Window } from '../rows.ts';
import type { Db, Tables } from '../schema.ts';
import { type Item, type Items, type MinerPage, readItemsFromRows } from './items.ts';
import { type MinerFilter, minerConditions } from './miner-filter.ts';
import { type MinerSearch, searchConditions, toFilter } from './miner-search.ts';

/** A page as JSON text, without brackets, and how many miners there are in all. */
export type ItemPage = { readonly items: Items['text']; readonly total: number };

type MinerQuery = {
  readonly farmId: string;
  readonly filter?: MinerFilter;
  readonly search?: MinerSearch;
  readonly window: Window;
  readonly item: Item;
  /** Decides which miners are stale. */
  readonly nowMs: number;
};
export type MinerStore = ReturnType<typeof createMinerStore>;

type Builder = ExpressionBuilder<Tables, 'miners'>;

export function createMinerStore({ read, readItems }: Pick<Databases, 'read' | 'readItems'>) {
  return {
    /** Those that fit filter and search, ordered by address, then id. */
    async list({ farmId, filter = {}, search, window, item, nowMs }: MinerQuery): Promise<ItemPage> {
      const where = (eb: Builder) =>
        search === undefined
          ? minerConditions(eb, farmId, filter, nowMs)
          : eb.and([minerConditions(eb, farmId, toFilter(filter, search), nowMs), ...searchConditions(eb, search)]);
      const readPage = window.limit < LEAST_INSIDE ? readItemsFromRows : readItems;
      const items = await readPage(read, pageOf(read, where, window), item, nowMs);
      const total = await countAll(read.selectFrom('miners').where(where), items.count, window);
      return { items: items.text, total };
    },
  };
}

/** A smaller page is read sooner from rows than its statement is written that makes the text inside the database. */
const LEAST_INSIDE = 200;

/** Skipping so many rows and so many pages costs more than reading a page in two steps. */
const DEEP_ROWS = 500;
const DEEP_PAGES = 4;

/**
 * The miners of a window in the order of every list, joined with their documents. Rows that are only skipped are
 * skipped in the index alone.
 */
function pageOf(read: Db, where: (eb: Builder) => ReturnType<Builder['and']>, { limit, offset }: Window): MinerPage {
  const joined = read
    .selectFrom('miners')
    .innerJoin('miner_documents', 'miner_documents.row_id', 'miners.row_id')
    .orderBy('ip_num')
    .orderBy('miners.id');
  if (offset < DEEP_ROWS || offset < DEEP_PAGES * limit) return joined.where(where).limit(limit).offset(offset);
  const wanted = read
    .selectFrom('miners')
    .select('miners.row_id')
    .where(where)
    .orderBy('ip_num')
    .orderBy('miners.id')
    .limit(limit)
    .offset(offset);
  return joined.where('miners.row_id', 'in', wanted);
}
