// Reading what agents say has happened: to their miners, and to themselves. Storing it is ingest.ts, dropping what is old pruning.ts.
import type { Databases } from './databases.ts';
import { countAll, type Window } from './rows.ts';

/** `minerId` null = it is about the agent. */
export type MinerEvent = {
  readonly type: string;
  readonly minerId: string | null;
  readonly agentId: string;
  readonly atMs: number;
  readonly detail: Record<string, unknown>;
};

export type EventQuery = {
  readonly farmId: string;
  readonly minerId?: string | undefined;
  readonly types?: readonly string[] | undefined;
  readonly window: Window;
};

export type EventStore = {
  /** Newest first. */
  list(query: EventQuery): Promise<{ events: readonly MinerEvent[]; total: number }>;
};

export function createEventStore({ read }: Pick<Databases, 'read'>): EventStore {
  return {
    async list({ farmId, minerId, types, window }) {
      let wanted = read.selectFrom('events').where('farm_id', '=', farmId);
      if (minerId !== undefined) wanted = wanted.where('miner_id', '=', minerId);
      if (types !== undefined) wanted = wanted.where('type', 'in', types);
      const rows = await wanted
        .select(['type', 'miner_id', 'agent_id', 'at', 'detail'])
        .orderBy('at', 'desc')
        // Events of one moment stay in one order from page to page.
        .orderBy('type')
        .orderBy('miner_id')
        .orderBy('detail')
        .limit(window.limit)
        .offset(window.offset)
        .execute();
      const events = rows.map((row) => ({
        type: row.type,
        minerId: row.miner_id,
        agentId: row.agent_id,
        atMs: row.at,
        detail: JSON.parse(row.detail),
      }));
      return { events, total: await countAll(wanted) };
    },
  };
}
