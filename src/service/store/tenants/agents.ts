// Agents: enrolment by one-time code, who they are, when they were last heard, and the search. Tokens and codes are here as hashes only.
import type { ExpressionBuilder } from 'kysely';
import { DEFAULT_MAX_MINERS } from '../../../model/grant.ts';
import type { AGENT_STATUSES } from '../../../model/host.ts';
import type { Databases } from '../databases.ts';
import { CLOCKS_DIFFER_MS, countAll, type Window } from '../rows.ts';
import type { Db, Row, Tables } from '../schema.ts';

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
};

/** Times in ms; `host` is the JSON text of the host object. */
export type AgentRow = Readonly<
  Pick<
    Row<'agents'>,
    | 'id'
    | 'farm_id'
    | 'name'
    | 'version'
    | 'enrolled_at'
    | 'last_seen_at'
    | 'uptime_s'
    | 'host'
    | 'host_at'
    | 'revoked_at'
    | 'max_miners'
    | 'clock_ahead_ms'
    | 'storage_fault'
    | 'storage_fault_at'
  >
> & { readonly farm_name: string | null };

/** Farms to look in (none = nothing to find); statuses wanted. */
type AgentFilter = { readonly farmIds: readonly string[]; readonly statuses: readonly AgentStatus[] };

type NewAgent = {
  readonly id: string;
  readonly name: string;
  readonly tokenHash: string;
  readonly identityKey: string;
  readonly version: string;
  readonly nowMs: number;
};

export type AgentStore = {
  createCode(code: {
    hash: string;
    farmId: string;
    nowMs: number;
    expiresAtMs: number;
    maxMiners?: number;
  }): Promise<void>;
  /** Uses the code up and creates the agent, both or neither; undefined when the code is unknown, used or expired, or its farm archived. */
  enrol(codeHash: string, agent: NewAgent): Promise<{ workspaceId: string; farmId: string } | undefined>;
  /** Without a code: for an agent that is known to be who it says. */
  admit(agent: NewAgent, farmId: string, maxMiners?: number): Promise<void>;
  find(id: string): Promise<Agent | undefined>;
  touch(ids: readonly string[], nowMs: number): Promise<void>;
  /** What it has said in its hello; `clockAheadMs` null = its clock is as ours. */
  setHello(id: string, hello: { version: string; clockAheadMs: number | null }): Promise<void>;
  /** Agents that have said what they run on and are not revoked, last online first, then id. */
  search(query: {
    filter: AgentFilter;
    window: Window;
    nowMs: number;
  }): Promise<{ rows: readonly AgentRow[]; total: number }>;
  statusAt(agent: Pick<AgentRow, 'last_seen_at'>, nowMs: number): AgentStatus;
  listAll(): Promise<readonly AgentRow[]>;
  /** Says whether there was an unrevoked agent with that id. */
  revoke(id: string, nowMs: number): Promise<boolean>;
  /** How many miners the agent may have; with `isLeast` only where it may have fewer. Says whether there is such an agent that is not revoked. */
  grant(id: string, maxMiners: number, options?: { readonly isLeast: boolean }): Promise<boolean>;
  /** Those of the agents that are revoked. */
  listRevoked(ids: readonly string[]): Promise<readonly string[]>;
};

