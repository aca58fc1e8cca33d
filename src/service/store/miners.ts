// Reading miners: a page of a farm's list, with the total. Documents come out as the text that went in.
import type { ExpressionBuilder, ExpressionWrapper, SqlBool } from 'kysely';
import { type MinerFilter, minerConditions } from './miner-filter.ts';
import type { Db, Tables } from './schema.ts';

/** A part of a list: at most `limit` items after `offset` are skipped. */
export type Window = { readonly limit: number; readonly offset: number };

/** Times in ms since the epoch; `document` is the JSON text of the agent's document. */
export type MinerRow = {
  readonly id: string;
  readonly created_at: number;
  readonly stale_at: number | null;
  readonly ops_status: string | null;
  readonly rack: string | null;
  readonly position: number | null;
  readonly document: string;
};

export type MinerStore = {
  /** Ordered by address, then id. */
  list(query: {
    farmId: string;
    filter: MinerFilter;
    window: Window;
    nowMs: number;
  }): Promise<{ rows: readonly MinerRow[]; total: number }>;
};

export function createMinerStore(read: Db): MinerStore {
  return {
    async list({ farmId, filter, window, nowMs }) {
      const rows = await pageOf(read, (eb) => minerConditions(eb, farmId, filter, nowMs), window)
        .select(['miners.id', 'created_at', 'stale_at', 'ops_status', 'rack', 'position', 'document'])
        .execute();
      return { rows, total: totalFromPage(rows.length, window) ?? (await count()) };

      async function count(): Promise<number> {
        const found = await read
          .selectFrom('miners')
          .select((eb) => eb.fn.countAll<number>().as('count'))
          .where((eb) => minerConditions(eb, farmId, filter, nowMs))
          .executeTakeFirstOrThrow();
        return Number(found.count);
      }
    },
  };
}

/** Skipping so many rows and so many pages costs more than reading a page in two steps. */
const DEEP_ROWS = 500;
const DEEP_PAGES = 4;

/** The miners of a window in the order of every list, joined with their documents. Rows that are only skipped are skipped in the index alone. */
export function pageOf(
  read: Db,
  where: (eb: ExpressionBuilder<Tables, 'miners'>) => ExpressionWrapper<Tables, 'miners', SqlBool>,
  { limit, offset }: Window,
) {
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

/** A page that is not full is the last one and says the total itself. */
export function totalFromPage(rows: number, { limit, offset }: Window): number | undefined {
  return rows < limit && (rows > 0 || offset === 0) ? offset + rows : undefined;
}
