// Reads the events of a farm, as a list or as a feed with a cursor, and records those of the service. What stores the
// others: ingest.ts, tasks/, and presence.ts; pruning.ts removes old ones.
import { type ExpressionBuilder, sql } from 'kysely';
import { yieldToEventLoop } from '../../../base/clock.ts';
import type { EventType } from '../../../model/events/event-types.ts';
import type { Databases } from '../databases.ts';
import { countAll, type Window } from '../rows.ts';
import type { Db, Row, Tables } from '../schema.ts';
import { appendEvents, type NewEvent, OF_SERVICE } from './append.ts';
import { notePresence } from './presence.ts';

type EventFilter = {
  readonly farmId: string;
  readonly minerId?: string | undefined;
  readonly types?: readonly string[] | undefined;
  /** Of events that happened then or later. */
  readonly sinceMs?: number | undefined;
};
export type EventQuery = EventFilter & { readonly window: Window };
export type FeedQuery = EventFilter & {
  /** Only events that became visible after the one at this position; 0 = from the first that is kept. */
  readonly after: number;
  readonly limit: number;
};

type AgentEvent = {
  readonly agent: { readonly id: string; readonly farmId: string };
  readonly type: EventType;
  readonly atMs: number;
  readonly detail: NewEvent['detail'];
};
type ServiceEvent = Omit<AgentEvent, 'agent'>;

/**
 * `minerId` null = it is about the agent, or where `agentId` is null too, about the service. `position` counts within
 * the farm, see append.ts.
 */
export type MinerEvent = Readonly<ReturnType<typeof toEvent>>;
export type EventStore = ReturnType<typeof createEventStore>;

export function createEventStore(databases: Databases) {
  const { read, transact } = databases;
  return {
    ...createEventLists(read),
    /** An event of the service itself: in the list of every farm that is not archived. */
    async recordForService({ type, atMs, detail }: ServiceEvent) {
      const farms = await read.selectFrom('farms').select('id').where('archived_at', 'is', null).execute();
      for (const { id: farmId } of farms)
        await transact((trx) =>
          appendEvents(trx, [{ farmId, agentId: OF_SERVICE, minerId: null, type, atMs, detail }]),
        );
    },
    /** An event that the service sees of an agent. */
    recordForAgent: ({ agent, ...event }: AgentEvent): Promise<void> =>
      transact((trx) => appendEvents(trx, [{ farmId: agent.farmId, agentId: agent.id, minerId: null, ...event }])),
    /** Records which agents have gone offline or come back since the last call, on whichever copy. */
    notePresence: (nowMs: number) => notePresence(databases, nowMs),
    /** The newest position of each of the farms; a farm that never had an event is left out. */
    async heads(farmIds: readonly string[]): Promise<ReadonlyMap<string, number>> {
      if (farmIds.length === 0) return new Map();
      const rows = await read
        .selectFrom('event_counts')
        .select(['farm_id', 'position'])
        .where('farm_id', 'in', farmIds)
        .execute();
      return new Map(rows.map(({ farm_id, position }) => [farm_id, position]));
    },
  };
}

export function createEventLists(read: Db) {
  return {
    /** Newest first. */
    async list({ window, ...filter }: EventQuery) {
      const wanted = read.selectFrom('events').where(where(filter));
      const rows = await wanted
        .select(EVENT_COLUMNS)
        .orderBy('at', 'desc')
        // Events of one moment stay in one order from page to page.
        .orderBy('position', 'desc')
        .limit(window.limit)
        .offset(window.offset)
        .execute();
      return { events: rows.map(toEvent), total: await countAll(wanted) };
    },
    /**
     * Of a span of time, in the order in which they happened: the newest `most` of them; `leftOut` = how many older
     * ones there are.
     */
    between: (span: Span) => readSpan(read, span),
    /** In the order in which they became visible; `total` counts those after the cursor. */
    async feed({ after, limit, ...filter }: FeedQuery) {
      const wanted = read.selectFrom('events').where(where(filter)).where('position', '>', after);
      const rows = await wanted.select(EVENT_COLUMNS).orderBy('position').limit(limit).execute();
      const total = await countAll(wanted, rows.length, { limit, offset: 0 });
      return { events: rows.map(toEvent), total };
    },
  };
}

/** `untilMs` is not in it. */
type Span = {
  readonly farmId: string;
  readonly sinceMs: number;
  readonly untilMs: number;
  readonly most: number;
};

/** Events that are read at a time; between them the event loop goes on. */
const PORTION = 2_000;

async function readSpan(read: Db, { farmId, sinceMs, untilMs, most }: Span) {
  const span = read
    .selectFrom('events')
    .where('farm_id', '=', farmId)
    .where('at', '>=', sinceMs)
    .where('at', '<', untilMs);
  const newest: ReturnType<typeof toEvent>[] = [];
  for (let isMore = true; isMore; await yieldToEventLoop()) {
    const last = newest.at(-1);
    const older = last === undefined ? span : span.where(isBefore(last.atMs, last.position));
    const limit = Math.min(PORTION, most - newest.length);
    const rows = await older
      .select(EVENT_COLUMNS)
      .orderBy('at', 'desc')
      .orderBy('position', 'desc')
      .limit(limit)
      .execute();
    for (const row of rows) newest.push(toEvent(row));
    isMore = rows.length === limit && newest.length < most;
  }
  const leftOut = newest.length < most ? 0 : Math.max(0, (await countAll(span)) - newest.length);
  return { events: newest.toReversed(), leftOut };
}

const isBefore = (at: number, position: number) => (eb: ExpressionBuilder<Tables, 'events'>) =>
  eb.or([eb('at', '<', at), eb.and([eb('at', '=', at), eb('position', '<', position)])]);

export const EVENT_COLUMNS = ['farm_id', 'position', 'type', 'miner_id', 'agent_id', 'at', 'detail'] as const;

const where =
  ({ farmId, minerId, types, sinceMs }: EventFilter) =>
  (eb: ExpressionBuilder<Tables, 'events'>) =>
    eb.and([
      // Of one miner not by the index of the farm: a planner without figures would read all of its events for it.
      minerId === undefined ? eb('farm_id', '=', farmId) : eb(sql<string>`farm_id || ''`, '=', farmId),
      ...(minerId === undefined ? [] : [eb('miner_id', '=', minerId)]),
      ...(types === undefined ? [] : [eb('type', 'in', types)]),
      ...(sinceMs === undefined ? [] : [eb('at', '>=', sinceMs)]),
    ]);

export function toEvent(row: Row<'events'>) {
  const detail: Readonly<Record<string, unknown>> = JSON.parse(row.detail);
  const agentId = row.agent_id === OF_SERVICE ? null : row.agent_id;
  const { farm_id: farmId, position, type, miner_id: minerId, at: atMs } = row;
  return { farmId, position, type, minerId, agentId, atMs, detail };
}
