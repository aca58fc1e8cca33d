// Stores what agents report: one slice is one transaction, exactly once by (agent, epoch, sequence). An older record
// never replaces a newer one: the order of its slices decides between records of one agent, our clock between those of
// two. It trusts that records fit their schemas, and checks whose they are.
import type { HostRecord, MinerRecord, ReportRecord } from '../../wire/records.ts';
import { tasksEnded } from './audit/task-acts.ts';
import type { Audited, Databases, Lock } from './databases.ts';
import { appendEvents, type NewEvent } from './events/append.ts';
import { flagEvents } from './events/flag-changes.ts';
import { releaseEvents } from './events/held.ts';
import { admitEvents } from './events/quota.ts';
import { placeEvents } from './events/reported.ts';
import { recordTasksEnded } from './events/task-events.ts';
import { storeGaps } from './gaps.ts';
import { rollUp } from './history/history-write.ts';
import { createLiveStore, type LiveStore } from './live-states.ts';
import { findAdoptable } from './miners/identity/adoption.ts';
import { admitNew, refusedEvent } from './miners/identity/grant.ts';
import { findRegistered, type KnownMiner, type Registered } from './miners/identity/known-miner.ts';
import { setReplacedAside } from './miners/identity/replaced-units.ts';
import { type Claim, claimEvents, resolveRivals, takenOverEvents } from './miners/identity/rivals.ts';
import { missingEvents, missingSince } from './miners/memory/missing.ts';
import { type ChangedMiner, changedMiners, type MinerChange, writeMiners } from './miners/miner-write.ts';
import { createOutboxStore, type OutboxStore } from './outbox-order.ts';
import { chunks, countAll } from './rows.ts';
import type { Db } from './schema.ts';
import { storeScanned } from './tasks/scanned.ts';
import { applyTaskRecords } from './tasks/task-outcomes.ts';
import { readCursor, writeCursor } from './tenants/agent-cursors.ts';
import { noteTrailHead } from './tenants/agent-trails.ts';
import { requireRunning } from './tenants/tenants.ts';

/** Never stale before this, however fast the agent polls; in poll intervals otherwise. */
const STALE_AFTER_MIN_MS = 180_000;
const STALE_AFTER_POLLS = 3;
/** Longer ones are taken for this. */
const POLL_INTERVAL_MAX_MS = 7 * 86_400_000;
/** How old a registration's mark may get before it is renewed: it only has to show that the key lives. */
const RENEW_REGISTRATION_MS = 5 * 60_000;

export type Slice = {
  readonly agentId: string;
  readonly farmId: string;
  readonly epoch: string;
  /** While it is the same the agent's keys are: slices of one agent differ in epoch only. Default: the epoch. */
  readonly instanceId?: string;
  readonly seq: number;
  /** The slice with the higher number is the newer one: see outbox-order.ts. Default: the sequence number. */
  readonly order?: number;
  /** The states are shown and not kept: see live-states.ts. */
  readonly unkeptThrough?: number;
  /** By our clock, as all times of the records are. */
  readonly producedAtMs: number;
  readonly records: readonly ReportRecord[];
  /** Records of the slice that fitted no schema: kept as a gap, so that the account stays whole. */
  readonly rejected: number;
  readonly nowMs: number;
};

export type SliceOutcome =
  /** `outdated` records count in history; a newer state of their miner was stored, or came in the same slice. */
  | {
      readonly kind: 'stored';
      readonly strangerTasks: number;
      readonly outdated: number;
      /** Miners beyond the grant of the agent, which were not stored; `isAnnounced` = in an event of this slice. */
      readonly refused: { readonly miners: number; readonly isAnnounced: boolean };
      /** Miners that another agent serves: both are in an event. */
      readonly contested: number;
      readonly changed: readonly ChangedMiner[];
    }
  /** Seen before; nothing was done. `seq` is the newest stored one. */
  | { readonly kind: 'duplicate'; readonly seq: number }
  /** A slice before it is missing; nothing was done. */
  | { readonly kind: 'out-of-order'; readonly seq: number };

/** What an agent has to report: its miners as far as they are registered, and how often it polls them. */
type Need = {
  /** Not more than it was granted. */
  readonly miners: number;
  readonly pollIntervalMs: number | null;
  /** Its newest slice, of any epoch. */
  readonly lastStoredAtMs: number | null;
};

