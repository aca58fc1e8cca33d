// The tables of the service, described once: the first step of the schema creates them from here, the query builder
// gets its types from here. A miner is two rows: a narrow one that filters and counts read, and its documents, which
// are only read for the page that is served. Data only.

/** Portable types only. `row`: an integer primary key, given with the row or made by the database. */
export type Column = {
  readonly type: 'text' | 'integer' | 'bigint' | 'double precision';
  readonly isOptional?: true;
  readonly isKey?: true;
  readonly row?: 'given' | 'made';
  readonly initially?: string | number;
  /** Of a column of miners: a report changes it each time, or hardly ever. Absent: a report does not overwrite it. */
  readonly overwritten?: 'always' | 'rarely';
};

const text = { type: 'text' } as const;
const key = { ...text, isKey: true } as const;
const integer = { type: 'integer' } as const;
const row = { ...integer, row: 'given' } as const;
const count = { ...integer, initially: 0 } as const;
/** Wider than 32 bits, and ms since the epoch: 64 bits on every database, of which we use 53. */
const bigint = { type: 'bigint' } as const;
const count64 = { ...bigint, initially: 0 } as const;
const double = { type: 'double precision' } as const;
const always = <C extends Column>(column: C) => ({ ...column, overwritten: 'always' as const });
const rarely = <C extends Column>(column: C) => ({ ...column, overwritten: 'rarely' as const });
const optional = <C extends Column>(column: C): C & { readonly isOptional: true } => ({ ...column, isOptional: true });

/** Sums that cells and hours of history share: see history-sums.ts. */
const SUMS = {
  /** Miners with a report; of an hour, of the cell with most. */
  miners: integer,
  /** Miner-minutes with a report, good or not. */
  accounted: integer,
  online: double,
  hashrate: double,
  hashrate_count: integer,
  expected: double,
  expected_count: integer,
  power: double,
  power_count: integer,
  /** Of reports that know both, for the efficiency. */
  paired_power: double,
  paired_hashrate: double,
  temperature: double,
  temperature_count: integer,
  temperature_max: optional(double),
  hashrate_miners: count,
  expected_miners: count,
  power_miners: count,
} as const;

