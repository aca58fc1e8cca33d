// Pages of miners: which rows, in which order, and how many there are in all. Which miners are meant is miner-filter.ts
// and miner-search.ts.
import type { ExpressionBuilder } from 'kysely';
import { yieldToEventLoop } from '../../../base/clock.ts';
import type { Databases } from '../databases.ts';
import { countAll, type Window } from '../rows.ts';
import type { Db, Tables } from '../schema.ts';
import { type Item, type Items, type MinerPage, type Place, readItemsFromRows } from './items.ts';
import { type MinerFilter, minerConditions } from './miner-filter.ts';
import { type MinerSearch, searchConditions, toFilter } from './miner-search.ts';

/** A page as JSON text in parts, without brackets, and how many miners there are in all. */
export type ItemPage = { readonly items: readonly Items['text'][]; readonly total: number };

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

export function createMinerStore({
  read,
  readSnapshot,
  readItems,
}: Pick<Databases, 'read' | 'readSnapshot' | 'readItems'>) {
  return {
    /**
     * Those that fit filter and search, ordered by address, then id. A large page is read in portions, and others have
     * their turn between them.
     */
    async list(query: MinerQuery): Promise<ItemPage> {
      const { window, item, nowMs } = query;
      const where = conditionsOf(query);
      if (window.limit > PORTION) return readSnapshot((snapshot) => inPortions(snapshot, where, query));
      const readPage = window.limit < LEAST_INSIDE ? readItemsFromRows : readItems;
      const { text, count } = await readPage(read, pageOf(read, where, window), item, nowMs);
      return { items: count === 0 ? [] : [text], total: await countAll(wantedOf(read, where), count, window) };
    },
  };

  async function inPortions(snapshot: Db, where: Where, { window, item, nowMs }: MinerQuery): Promise<ItemPage> {
    const items: Items['text'][] = [];
    let count = 0;
    let last: Items['last'];
    for (;;) {
      const limit = Math.min(PORTION, window.limit - count);
      const page =
        last === undefined ? pageOf(snapshot, where, { ...window, limit }) : pageAfter(snapshot, where, last, limit);
      const portion = await readItems(snapshot, page, item, nowMs);
      // Here, so that no page is written as bytes at once.
      if (portion.count > 0) items.push(Buffer.from(portion.text));
      count += portion.count;
      last = portion.last;
      if (portion.count < limit || count === window.limit) break;
      await yieldToEventLoop();
    }
    return { items, total: await countAll(wantedOf(snapshot, where), count, window) };
  }
}

type Where = (eb: Builder) => ReturnType<Builder['and']>;

const conditionsOf =
  ({ farmId, filter = {}, search, nowMs }: MinerQuery): Where =>
  (eb) =>
    search === undefined
      ? minerConditions(eb, farmId, filter, nowMs)
      : eb.and([minerConditions(eb, farmId, toFilter(filter, search), nowMs), ...searchConditions(eb, search)]);

const wantedOf = (read: Db, where: Where) => read.selectFrom('miners').where(where);

/** A smaller page is read sooner from rows than its statement is written that makes the text inside the database. */
const LEAST_INSIDE = 200;
/** About a millisecond of the event loop. */
const PORTION = 200;

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

/** The next ones after a miner. */
const pageAfter = (read: Db, where: Where, { ipNum, id }: Place, limit: number): MinerPage =>
  inOrder(read)
    .where(where)
    .where(({ eb, refTuple, tuple }) => eb(refTuple('miners.ip_num', 'miners.id'), '>', tuple(ipNum, id)))
    .limit(limit);

const inOrder = (read: Db) =>
  read
    .selectFrom('miners')
    .innerJoin('miner_documents', 'miner_documents.row_id', 'miners.row_id')
    .orderBy('ip_num')
    .orderBy('miners.id');
