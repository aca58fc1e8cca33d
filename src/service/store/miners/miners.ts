// Pages of miners: which rows, in which order, and how many there are in all. Which miners are meant is miner-filter.ts
// and miner-search.ts.
import type { ExpressionBuilder } from 'kysely';
import type { Databases } from '../databases.ts';
import { countAll, type Window } from '../rows.ts';
import type { Db, Tables } from '../schema.ts';
import type { Item, MinerPage, TakeText } from './items.ts';
import { nameMiners } from './memory/named.ts';
import { findMiner } from './memory/one-miner.ts';
import { troubledMiners } from './memory/troubled.ts';
import { type MinerFilter, minerConditions } from './miner-filter.ts';
import { type MinerSearch, searchConditions, toFilter } from './miner-search.ts';

/** A page as JSON text in parts, without brackets, and how many miners there are in all. */
export type ItemPage = { readonly items: readonly (string | Uint8Array)[]; readonly total: number };

export type MinerQuery = {
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
  const write = async (query: MinerQuery, take: TakeText): Promise<number> => {
    const { window, item, nowMs } = query;
    const where = conditionsOf(query);
    const count = await readItems(read, pageOf(read, where, window), item, nowMs, take);
    return countAll(wantedOf(read, where), count, window);
  };
  return {
    /** With what a list does not show of it; undefined = the farm has no such miner. */
    find: (wanted: Parameters<typeof findMiner>[1]) => findMiner({ read, readItems }, wanted),
    /** What people know these miners by. */
    name: (farmId: string, ids: readonly string[]) => nameMiners(read, farmId, ids),
    /** Those with a flag and those that are missing, at most so many. */
    troubled: (farmId: string, most: number) => troubledMiners(read, farmId, most),
    /** Hands over those that fit filter and search, ordered by address, then id; gives how many there are in all. */
    write,
    /** The ids of those that fit, in the same order, and no more than `limit`. */
    async ids(query: Omit<MinerQuery, 'window' | 'item'>, limit: number): Promise<readonly string[]> {
      const wanted = wantedOf(read, conditionsOf(query)).select('miners.id');
      const rows = await wanted.orderBy('ip_num').orderBy('miners.id').limit(limit).execute();
      return rows.map(({ id }) => id);
    },
    /** The same as one value. */
    async list(query: MinerQuery): Promise<ItemPage> {
      const items: (string | Uint8Array)[] = [];
      const total = await write(query, (part) => void items.push(typeof part === 'string' ? part : Buffer.from(part)));
      return { items, total };
    },
  };
}

type Where = (eb: Builder) => ReturnType<Builder['and']>;

const conditionsOf =
  ({ farmId, filter = {}, search, nowMs }: Pick<MinerQuery, 'farmId' | 'filter' | 'search' | 'nowMs'>): Where =>
  (eb) =>
    search === undefined
      ? minerConditions(eb, farmId, filter, nowMs)
      : eb.and([minerConditions(eb, farmId, toFilter(filter, search), nowMs), ...searchConditions(eb, search)]);

const wantedOf = (read: Db, where: Where) => read.selectFrom('miners').where(where);

/** Skipping so many rows and so many pages costs more than reading a page in two steps. */
const DEEP_ROWS = 500;
const DEEP_PAGES = 4;

/**
 * The miners of a window in the order of every list, joined with their documents. Rows that are only skipped are
 * skipped in the index alone.
 */
function pageOf(read: Db, where: Where, { limit, offset }: Window): MinerPage {
  const joined = inOrder(read);
  if (offset < DEEP_ROWS || offset < DEEP_PAGES * limit) return joined.where(where).limit(limit).offset(offset);
  const wanted = wantedOf(read, where)
    .select('miners.row_id')
    .orderBy('ip_num')
    .orderBy('miners.id')
    .limit(limit)
    .offset(offset);
  return joined.where('miners.row_id', 'in', wanted);
}

const inOrder = (read: Db) =>
  read
    .selectFrom('miners')
    .innerJoin('miner_documents', 'miner_documents.row_id', 'miners.row_id')
    .orderBy('ip_num')
    .orderBy('miners.id');