/** What the first step creates: once it is released, columns of later steps are added to the type `Tables` alone. */
export const TABLES = {
  workspaces: { id: key, name: text, slug: text, created_at: bigint },
  farms: { id: key, workspace_id: text, name: optional(text), created_at: bigint, archived_at: optional(bigint) },
  agents: {
    id: key,
    farm_id: text,
    name: text,
    /** SHA-256. */
    token_hash: text,
    version: text,
    enrolled_at: bigint,
    last_seen_at: optional(bigint),
    revoked_at: optional(bigint),
    poll_interval_ms: optional(bigint),
    uptime_s: optional(double),
    /** The JSON of the interface's host object, null before the first host record. */
    host: optional(text),
    host_at: optional(bigint),
    /** SPKI in base64. */
    identity_key: text,
    /** How far its clock was ahead of ours when it last connected; null where that is not worth a word. */
    clock_ahead_ms: optional(bigint),
    /** Why it cannot keep what it reports, and since when; null = it can. */
    storage_fault: optional(text),
    storage_fault_at: optional(bigint),
    /** The newest entry of its audit trail as it named it, and when that last went back: see agent-trails.ts. */
    trail_seq: optional(bigint),
    trail_hash: optional(text),
    trail_cut_at: optional(bigint),
    /** Names what the slices of this agent count in now, and how many of them there were: see outbox-order.ts. */
    outbox: optional(text),
    outbox_number: count64,
    /** Of the host record that is stored. */
    host_order: count64,
    /** How many miners it may have, and how many of them it may add when: see miners/identity/grant.ts. */
    max_miners: integer,
    new_miners_left: double,
    new_miners_at: bigint,
    miners_refused_at: optional(bigint),
    /** Events that count against its quota, and when they did: see events/quota.ts. */
    events_used: { ...double, initially: 0 },
    events_used_at: count64,
    events_refused_at: optional(bigint),
    /** Since when an event says that it is offline: see events/presence.ts. */
    offline_at: optional(bigint),
  },
  enrolment_codes: {
    hash: key,
    farm_id: text,
    created_at: bigint,
    expires_at: bigint,
    used_at: optional(bigint),
    agent_id: optional(text),
    /** Granted to the agent that uses it. */
    max_miners: integer,
  },
  api_keys: {
    id: key,
    hash: text,
    workspace_id: text,
    name: text,
    /** Its name, null = the permissions are listed. What a role allows may grow with the version of the program. */
    role: optional(text),
    /** A JSON array; empty where there is a role. */
    permissions: text,
    created_at: bigint,
    expires_at: optional(bigint),
    revoked_at: optional(bigint),
    last_used_at: optional(bigint),
  },
  /** Those who use the page, and screens: see people/. A deleted one stays for a while, so that its id means something. */
  people: {
    id: key,
    workspace_id: text,
    name: text,
    /** What names are compared by, unique; null = deleted, and the name is free. */
    name_key: optional(text),
    /** A PHC text; null = none was set. */
    password_hash: optional(text),
    /** For all of the workspace; null = only for the farms in `farm_roles`, a JSON object: role by id of the farm. */
    role: optional(text),
    farm_roles: text,
    /** 1 = a screen that reads one farm. */
    is_wall: integer,
    created_at: bigint,
    disabled_at: optional(bigint),
    expires_at: optional(bigint),
    deleted_at: optional(bigint),
    last_seen_at: optional(bigint),
  },
  /** `expires_at` moves on while it is used; null = never. One that was ended stays for a while, to say so. */
  sessions: {
    id: key,
    person_id: text,
    /** SHA-256. */
    token_hash: text,
    is_paired: integer,
    device: text,
    address: text,
    created_at: bigint,
    used_at: bigint,
    expires_at: optional(bigint),
    ended_at: optional(bigint),
  },
  /** One-time codes of people; `person_id` null = it makes the first administrator of the workspace. */
  person_codes: {
    hash: key,
    purpose: text,
    workspace_id: text,
    person_id: optional(text),
    created_at: bigint,
    expires_at: bigint,
    used_at: optional(bigint),
  },
  grants: {
    id: key,
    grantor_id: text,
    grantee_id: text,
    /** A JSON array, null = every farm of the grantor. */
    farm_ids: optional(text),
    /** A JSON array. */
    permissions: text,
    created_at: bigint,
    expires_at: optional(bigint),
    revoked_at: optional(bigint),
  },
  miners: {
    /** Internal, small, for joins; never leaves the store. */
    row_id: { ...integer, row: 'made' },
    id: text,
    farm_id: text,
    /** The agent that reported it last, and that agent's key of it. */
    agent_id: rarely(optional(text)),
    agent_key: rarely(optional(text)),
    created_at: bigint,
    /** Time of the stored record, by the clock of the service. */
    reported_at: always(bigint),
    /** Of two records of this agent the one with the higher number is the newer one: see outbox-order.ts. */
    reported_order: always(bigint),
    /**
     * The state was shown and not kept: up to the slice of this order older ones may still come. Null = it is that of a
     * stored slice.
     */
    unkept_through: rarely(optional(bigint)),
    /** Time of the newest successful reading, and when it becomes too old to count as online. */
    seen_at: always(optional(bigint)),
    stale_at: always(optional(bigint)),
    ip_num: rarely(bigint),
    mac: rarely(text),
    serial: rarely(text),
    /** The searchable serials, sorted, one per line: a difference means that `miner_serials` needs a change. */
    serials: rarely(text),
    anomaly_flags: rarely(bigint),
    unstable_reason: rarely(optional(text)),
    mining_mode: rarely(text),
    hashrate: always(optional(double)),
    power: always(optional(double)),
    expected_hashrate: rarely(optional(double)),
    ops_status: optional(text),
    rack: optional(text),
    position: optional(integer),
    model: rarely(optional(text)),
    firmware_version: rarely(optional(text)),
    firmware: rarely(optional(text)),
    algorithm: rarely(optional(text)),
    hostname: rarely(optional(text)),
    /** Since when it has not answered, where that is an hour or more: see miners/memory/missing.ts. */
    missing_since: rarely(optional(bigint)),
    /** The miner of another agent that shows the same MAC or serial: see miners/identity/rivals.ts. */
    rival_row_id: optional(integer),
  },
  containers: { farm_id: key, name: key, created_at: bigint },
  /**
   * Racks that have a container or a shape. A miner may stand in a rack that is not here: then it is only a name. The
   * columns of the shape are all null or none.
   */
  racks: {
    farm_id: key,
    name: key,
    container: optional(text),
    row_count: optional(integer),
    column_count: optional(integer),
    first_corner: optional(text),
    direction: optional(text),
    is_serpentine: optional(integer),
  },
  miner_documents: { row_id: row, document: text, extras: text, abilities: text },
  /** What people wrote about a miner; `actor` is JSON. */
  miner_notes: { id: key, row_id: integer, at: bigint, actor: text, text },
  miner_serials: { row_id: integer, farm_id: text, serial: text },
  /** `replaced_at`: since when another unit stands where this one was, see miners/identity/same-chassis.ts. */
  registrations: {
    agent_id: key,
    key,
    row_id: integer,
    epoch: text,
    last_at: bigint,
    replaced_at: optional(bigint),
  },
  task_batches: {
    id: key,
    workspace_id: text,
    farm_id: text,
    agent_id: text,
    name: text,
    /** may be encrypted: see encryption.ts. */
    params: text,
    actor_type: text,
    actor: text,
    metadata: text,
    status: text,
    task_count: integer,
    succeed_count: integer,
    failed_count: integer,
    created_at: bigint,
  },
  tasks: {
    id: key,
    batch_id: text,
    agent_id: text,
    row_id: integer,
    miner_key: text,
    /** What its agent gets beside the params of the batch, a JSON object without secrets; null = nothing. */
    params: optional(text),
    name: text,
    status: text,
    created_at: bigint,
    expires_at: bigint,
    /** 1 = its agent does not get it before another person has confirmed it. */
    is_held: { ...integer, initially: 0 },
    /** Last time it was sent to the agent; when the agent confirmed that it is in its journal. */
    sent_at: optional(bigint),
    received_at: optional(bigint),
    updated_at: bigint,
    /** 1 = the service set the status because the agent was silent; a later report of the agent replaces it. */
    is_presumed: integer,
    message: optional(text),
    evidence: text,
    /** Since when it shall be given up if it has not been started; only on tasks that the agent has. */
    cancel_at: optional(bigint),
  },
  /** What a scan task found; silent addresses are only counted, in the evidence of the task. */
  scan_addresses: {
    task_id: key,
    ip_num: { ...bigint, isKey: true },
    status: text,
    driver: optional(text),
    model: optional(text),
    advice: optional(text),
    at: bigint,
  },
  /** `pools` is a JSON array as in the params of a task, and may be encrypted; the actors are JSON. */
  pool_sets: {
    farm_id: key,
    name: key,
    pools: text,
    created_by: text,
    created_at: bigint,
    updated_by: text,
    updated_at: bigint,
  },
  /** Lines of the worklist that a person has taken. */
  taken_work: { farm_id: key, line_hash: key, line: text, taken_by: text, taken_at: bigint },
  /**
   * The newest signs tasks. `private_key` may be encrypted; `endorsement` is by the key before, null where there was
   * none or it could not sign.
   */
  task_keys: { id: row, public_key: text, private_key: text, endorsement: optional(text), created_at: bigint },
  /** `api_key_id`: of the key, or of the person that asked. */
  idempotency_keys: { api_key_id: key, key, body_hash: text, response: text, created_at: bigint },
  ingest_cursors: { agent_id: key, epoch: key, seq: bigint, updated_at: bigint },
  gaps: {
    agent_id: text,
    epoch: text,
    seq: bigint,
    from_at: bigint,
    to_at: bigint,
    reason: text,
    count: optional(bigint),
  },
  /** `position` orders the events of a farm as they became visible: see events/append.ts. */
  events: {
    farm_id: key,
    position: { ...bigint, isKey: true },
    agent_id: text,
    miner_id: optional(text),
    type: text,
    at: bigint,
    detail: text,
  },
  /** Bytes of the events of a miner; it may have fewer: see events/sizes.ts. */
  event_sizes: { miner_id: key, bytes: bigint },
  /** The position of the newest event of a farm, also where that one was removed. */
  event_counts: { farm_id: key, position: bigint },
  /**
   * Endpoints that events are sent to: see webhooks/. `farm_ids` and `types` are JSON arrays, null = all. Of two
   * secrets, which may be encrypted, the older one ends.
   */
  webhooks: {
    id: key,
    workspace_id: text,
    name: text,
    url: text,
    farm_ids: optional(text),
    types: optional(text),
    state: text,
    disabled_reason: optional(text),
    secret: text,
    secret_at: bigint,
    older_secret: optional(text),
    older_secret_at: optional(bigint),
    older_secret_expires_at: optional(bigint),
    created_at: bigint,
    updated_at: bigint,
    /** Attempts that failed since the last one that did not. */
    attempts: count,
    /** Of the first of them, and when a message was given up since; null = the last attempt did not fail. */
    failing_since: optional(bigint),
    given_up_at: optional(bigint),
    next_attempt_at: optional(bigint),
    last_success_at: optional(bigint),
    /** JSON. */
    last_failure: optional(text),
    /** The copy that sends to it, and until when it may. */
    leased_by: optional(text),
    leased_until: optional(bigint),
  },
  /** Up to where a webhook has the events of a farm. */
  webhook_cursors: { webhook_id: key, farm_id: key, position: bigint },
  /** Events that a webhook was given up for. `is_to_be_sent` 1 = once more, asked for by a person. */
  webhook_dead_letters: {
    webhook_id: key,
    farm_id: key,
    position: { ...bigint, isKey: true },
    failed_at: bigint,
    attempts: integer,
    reason: text,
    is_to_be_sent: count,
  },
  /** Of miners that their agent has not reported yet: see events/held.ts. */
  held_events: { agent_id: text, key: text, type: text, at: bigint, detail: text, held_at: bigint },
  /**
   * For which minutes the miner is accounted for in history, and in which cells its quantities were known, joined by
   * `;`; the sums of its hours that are still added to: see history/.
   */
  miner_presence: { row_id: row, spans: text, known: { ...text, initially: '' }, open_hours: text },
  /**
   * A miner's hours of a day of UTC, see history/miner/packed-day.ts. The day first: what is written lies together, and
   * so does what is pruned. `_aside`: days ahead of a clock that was set back, see history/miner/days-set-back.ts.
   */
  miner_days: { day: { ...integer, isKey: true }, row_id: { ...integer, isKey: true }, hours: text },
  miner_days_aside: { day: { ...integer, isKey: true }, row_id: { ...integer, isKey: true }, hours: text },
  /**
   * Ten minutes of the miners of a farm that have one algorithm in miner-minutes, and an hour as sums over such cells.
   * Hours with several algorithms have a row of all of them beside, without hashrates: see history/algorithms.ts.
   */
  history_cells: { farm_id: key, from_at: { ...bigint, isKey: true }, algorithm: key, ...SUMS },
  history_hours: { farm_id: key, from_at: { ...bigint, isKey: true }, algorithm: key, cells: integer, ...SUMS },
  /**
   * The time that the service had when it last looked, and until when time has passed for certain: see
   * clock-repairs.ts. One row, `one` = 1.
   */
  service_time: { one: row, at: bigint, certain_at: bigint },
  /** The audit trail: a chain of hashes, see audit/. `subject` and `detail` are JSON; `mac` null = without a key. */
  audit_entries: {
    seq: row,
    at: bigint,
    action: text,
    actor_type: text,
    actor_id: text,
    actor_name: text,
    workspace_id: optional(text),
    subject: text,
    detail: text,
    previous: text,
    hash: text,
    key_id: optional(text),
    mac: optional(text),
  },
  /** The newest entry of the trail, one row with `one` = 1. */
  audit_head: { one: row, seq: integer, hash: text, key_id: optional(text), mac: optional(text) },
  /** Digests of the settings with which a copy started last, JSON by name of the setting. */
  audit_settings: { copy: key, settings: text, started_at: bigint },
  /** The newest connection of an agent, on whichever copy. */
  agent_links: { agent_id: key, link_id: text, linked_at: bigint },
  /** Of other copies of the service, for seconds; `question` may be encrypted, `answer` is JSON. */
  agent_questions: { id: key, agent_id: text, question: text, answer: optional(text), asked_at: bigint },
} as const satisfies Readonly<Record<string, Readonly<Record<string, Column>>>>;