export type IngestStore = OutboxStore &
  LiveStore & {
    needOf(agentId: string): Promise<Need>;
    /** Newest stored sequence number of the epoch; 0 = none. */
    cursor(agentId: string, epoch: string): Promise<number>;
    /** Throws RefusedError `farm.archived`. */
    storeSlice(slice: Slice): Promise<SliceOutcome>;
  };

export function createIngestStore(
  { write, transact, lock, audit }: Audited<Pick<Databases, 'write' | 'transact' | 'lock'>>,
  newId: (nowMs: number) => string,
): IngestStore {
  return {
    ...createOutboxStore({ transact, lock }),
    ...createLiveStore({ transact, lock }, async (trx, slice, records) => {
      const { events, changed } = await storeMiners(trx, lock, slice, records, newId);
      return { events: (await admitEvents(trx, slice, events)).admitted, changed };
    }),
    cursor: (agentId, epoch) => readCursor(write, agentId, epoch),
    needOf: (agentId) => readNeed(write, agentId),
    storeSlice: (slice) =>
      transact(async (trx) => {
        // Two connections of the agent may bring the same slice to two copies.
        await lock(trx, `uplink ${slice.agentId}`);
        await requireRunning(trx, slice.farmId);
        const seq = await readCursor(trx, slice.agentId, slice.epoch);
        if (slice.seq <= seq) return { kind: 'duplicate', seq };
        if (slice.seq > seq + 1) return { kind: 'out-of-order', seq };
        const { nowMs, agentId } = slice;
        const ofKind = sortByKind(slice.records);
        const host = await storeHost(trx, slice, ofKind.host);
        const trailActs = await noteTrailHead(trx, slice, host);
        const stored = await storeMiners(trx, lock, slice, ofKind.miner, newId);
        const { minerIds, rowOf, outdated, refused, contested, changed } = stored;
        const counted = ofKind.miner.filter(stored.isCounted);
        const announced = refused.size === 0 ? undefined : await refusedEvent(trx, slice, refused.size);
        const tasks = await applyTaskRecords(trx, agentId, ofKind.task, nowMs);
        await storeScanned(trx, agentId, ofKind.scan);
        const reported = ofKind.event.filter(({ key }) => !refused.has(key));
        const placed = await placeEvents(trx, slice, reported, minerIds);
        const events = await admitEvents(trx, slice, [...stored.events, ...placed.events]);
        await storeGaps(trx, slice, ofKind.gap, {
          rejected: slice.rejected,
          miners_refused: ofKind.miner.filter(({ key }) => refused.has(key)).length,
          events_refused: events.refused + placed.refused,
        });
        const pollIntervalMs = await readPollIntervalMs(trx, agentId);
        await rollUp(trx, lock, { farmId: slice.farmId, nowMs, pollIntervalMs, records: counted, rowOf });
        await writeCursor(trx, slice);
        await appendEvents(trx, announced === undefined ? events.admitted : [...events.admitted, announced]);
        await recordTasksEnded(trx, tasks.ended, nowMs);
        const ended = await tasksEnded(trx, tasks.ended, { type: 'agent', id: agentId, name: '' }, nowMs);
        await audit(trx, [...trailActs, ...ended]);
        const refusals = { miners: refused.size, isAnnounced: announced !== undefined };
        const found = { outdated, refused: refusals, contested, changed };
        return { kind: 'stored', strangerTasks: tasks.strangers, ...found };
      }),
  };
}

async function readNeed(db: Db, agentId: string): Promise<Need> {
  const registered = await countAll(db.selectFrom('registrations').where('agent_id', '=', agentId));
  const agent = await db.selectFrom('agents').select('max_miners').where('id', '=', agentId).executeTakeFirst();
  const miners = Math.min(registered, agent?.max_miners ?? registered);
  const newest = await db
    .selectFrom('ingest_cursors')
    .select((eb) => eb.fn.max('updated_at').as('at'))
    .where('agent_id', '=', agentId)
    .executeTakeFirst();
  const pollIntervalMs = await readPollIntervalMs(db, agentId);
  return { miners, pollIntervalMs, lastStoredAtMs: newest?.at ?? null };
}

