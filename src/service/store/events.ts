// Reading what agents say has happened: to their miners, and to themselves. Storing it is ingest.ts, dropping what is old pruning.ts.
import type { Databases } from './databases.ts';
import { countAll, type Window } from './rows.ts';
import type { Row } from './schema.ts';

type EventQuery = {
  readonly farmId: string;
  readonly minerId?: string | undefined;
  readonly types?: readonly string[] | undefined;
  readonly window: Window;
};

/** `minerId` null = it is about the agent. */
export type MinerEvent = Readonly<ReturnType<typeof toEvent>>;
export function createEventStore({ read }: Databases) {
  return {
    /** Newest first. */
    async list({ farmId, minerId, types, window }: EventQuery) {
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
      return { events: rows.map(toEvent), total: await countAll(wanted) };
    },
  };
}

function toEvent(row: Omit<Row<'events'>, 'farm_id'>) {
  const detail: Readonly<Record<string, unknown>> = JSON.parse(row.detail);
  return { type: row.type, minerId: row.miner_id, agentId: row.agent_id, atMs: row.at, detail };
}
