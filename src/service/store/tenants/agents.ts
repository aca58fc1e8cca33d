// Agents: who they are, when they were last heard, and the search. How they come in is enrolment.ts.
import type { ExpressionBuilder } from 'kysely';
import type { AGENT_STATUSES } from '../../../model/host.ts';
import type { Databases } from '../databases.ts';
import { CLOCKS_DIFFER_MS, countAll, type Window } from '../rows.ts';
import type { Db, Row, Tables } from '../schema.ts';
import { createEnrolment } from './enrolment.ts';
import { findDismissed, revoke } from './revocation.ts';

/** An agent counts as online this long after it was last heard; a connected one is heard with every ping. */
const AGENT_ONLINE_MS = 60_000;

type AgentStatus = (typeof AGENT_STATUSES)[number];

export type Agent = {
  readonly id: string;
  readonly farmId: string;
  readonly workspaceId: string;
  readonly name: string;
  readonly tokenHash: string;
  /** That it has to prove with each connection. */
  readonly identityKey: string;
  readonly isRevoked: boolean;
  /** Its farm is: it reports nothing and gets nothing. */
  readonly isArchived: boolean;
};

const ROW_COLUMNS = [
  ...(['farm_id', 'version', 'enrolled_at', 'last_seen_at', 'uptime_s', 'host', 'host_at', 'revoked_at'] as const),
  ...(['max_miners', 'clock_ahead_ms', 'storage_fault', 'storage_fault_at'] as const),
] as const;
/** Times in ms; `host` is the JSON text of the host object. */
export type AgentRow = Readonly<Pick<Row<'agents'>, 'id' | 'name' | (typeof ROW_COLUMNS)[number]>> & {
  readonly farm_name: string | null;
};

/**
 * Farms to look in (none = nothing to find); statuses wanted; whether agents are left out that have reported nothing of
 * their host, such as those that were enrolled and never connected.
 */
type AgentFilter = {
  readonly farmIds: readonly string[];
  readonly statuses: readonly AgentStatus[];
  readonly hasReported: boolean;
};

export type AgentStore = ReturnType<typeof createAgentStore>;

export function createAgentStore({ read, write, transact }: Databases) {
  return {
    ...createEnrolment({ write, transact }),
    async find(id: string): Promise<Agent | undefined> {
      const row = await read
        .selectFrom('agents')
        .innerJoin('farms', 'farms.id', 'agents.farm_id')
        .select(['agents.id', 'farm_id as farmId', 'workspace_id as workspaceId', 'agents.name'])
        .select(['token_hash as tokenHash', 'identity_key as identityKey', 'revoked_at', 'archived_at'])
        .where('agents.id', '=', id)
        .executeTakeFirst();
      if (row === undefined) return undefined;
      const { revoked_at, archived_at, ...agent } = row;
      return { ...agent, isRevoked: revoked_at !== null, isArchived: archived_at !== null };
    },
    async touch(ids: readonly string[], nowMs: number): Promise<void> {
      if (ids.length === 0) return;
      await write.updateTable('agents').set({ last_seen_at: nowMs }).where('id', 'in', ids).execute();
    },
    /** What it said in its hello; `clockAheadMs` null = its clock agrees with ours. */
    async setHello(
      id: string,
      { version, clockAheadMs }: { version: string; clockAheadMs: number | null },
    ): Promise<void> {
      await write.updateTable('agents').set({ version, clock_ahead_ms: clockAheadMs }).where('id', '=', id).execute();
    },
    /** Agents that are not revoked, last online first, then by id. Those that never connected come last. */
    async search({
      filter,
      window,
      nowMs,
    }: {
      filter: AgentFilter;
      window: Window;
      nowMs: number;
    }): Promise<{ rows: readonly AgentRow[]; total: number }> {
      const where = (eb: ExpressionBuilder<Tables, 'agents'>) =>
        eb.and([
          eb('agents.farm_id', 'in', filter.farmIds),
          ...(filter.hasReported ? [eb('host', 'is not', null), eb('last_seen_at', 'is not', null)] : []),
          eb('revoked_at', 'is', null),
          hasStatus(eb, filter.statuses, nowMs),
        ]);
      if (filter.farmIds.length === 0) return { rows: [], total: 0 };
      const rows = await selectRows(read)
        .where(where)
        .orderBy('last_seen_at', (order) => order.desc().nullsLast())
        .orderBy('agents.id')
        .limit(window.limit)
        .offset(window.offset)
        .execute();
      return { rows, total: await countAll(read.selectFrom('agents').where(where)) };
    },
    statusAt: ({ last_seen_at }: Pick<AgentRow, 'last_seen_at'>, nowMs: number): AgentStatus =>
      last_seen_at !== null && last_seen_at > nowMs - AGENT_ONLINE_MS && last_seen_at <= nowMs + CLOCKS_DIFFER_MS
        ? 'online'
        : 'offline',
    listAll: (): Promise<readonly AgentRow[]> => selectRows(read).orderBy('agents.id').execute(),
    /** Says whether there was an unrevoked agent with that id. */
    revoke: (id: string, nowMs: number) => revoke(write, 'agents', id, nowMs),
    /**
     * How many miners the agent may have; with `isLeast` only where it may have fewer. Says whether there is such an
     * agent that is not revoked.
     */
    grant: (id: string, maxMiners: number, { isLeast } = { isLeast: false }): Promise<boolean> =>
      transact(async (trx) => {
        const agent = await trx
          .selectFrom('agents')
          .select(['max_miners', 'new_miners_left'])
          .where('id', '=', id)
          .where('revoked_at', 'is', null)
          .executeTakeFirst();
        if (agent === undefined) return false;
        const more = maxMiners - agent.max_miners;
        if (isLeast && more <= 0) return true;
        await trx
          .updateTable('agents')
          .set({ max_miners: maxMiners, new_miners_left: Math.max(0, agent.new_miners_left + more) })
          .where('id', '=', id)
          .execute();
        return true;
      }),
    findDismissed: (ids: readonly string[]) => findDismissed(read, ids),
  };
}

const selectRows = (read: Db) =>
  read
    .selectFrom('agents')
    .innerJoin('farms', 'farms.id', 'agents.farm_id')
    .select(['agents.id', 'agents.name', 'farms.name as farm_name'])
    .select(ROW_COLUMNS.map((column) => `agents.${column}` as const));

function hasStatus(eb: ExpressionBuilder<Tables, 'agents'>, statuses: readonly AgentStatus[], nowMs: number) {
  const since = eb('last_seen_at', '>', nowMs - AGENT_ONLINE_MS);
  const until = eb('last_seen_at', '<=', nowMs + CLOCKS_DIFFER_MS);
  return eb.or([
    ...(statuses.includes('online') ? [eb.and([since, until])] : []),
    ...(statuses.includes('offline') ? [eb('last_seen_at', 'is', null), eb.not(since), eb.not(until)] : []),
  ]);
}
