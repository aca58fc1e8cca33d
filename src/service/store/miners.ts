// Reading miners: a page of a farm's list, with the total. Documents come out as the text that went in.

import { type MinerFilter, minerConditions } from './miner-filter.ts';
import type { Db } from './schema.ts';

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
      const rows = await read
        .selectFrom('miners')
        .innerJoin('miner_documents', 'miner_documents.row_id', 'miners.row_id')
        .select(['miners.id', 'created_at', 'stale_at', 'ops_status', 'rack', 'position', 'document'])
        .where((eb) => minerConditions(eb, farmId, filter, nowMs))
        .orderBy('ip_num')
        .orderBy('miners.id')
        .limit(window.limit)
        .offset(window.offset)
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

/** A page that is not full is the last one and says the total itself. */
export function totalFromPage(rows: number, { limit, offset }: Window): number | undefined {
  return rows < limit && (rows > 0 || offset === 0) ? offset + rows : undefined;
}