export function createAgentStore({ read, write, transact }: Databases): AgentStore {
  return {
    async createCode({ hash, farmId, nowMs, expiresAtMs, maxMiners = DEFAULT_MAX_MINERS }) {
      await write
        .insertInto('enrolment_codes')
        .values({
          ...{ hash, farm_id: farmId, created_at: nowMs, expires_at: expiresAtMs, used_at: null, agent_id: null },
          max_miners: maxMiners,
        })
        .execute();
    },
    enrol: (codeHash, agent) =>
      transact(async (trx) => {
        const used = await trx
          .updateTable('enrolment_codes')
          .set({ used_at: agent.nowMs, agent_id: agent.id })
          .where('hash', '=', codeHash)
          .where('used_at', 'is', null)
          .where('expires_at', '>', agent.nowMs)
          .where('farm_id', 'in', trx.selectFrom('farms').select('id').where('archived_at', 'is', null))
          .returning(['farm_id', 'max_miners'])
          .executeTakeFirst();
        if (used === undefined) return undefined;
        const farm = await trx
          .selectFrom('farms')
          .select('workspace_id')
          .where('id', '=', used.farm_id)
          .executeTakeFirstOrThrow();
        await trx.insertInto('agents').values(newAgent(agent, used)).execute();
        return { workspaceId: farm.workspace_id, farmId: used.farm_id };
      }),
    async admit(agent, farmId, maxMiners = DEFAULT_MAX_MINERS) {
      await write
        .insertInto('agents')
        .values(newAgent(agent, { farm_id: farmId, max_miners: maxMiners }))
        .execute();
    },
    async find(id) {
      const row = await read
        .selectFrom('agents')
        .innerJoin('farms', 'farms.id', 'agents.farm_id')
        .select(['agents.id', 'farm_id', 'workspace_id', 'agents.name', 'token_hash', 'identity_key', 'revoked_at'])
        .where('agents.id', '=', id)
        .executeTakeFirst();
      return (
        row && {
          id: row.id,
          farmId: row.farm_id,
          workspaceId: row.workspace_id,
          name: row.name,
          tokenHash: row.token_hash,
          identityKey: row.identity_key,
          isRevoked: row.revoked_at !== null,
        }
      );
    },
    async touch(ids, nowMs) {
      if (ids.length === 0) return;
      await write.updateTable('agents').set({ last_seen_at: nowMs }).where('id', 'in', ids).execute();
    },
    async setHello(id, { version, clockAheadMs }) {
      await write.updateTable('agents').set({ version, clock_ahead_ms: clockAheadMs }).where('id', '=', id).execute();
    },
    async search({ filter, window, nowMs }) {
      const where = (eb: ExpressionBuilder<Tables, 'agents'>) =>
        eb.and([
          eb('agents.farm_id', 'in', filter.farmIds),
          eb('host', 'is not', null),
          eb('last_seen_at', 'is not', null),
          eb('revoked_at', 'is', null),
          hasStatus(eb, filter.statuses, nowMs),
        ]);
      if (filter.farmIds.length === 0) return { rows: [], total: 0 };
      const rows = await selectRows(read)
        .where(where)
        .orderBy('last_seen_at', 'desc')
        .orderBy('agents.id')
        .limit(window.limit)
        .offset(window.offset)
        .execute();
      return { rows, total: await countAll(read.selectFrom('agents').where(where)) };
    },
    statusAt: ({ last_seen_at }, nowMs) =>
      last_seen_at !== null && last_seen_at > nowMs - AGENT_ONLINE_MS && last_seen_at <= nowMs + CLOCKS_DIFFER_MS
        ? 'online'
        : 'offline',
    listAll: () => selectRows(read).orderBy('agents.id').execute(),
    async revoke(id, nowMs) {
      const result = await write
        .updateTable('agents')
        .set({ revoked_at: nowMs })
        .where('id', '=', id)
        .where('revoked_at', 'is', null)
        .executeTakeFirst();
      return result.numUpdatedRows > 0n;
    },
    grant: (id, maxMiners, { isLeast } = { isLeast: false }) =>
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
    async listRevoked(ids) {
      if (ids.length === 0) return [];
      const rows = await read
        .selectFrom('agents')
        .select('id')
        .where('id', 'in', ids)
        .where('revoked_at', 'is not', null)
        .execute();
      return rows.map(({ id }) => id);
    },
  };
}

const selectRows = (read: Db) =>
  read
    .selectFrom('agents')
    .innerJoin('farms', 'farms.id', 'agents.farm_id')
    .select(['agents.id', 'farm_id', 'farms.name as farm_name', 'agents.name', 'version', 'enrolled_at'])
    .select(['last_seen_at', 'uptime_s', 'host', 'host_at', 'revoked_at', 'agents.max_miners'])
    .select(['clock_ahead_ms', 'storage_fault', 'storage_fault_at']);

function hasStatus(eb: ExpressionBuilder<Tables, 'agents'>, statuses: readonly AgentStatus[], nowMs: number) {
  const since = eb('last_seen_at', '>', nowMs - AGENT_ONLINE_MS);
  const until = eb('last_seen_at', '<=', nowMs + CLOCKS_DIFFER_MS);
  return eb.or([
    ...(statuses.includes('online') ? [eb.and([since, until])] : []),
    ...(statuses.includes('offline') ? [eb.not(since), eb.not(until)] : []),
  ]);
}

function newAgent(
  agent: NewAgent,
  { farm_id, max_miners }: Pick<Row<'enrolment_codes'>, 'farm_id' | 'max_miners'>,
): Tables['agents'] {
  return {
    id: agent.id,
    farm_id,
    name: agent.name,
    token_hash: agent.tokenHash,
    identity_key: agent.identityKey,
    version: agent.version,
    enrolled_at: agent.nowMs,
    last_seen_at: null,
    revoked_at: null,
    poll_interval_ms: null,
    uptime_s: null,
    host: null,
    host_at: null,
    clock_ahead_ms: null,
    storage_fault: null,
    storage_fault_at: null,
    outbox: null,
    outbox_number: 0,
    host_order: 0,
    max_miners,
    new_miners_left: max_miners,
    new_miners_at: agent.nowMs,
    miners_refused_at: null,
  };
}
