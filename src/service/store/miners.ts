// Reading miners: a page of a farm's list, with the total. Documents come out as the text that went in.
import type { ExpressionBuilder, ExpressionWrapper, SqlBool } from 'kysely';
import type { Databases } from './databases.ts';
import type { Item, Items, MinerPage } from './items.ts';
import { type MinerFilter, minerConditions } from './miner-filter.ts';
import type { Db, Tables } from './schema.ts';

/** A part of a list: at most `limit` items after `offset` are skipped. */
export type Window = { readonly limit: number; readonly offset: number };

/** A page as JSON text, without brackets, and how many miners there are in all. */
export type ItemPage = { readonly items: Items['text']; readonly total: number };

export type MinerStore = {
  /** Ordered by address, then id. */
  list(query: { farmId: string; filter: MinerFilter; window: Window; item: Item; nowMs: number }): Promise<ItemPage>;
};

export function createMinerStore(parts: Pick<Databases, 'read' | 'readItems'>): MinerStore {
  return {
    list: ({ farmId, filter, ...wanted }) =>
      readItemPage(parts, (eb) => minerConditions(eb, farmId, filter, wanted.nowMs), wanted),
  };
}

type Where = (eb: ExpressionBuilder<Tables, 'miners'>) => ExpressionWrapper<Tables, 'miners', SqlBool>;

/** The miners of a window, and how many there are in all; counted only where the page does not say. */
export async function readItemPage(
  { read, readItems }: Pick<Databases, 'read' | 'readItems'>,
  where: Where,
  { window, item, nowMs }: { readonly window: Window; readonly item: Item; readonly nowMs: number },
): Promise<ItemPage> {
  const items = await readItems(read, pageOf(read, where, window), item, nowMs);
  return { items: items.text, total: totalFromPage(items.count, window) ?? (await count()) };

  async function count(): Promise<number> {
    const found = await read
      .selectFrom('miners')
      .select((eb) => eb.fn.countAll<number>().as('count'))
      .where(where)
      .executeTakeFirstOrThrow();
    return Number(found.count);
  }
}

/** Skipping so many rows and so many pages costs more than reading a page in two steps. */
const DEEP_ROWS = 500;
const DEEP_PAGES = 4;

/** The miners of a window in the order of every list, joined with their documents. Rows that are only skipped are skipped in the index alone. */
function pageOf(read: Db, where: Where, { limit, offset }: Window): MinerPage {
  const joined = read
    .selectFrom('miners')
    .innerJoin('miner_documents', 'miner_documents.row_id', 'miners.row_id')
    .orderBy('ip_num')
    .orderBy('miners.id');
  if (offset < DEEP_ROWS || offset < DEEP_PAGES * limit)
    return { query: joined.where(where).limit(limit).offset(offset), limit };
  const wanted = read
    .selectFrom('miners')
    .select('miners.row_id')
    .where(where)
    .orderBy('ip_num')
    .orderBy('miners.id')
    .limit(limit)
    .offset(offset);
  return { query: joined.where('miners.row_id', 'in', wanted), limit };
}

/** A page that is not full is the last one and says the total itself. */
export function totalFromPage(rows: number, { limit, offset }: Window): number | undefined {
  return rows < limit && (rows > 0 || offset === 0) ? offset + rows : undefined;
}