function sortByKind(records: readonly ReportRecord[]) {
  const of = <K extends ReportRecord['kind']>(kind: K) =>
    records.filter((record): record is Extract<ReportRecord, { kind: K }> => record.kind === kind);
  return {
    ...{ miner: of('miner'), host: of('host'), task: of('task'), gap: of('gap'), event: of('event') },
    scan: of('scan'),
  };
}

/** Nothing is dated in the future, nor keeps a dead miner online. */
const notAfter = (iso: string, nowMs: number) => Math.min(Date.parse(iso), nowMs);
const orderOfSlice = ({ order, seq }: Pick<Slice, 'order' | 'seq'>) => order ?? seq;

/** What decides whose states the records of a slice are, and which of two is newer. */
type Origin = Pick<Slice, 'agentId' | 'farmId' | 'epoch' | 'instanceId' | 'seq' | 'order' | 'unkeptThrough' | 'nowMs'>;

type StoredMiners = {
  readonly minerIds: Map<string, string>;
  readonly rowOf: (key: string) => number | undefined;
  /** Whether it belongs to the history of its miner. */
  readonly isCounted: (record: MinerRecord) => boolean;
  readonly outdated: number;
  readonly refused: ReadonlySet<string>;
  readonly contested: number;
  readonly changed: readonly ChangedMiner[];
  /** To be kept as the last thing in the transaction. */
  readonly events: readonly NewEvent[];
};

async function storeMiners(
  db: Db,
  lock: Lock,
  slice: Origin,
  records: readonly MinerRecord[],
  newId: (nowMs: number) => string,
): Promise<StoredMiners> {
  // Records of a slice are in the order in which they were made.
  const newest = new Map(records.map((record) => [record.key, record]));
  const recognised = await recogniseMiners(db, lock, slice, newest);
  const { registered, unchanged, adopted, rivals, shared, refused, replaced } = recognised;
  for (const key of refused) newest.delete(key);
  const ageMs = staleAfterMs((await readPollIntervalMs(db, slice.agentId)) ?? 0);
  const changes: MinerChange[] = [];
  const minerIds = new Map<string, string>();
  const claims: Claim[] = [];
  for (const record of newest.values()) {
    const known: KnownMiner | undefined =
      registered.get(record.key) ?? adopted.get(record.key) ?? shared.get(record.key);
    const id = known?.id ?? newId(slice.nowMs);
    minerIds.set(record.key, id);
    const reportedAtMs = notAfter(record.at, slice.nowMs);
    const sharedWith = shared.get(record.key);
    if (sharedWith !== undefined) claims.push({ minerId: id, record, rival: sharedWith });
    if (
      unchanged.has(record.key) ||
      sharedWith !== undefined ||
      (known !== undefined && isOutdated(known, slice, reportedAtMs))
    )
      continue;
    const rival = known === undefined ? rivals.get(record.key) : undefined;
    if (rival !== undefined) claims.push({ minerId: id, record, rival });
    const seenAtMs = lastSeenMs(record, known, reportedAtMs);
    const staleAtMs = seenAtMs === null ? null : seenAtMs + ageMs;
    const missingSinceMs = missingSince({ known, record, reportedAtMs, seenAtMs });
    changes.push({
      ...{ id, known, record: seenAt(record, seenAtMs), reportedAtMs, seenAtMs, staleAtMs, missingSinceMs },
      rivalRowId: rival?.row_id,
    });
  }
  const flags = await flagEvents(db, slice, withAllRecords(changes, records));
  const reporter = { ...slice, order: orderOfSlice(slice) };
  const rowIds = await writeMiners(db, reporter, changes);
  const continued = [...adopted.values(), ...shared.values()];
  for (const known of continued) rowIds.set(known.id, known.row_id);
  await forgetOldKeys(db, slice.agentId, continued);
  const rowOf = (key: string) => registered.get(key)?.row_id ?? rowIds.get(minerIds.get(key) ?? '');
  await register(db, slice, newest, registered, rowOf);
  const strangers = [...newest.keys()].filter((key) => !registered.has(key));
  const events = [
    ...(await releaseEvents(db, slice, strangers, (key) => (shared.has(key) ? undefined : minerIds.get(key)))),
    ...[...flags, ...missingEvents(slice, changes)].filter(({ minerId }) => minerId !== null && rowIds.has(minerId)),
    ...(recognised.isSettled ? [] : claimEvents(slice, claims)),
    ...(recognised.isSettled ? [] : await takenOverEvents(db, slice, changes)),
  ];
  // Of a miner that another agent serves only that agent's reports count; of a unit that was replaced those of before.
  const countedRowOf = (key: string) =>
    (unchanged.has(key) && !replaced.has(key)) || shared.has(key) ? undefined : rowOf(key);
  const isCounted = ({ key, at }: MinerRecord) => Date.parse(at) <= (replaced.get(key)?.replaced_at ?? Infinity);
  const outdated = records.filter(({ key }) => !refused.has(key)).length - changes.length;
  const changed = changedMiners(reporter, changes, rowIds);
  return { minerIds, changed, rowOf: countedRowOf, isCounted, outdated, refused, contested: claims.length, events };
}

