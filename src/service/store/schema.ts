// The tables of the service, typed for the query builder. Portable types only: text, integers (times are ms since the epoch), floating point.
// A miner is two rows: a narrow one that filters and counts read, and its documents, which are only read for the page that is served.
import type { Generated, Kysely } from 'kysely';
import type { CellSums, Sums } from './history-sums.ts';

export type WorkspaceTable = { id: string; name: string; slug: string; created_at: number };

export type FarmTable = {
  id: string;
  workspace_id: string;
  name: string | null;
  created_at: number;
  archived_at: Generated<number | null>;
};

/** `token_hash` is a SHA-256; `host` is the JSON of the interface's host object, null before the first host record. */
export type AgentTable = {
  id: string;
  farm_id: string;
  name: string;
  token_hash: string;
  /** SPKI in base64; null for an identity from before there were keys. */
  identity_key: string | null;
  version: string;
  enrolled_at: number;
  last_seen_at: number | null;
  revoked_at: number | null;
  poll_interval_ms: number | null;
  uptime_s: number | null;
  host: string | null;
  host_at: number | null;
};

export type EnrolmentCodeTable = {
  hash: string;
  farm_id: string;
  created_at: number;
  expires_at: number;
  used_at: number | null;
  agent_id: string | null;
};

/** `permissions` is a JSON array, null = every permission. */
export type ApiKeyTable = {
  id: string;
  hash: string;
  workspace_id: string;
  name: string;
  permissions: string | null;
  created_at: number;
  expires_at: number | null;
  revoked_at: number | null;
  last_used_at: number | null;
};

/** `farm_ids` is a JSON array, null = every farm of the grantor; `permissions` is a JSON array. */
export type GrantTable = {
  id: string;
  grantor_id: string;
  grantee_id: string;
  farm_ids: string | null;
  permissions: string;
  created_at: number;
  expires_at: number | null;
  revoked_at: number | null;
};

export type MinerTable = {
  /** Internal, small, for joins; never leaves the store. */
  row_id: Generated<number>;
  id: string;
  farm_id: string;
  /** The agent that reported it last, and that agent's key of it. */
  agent_id: string | null;
  agent_key: string | null;
  created_at: number;
  /** Time of the newest stored record. */
  reported_at: number;
  /** Time of the newest successful reading, and when it becomes too old to count as online. */
  seen_at: number | null;
  stale_at: number | null;
  ip_num: number;
  mac: string;
  serial: string;
  /** The searchable serials, sorted, one per line: says whether `miner_serials` needs a change. */
  serials: string;
  anomaly_flags: number;
  unstable_reason: string | null;
  mining_mode: string;
  model: string | null;
  firmware_version: string | null;
  firmware: string | null;
  hostname: string | null;
  hashrate: number | null;
  expected_hashrate: number | null;
  ops_status: string | null;
  rack: string | null;
  position: number | null;
};

export type MinerDocumentTable = { row_id: number; document: string; extras: string; abilities: string };

export type MinerSerialTable = { row_id: number; farm_id: string; serial: string };

export type RegistrationTable = { agent_id: string; key: string; row_id: number; epoch: string; last_at: number };

/** The newest signs orders. `private_key` may be sealed; `endorsement` is by the key before, null where there was none or it could not sign. */
export type TaskKeyTable = {
  id: number;
  public_key: string;
  private_key: string;
  endorsement: string | null;
  created_at: number;
};

/** `params` may be sealed: see sealing.ts. */
export type TaskBatchTable = {
  id: string;
  workspace_id: string;
  farm_id: string;
  agent_id: string;
  name: string;
  params: string;
  actor_type: string;
  actor: string;
  metadata: string;
  status: string;
  task_count: number;
  succeed_count: number;
  failed_count: number;
  created_at: number;
};

export type TaskTable = {
  id: string;
  batch_id: string;
  agent_id: string;
  row_id: number;
  miner_key: string;
  name: string;
  status: string;
  created_at: number;
  expires_at: number;
  /** Last time it was sent to the agent; when the agent said that it is in its journal. */
  sent_at: number | null;
  received_at: number | null;
  /** Since when it shall be given up if it has not been started; only on tasks that the agent has. */
  cancel_at: number | null;
  updated_at: number;
  /** 1 = the status was set by the service because nothing was heard; what the agent says later replaces it. */
  is_presumed: number;
  message: string | null;
  evidence: string;
};

export type IdempotencyKeyTable = {
  api_key_id: string;
  key: string;
  body_hash: string;
  response: string;
  created_at: number;
};

export type IngestCursorTable = { agent_id: string; epoch: string; seq: number; updated_at: number };

export type GapTable = {
  agent_id: string;
  epoch: string;
  seq: number;
  from_at: number;
  to_at: number;
  reason: string;
  count: number | null;
};

export type EventTable = {
  farm_id: string;
  agent_id: string;
  miner_id: string | null;
  type: string;
  at: number;
  detail: string;
};

/** For which minutes the miner is accounted for in history, and in which cells its quantities were known, joined by `;`: see presence.ts. */
export type MinerPresenceTable = { row_id: number; spans: string; known: string };

/** Ten minutes of a farm in miner-minutes, and an hour as sums over such cells: see history-sums.ts. */
export type HistoryCellTable = { farm_id: string; from_at: number } & Sums;
export type HistoryHourTable = { farm_id: string; from_at: number } & CellSums;

/** The newest connection of an agent, on whichever copy. */
export type AgentLinkTable = { agent_id: string; link_id: string; linked_at: number };

export type Tables = {
  schema_version: { owner: string; version: number };
  workspaces: WorkspaceTable;
  farms: FarmTable;
  agents: AgentTable;
  agent_links: AgentLinkTable;
  enrolment_codes: EnrolmentCodeTable;
  api_keys: ApiKeyTable;
  grants: GrantTable;
  miners: MinerTable;
  miner_documents: MinerDocumentTable;
  miner_serials: MinerSerialTable;
  registrations: RegistrationTable;
  task_batches: TaskBatchTable;
  tasks: TaskTable;
  task_keys: TaskKeyTable;
  idempotency_keys: IdempotencyKeyTable;
  ingest_cursors: IngestCursorTable;
  gaps: GapTable;
  events: EventTable;
  miner_presence: MinerPresenceTable;
  history_cells: HistoryCellTable;
  history_hours: HistoryHourTable;
};

/** A connection or a transaction. */
export type Db = Kysely<Tables>;
