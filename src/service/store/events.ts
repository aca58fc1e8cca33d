// Reads events of miners, agents and the service, and records those of the service. Those of agents are stored by
// ingest.ts; pruning.ts removes old ones.
import type { Databases } from './databases.ts';
import { countAll, type Window } from './rows.ts';
import type { Row } from './schema.ts';

type EventQuery = {
  readonly farmId: string;
  readonly minerId?: string | undefined;
  readonly types?: readonly string[] | undefined;
  readonly window: Window;
};

type AgentEvent = {
  readonly agent: { readonly id: string; readonly farmId: string };
  readonly type: string;
  readonly atMs: number;
  readonly detail: Readonly<Record<string, unknown>>;
};

/** Instead of the id of an agent. */
const OF_SERVICE = '';

/** `minerId` null = it is about the agent, or where `agentId` is null too, about the service. */
export type MinerEvent = Readonly<ReturnType<typeof toEvent>>;
export type EventStore = ReturnType<typeof createEventStore>;

export function createEventStore({ read, write }: Databases) {
  return {
    /** An event of the service itself: in the list of every farm that is not archived. */
    async recordForService({
      type,
      atMs,
      detail,
    }: {
      type: string;
      atMs: number;
      detail: Readonly<Record<string, unknown>>;
    }) {
      const farms = await read.selectFrom('farms').select('id').where('archived_at', 'is', null).execute();
      const about = { agent_id: OF_SERVICE, miner_id: null, type, at: atMs, detail: JSON.stringify(detail) };
      for (const { id } of farms)
        await write
          .insertInto('events')
          .values({ farm_id: id, ...about })
          .execute();
    },
    /** An event that the service sees of an agent. */
    async recordForAgent(event: AgentEvent) {
      const { agent, type, atMs, detail } = event;
      const about = { farm_id: agent.farmId, agent_id: agent.id, miner_id: null };
      await write
        .insertInto('events')
        .values({ ...about, type, at: atMs, detail: JSON.stringify(detail) })
        .execute();
    },
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
  const agentId = row.agent_id === OF_SERVICE ? null : row.agent_id;
  return { type: row.type, minerId: row.miner_id, agentId, atMs: row.at, detail };
}