/** A slice mostly has one record of a miner; where it has more, each of them may raise or clear flags. */
function withAllRecords(changes: readonly MinerChange[], records: readonly MinerRecord[]) {
  const ofKey = changes.length === records.length ? undefined : Map.groupBy(records, ({ key }) => key);
  return changes.map(({ id, known, record }) => ({ id, known, records: ofKey?.get(record.key) ?? [record] }));
}

/** Which stored miner each key means: registered or continued; `refused` are new and beyond the agent's grant. */
async function recogniseMiners(db: Db, lock: Lock, slice: Origin, newest: ReadonlyMap<string, MinerRecord>) {
  const all = await findRegistered(db, slice.agentId, [...newest.keys()]);
  const { found, replaced } = await setReplacedAside(db, slice.agentId, all, newest);
  const isSettled = [...newest.keys()].every((key) => {
    const miner = found.get(key);
    return replaced.has(key) || (miner?.agent_id === slice.agentId && miner.rival_row_id === null);
  });
  if (isSettled) return { ...noOthers(), isSettled, registered: all, unchanged: new Set(replaced.keys()), replaced };
  // Two agents of a farm may meet the same miner at the same time.
  await lock(db, `identity ${slice.farmId}`);
  const resolved = await resolveRivals(db, slice, found, newest);
  const registered = new Map([...resolved.registered, ...replaced]);
  const unchanged = new Set([...resolved.unchanged, ...replaced.keys()]);
  const strangers = [...newest.values()].filter(({ key }) => !registered.has(key));
  const { adopted, rivals, shared } = await findAdoptable(db, { ...slice, epoch: instanceOf(slice) }, strangers);
  const added = strangers.filter(({ key }) => !adopted.has(key) && !shared.has(key));
  const admitted = await admitNew(db, slice, added.length);
  const refused: ReadonlySet<string> = new Set(added.slice(admitted).map(({ key }) => key));
  return { isSettled, registered, unchanged, adopted, rivals, shared, refused, replaced };
}

/** All keys of the slice are miners that only this agent serves: the others of the farm are not asked about. */
const noOthers = () => {
  const none: ReadonlyMap<string, KnownMiner> = new Map();
  return { adopted: none, rivals: none, shared: none, refused: new Set<string>() };
};

/** The same rule as in miner-write.ts, where it also holds for what another agent has stored meanwhile. */
function isOutdated(known: KnownMiner, slice: Origin, reportedAtMs: number): boolean {
  if (known.agent_id === slice.agentId) {
    const order = orderOfSlice(slice);
    if (known.reported_order > order) return true;
    // It waited while the agent's disk took nothing, and a newer live state is shown. Slices after `unkept_through` did
    // not wait: theirs are newer.
    const hasWaited = known.unkept_through !== null && order <= known.unkept_through;
    if (slice.unkeptThrough !== undefined || !hasWaited) return false;
    // A live state with a time in the future was dated before our clock was set back: any state is newer.
    return reportedAtMs < known.reported_at && known.reported_at <= slice.nowMs;
  }
  // What is dated in the future was written before our clock was set back: when that was is not known.
  return known.reported_at > reportedAtMs && known.reported_at <= slice.nowMs;
}

/**
 * When the newest successful reading was. A failed poll carries the time of the last good one. If that is not before
 * the poll, the agent's clock was set back, and the stored time counts: a silent miner must not stay online for it.
 */
function lastSeenMs({ document }: MinerRecord, known: KnownMiner | undefined, reportedAtMs: number): number | null {
  if (document.last_updated_at === null) return null;
  const saidMs = Math.min(Date.parse(document.last_updated_at), reportedAtMs);
  if (document.last_check_succeed || saidMs < reportedAtMs) return saidMs;
  return Math.min(saidMs, known?.seen_at ?? saidMs);
}

function seenAt(record: MinerRecord, seenAtMs: number | null): MinerRecord {
  const { last_updated_at } = record.document;
  if (seenAtMs === null || last_updated_at === null || Date.parse(last_updated_at) === seenAtMs) return record;
  return { ...record, document: { ...record.document, last_updated_at: new Date(seenAtMs).toISOString() } };
}

async function readPollIntervalMs(db: Db, agentId: string): Promise<number | null> {
  const agent = await db.selectFrom('agents').select('poll_interval_ms').where('id', '=', agentId).executeTakeFirst();
  return agent?.poll_interval_ms ?? null;
}

const instanceOf = ({ instanceId, epoch }: Pick<Slice, 'instanceId' | 'epoch'>) => instanceId ?? epoch;

/** How long after its newest successful reading a miner counts as online. */
export const staleAfterMs = (pollIntervalMs: number): number =>
  Math.max(STALE_AFTER_MIN_MS, STALE_AFTER_POLLS * pollIntervalMs);

/** The dead keys of a miner that a new key continues: if one of them is reported again, it is another miner. */
async function forgetOldKeys(db: Db, agentId: string, miners: readonly KnownMiner[]): Promise<void> {
  for (const part of chunks(miners.map(({ row_id }) => row_id)))
    await db.deleteFrom('registrations').where('agent_id', '=', agentId).where('row_id', 'in', part).execute();
}

async function register(
  db: Db,
  slice: Origin,
  records: ReadonlyMap<string, MinerRecord>,
  registered: ReadonlyMap<string, Registered>,
  rowOf: (key: string) => number | undefined,
): Promise<void> {
  const rows = [...records.values()].flatMap((record) => {
    const before = registered.get(record.key);
    const lastAtMs = notAfter(record.at, slice.nowMs);
    const beforeMs = before === undefined || before.last_at > slice.nowMs ? Number.NEGATIVE_INFINITY : before.last_at;
    const isFresh = before?.epoch === instanceOf(slice) && lastAtMs - beforeMs < RENEW_REGISTRATION_MS;
    const row_id = before?.row_id ?? rowOf(record.key);
    if (isFresh || row_id === undefined) return [];
    // A late slice does not make a key look older than it is.
    const last_at = Math.max(lastAtMs, beforeMs);
    return [{ agent_id: slice.agentId, key: record.key, row_id, epoch: instanceOf(slice), last_at }];
  });
  for (const part of chunks(rows)) {
    await db
      .insertInto('registrations')
      .values(part)
      .onConflict((conflict) =>
        conflict.columns(['agent_id', 'key']).doUpdateSet((eb) => ({
          epoch: eb.ref('excluded.epoch'),
          last_at: eb.ref('excluded.last_at'),
        })),
      )
      .execute();
  }
}

/** The newest of the records; undefined where a newer one was stored before. */
async function storeHost(db: Db, slice: Slice, records: readonly HostRecord[]): Promise<HostRecord | undefined> {
  const newest = records.at(-1);
  if (newest === undefined) return undefined;
  const before = await db
    .selectFrom('agents')
    .select(['host_order', 'poll_interval_ms'])
    .where('id', '=', slice.agentId)
    .executeTakeFirst();
  const atMs = notAfter(newest.at, slice.nowMs);
  const host_order = orderOfSlice(slice);
  if (before !== undefined && before.host_order > host_order) return undefined;
  const { host, version, uptime } = newest;
  const poll_interval_ms = Math.round(Math.min(newest.poll_interval_ms, POLL_INTERVAL_MAX_MS));
  await db
    .updateTable('agents')
    .set({ host: JSON.stringify(host), host_at: atMs, host_order, version, uptime_s: uptime, poll_interval_ms })
    .where('id', '=', slice.agentId)
    .execute();
  if (before?.poll_interval_ms === poll_interval_ms) return newest;
  const laterMs = staleAfterMs(poll_interval_ms) - staleAfterMs(before?.poll_interval_ms ?? 0);
  await db
    .updateTable('miners')
    .set((eb) => ({ stale_at: eb('stale_at', '+', laterMs) }))
    .where('agent_id', '=', slice.agentId)
    .where('stale_at', 'is not', null)
    .execute();
  return newest;
}
