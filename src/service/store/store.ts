// The store of the service: one interface, asynchronous, whatever the database. Opening it brings the schema up to
// date.
import { v7 } from 'uuid';
import { systemClock } from '../../base/clock.ts';
import { BugError, ConfigError, PeerError, RefusedError } from '../../base/errors.ts';
import type { Log } from '../../base/log.ts';
import { type ChainHead, chainKeyOf } from '../../base/storage/hash-chain.ts';
import { canBeRead } from '../../base/storage/open-file.ts';
import { setAside, sqliteFault } from '../../base/storage/sqlite.ts';
import type { Vault } from '../../base/storage/vault.ts';
import { appender, createAuditStore } from './audit/audit.ts';
import { checkTrail, pruneTrail } from './audit/check.ts';
import { createClockRepairs } from './clock-repairs.ts';
import type { Audited, Databases, ServiceAct } from './databases.ts';
import { createEncryption, type Encryption, encryptPlaintext } from './encryption.ts';
import { createEventStore } from './events/events.ts';
import { createFarmGroupStore } from './history/farm-groups.ts';
import { createHistoryStore } from './history/history.ts';
import { createMinerHistoryStore } from './history/miner/miner-history.ts';
import { createIngestStore } from './ingest.ts';
import { createLocationChangeStore } from './locations/changes.ts';
import { createRackStore } from './locations/racks.ts';
import { createTakenWorkStore } from './locations/taken-work.ts';
import { migrate } from './migrations/migrations.ts';
import { throwIfTablesLack } from './migrations/whole-schema.ts';
import { createBoardStore } from './miners/board/board-rows.ts';
import { createClassificationStore } from './miners/groups/classification.ts';
import { createChassisStore } from './miners/identity/same-chassis.ts';
import { createNoteStore } from './miners/memory/notes.ts';
import { createMinerStore } from './miners/miners.ts';
import { createOperatorStore } from './miners/operator-fields.ts';
import { createOpsStatusStore } from './miners/ops-status.ts';
import { createPeopleStore } from './people/people.ts';
import { isPostgresUrl, nameOfPostgres, openPostgresDatabases } from './postgres/postgres.ts';
import { prune } from './pruning.ts';
import { type OnAside, openSqliteDatabases, serviceAsideOf } from './sqlite/sqlite.ts';
import { createBatchDetailStore } from './tasks/batch-detail.ts';
import { createBatchStore } from './tasks/batches.ts';
import { createPoolSetStore } from './tasks/pool-sets.ts';
import { createScannedStore } from './tasks/scanned.ts';
import { createTaskKeyStore, isKeyEncrypted } from './tasks/task-keys.ts';
import { createTaskStore } from './tasks/tasks.ts';
import { createLinkStore } from './tenants/agent-links.ts';
import { createQuestionStore } from './tenants/agent-questions.ts';
import { listAgentTrails } from './tenants/agent-trails.ts';
import { createAgentStore } from './tenants/agents.ts';
import { createKeyStore } from './tenants/api-keys.ts';
import { createTenantStore } from './tenants/tenants.ts';
import { createWebhookDeliveryStore } from './webhooks/webhook-delivery.ts';
import { createWebhookStore } from './webhooks/webhooks.ts';

export type { AuditEntry, AuditQuery, AuditStore, ServiceStart } from './audit/audit.ts';
export type { ClockRepairs } from './clock-repairs.ts';
export type { Availability, Messages, ServiceAct } from './databases.ts';
export { type Cursor, parseCursor, toCursor } from './events/cursor.ts';
export type { EventQuery, EventStore, FeedQuery, MinerEvent } from './events/events.ts';
export { GRANULARITIES, type HistoryBucket, type HistorySeries } from './history/history.ts';
export type { MinerBucket } from './history/miner/miner-history.ts';
export type { IngestStore, SliceOutcome } from './ingest.ts';
export { type ListStores, openListStores } from './lists.ts';
export type { LocationChange, LocationChangeStore, UndoOutcome } from './locations/changes.ts';
export type { Container, Rack } from './locations/rack-rows.ts';
export { type RackOutcome, type RackStore, TOO_MANY } from './locations/racks.ts';
export type { Standing } from './locations/standing.ts';
export { MOST_TAKEN, type TakenWork } from './locations/taken-work.ts';
export type { BoardAgent, BoardDocument, BoardMark, BoardStore } from './miners/board/board-rows.ts';
export type { ChassisMiner, ChassisOutcome, ChassisStore } from './miners/identity/same-chassis.ts';
export type { Item, TakeText } from './miners/items.ts';
export type { MinerLocation } from './miners/locations.ts';
export type { NamedMiner } from './miners/memory/named.ts';
export type { Note, NoteStore } from './miners/memory/notes.ts';
export type { OneMiner } from './miners/memory/one-miner.ts';
export type { MinerFilter, StatusSet } from './miners/miner-filter.ts';
export type { MinerSearch } from './miners/miner-search.ts';
export type { ChangedMiner } from './miners/miner-write.ts';
export type { ItemPage, MinerQuery, MinerStore } from './miners/miners.ts';
export type {
  Edited,
  EditProblem,
  OperatorStore,
} from './miners/operator-fields.ts';
export type { MinerOpsStatus, OpsStatusStore } from './miners/ops-status.ts';
export type { Purpose } from './people/codes.ts';
export type { NewPerson, PeopleStore, PersonChanges } from './people/people.ts';
export { type FarmRole, nameKeyOf, type Person, type Session } from './people/person-rows.ts';
export { IDEMPOTENCY_MS } from './pruning.ts';
export type { Window } from './rows.ts';
export type { BatchDetail, Task, TaskListQuery } from './tasks/batch-detail.ts';
export type { Batch, BatchFilter, BatchRequest, BatchStore, NewBatch } from './tasks/batches.ts';
export type { TaskCandidate } from './tasks/candidates.ts';
export { MOST_POOL_SETS, type PoolSet, type PoolSetStore } from './tasks/pool-sets.ts';
export type { ScannedAddress } from './tasks/scanned.ts';
export type { KeyPair, TaskKey, TaskKeyStore } from './tasks/task-keys.ts';
export type { TaskStore } from './tasks/tasks.ts';
export type { LinkStore } from './tenants/agent-links.ts';
export type { QuestionStore } from './tenants/agent-questions.ts';
export type { Agent, AgentRow, AgentStore } from './tenants/agents.ts';
export type { Once } from './tenants/answered.ts';
export type { ApiKey, KeyStore } from './tenants/api-keys.ts';
export type { Farm, FarmRecord, Grant, TenantStore, Workspace } from './tenants/tenants.ts';
export { isMatch, type ValueFilter } from './value-filter.ts';
export type { DeadLetter } from './webhooks/dead-letters.ts';
export type { Pending } from './webhooks/webhook-cursors.ts';
export type { WebhookDeliveryStore } from './webhooks/webhook-delivery.ts';
export { isWanted, type WebhookPage } from './webhooks/webhook-feed.ts';
export type { LeasedWebhook, WebhookStanding } from './webhooks/webhook-lease.ts';
export type { DisabledReason, Webhook, WebhookFailure, WebhookState } from './webhooks/webhook-rows.ts';
export { MOST_WEBHOOKS, type WebhookChanges, type WebhookStore } from './webhooks/webhooks.ts';

export type Store = ReturnType<typeof storeOf>;

/**
 * Opens the database of a `postgres://` URL, or opens or creates the file of a path; applies what its schema lacks.
 * Throws when that fails. With a vault, which may depend on whether the database is sealed, the secrets that are
 * written from now on are sealed. With `onAside`, which only the one process that serves the file may give, a damaged
 * file is set aside and a new one begun. `isBeside` = a service may run on it: its audit trail goes on with its key,
 * and RefusedError is thrown when its schema is older.
 */
export async function openStore(
  target: string,
  log?: Log,
  findVault: (isEncrypted: boolean) => Vault | undefined = () => undefined,
  onAside?: OnAside,
  { isBeside = false } = {},
): Promise<Store> {
  const databases = openDatabases(target, log, onAside);
  let vault: Vault | undefined;
  try {
    await migrate(databases, nameOf(target), { mayUpgrade: !isBeside, ...(log && { log }) });
    databases.schemaChanges.refuseNewer();
    if (!isPostgresUrl(target)) await throwIfTablesLack(databases, target);
    vault = findVault(await isKeyEncrypted(databases.read));
  } catch (error) {
    await databases.close();
    if (onAside !== undefined && sqliteFault(error) === 'damaged' && canBeRead(target)) {
      // Damage that the look before has not met: the next try is with a new file.
      onAside({ ...setAside(target, serviceAsideOf(target)), cause: error });
      return openStore(target, log, findVault);
    }
    const isOurs = error instanceof BugError || error instanceof ConfigError || error instanceof RefusedError;
    throw isPostgresUrl(target) && !isOurs ? unreachable(target, error) : error;
  }
  return storeOf(databases, vault, isBeside);
}

function storeOf(unaudited: Databases, vault: Vault | undefined, isBeside: boolean) {
  const key = chainKeyOf(vault);
  const databases: Audited = { ...unaudited, audit: appender(unaudited.lock, key, { isBeside }) };
  const { read, write, messages, storage, availability, transact, audit } = databases;
  const encryption = createEncryption(vault);
  return {
    ...createStores(databases, encryption),
    audit: createAuditStore(databases, audit),
    /**
     * Both or neither: what `work` does with these stores, and what `actsOf` says of it in the audit trail. A result of
     * false or undefined means that nothing was done.
     */
    audited: <T>(actsOf: (result: T) => ServiceAct, work: (stores: AuditedStores) => Promise<T>): Promise<T> =>
      transact(async (trx) => {
        const inside: Audited = { ...databases, read: trx, write: trx, transact: (nested) => nested(trx) };
        const result = await work(createAuditedStores(inside, encryption));
        if (result !== false && result !== undefined) await audit(trx, [actsOf(result)]);
        return result;
      }),
    /** Of the audit trail, with a head that was noted if there is one. Undefined problem = it is whole. */
    checkTrail: (noted?: Pick<ChainHead, 'seq' | 'hash'>) => checkTrail(databases, key, noted),
    /** Of all agents: how far their trails go, as they named it. */
    agentTrails: () => listAgentTrails(databases.read),
    /** Names the key that the trail is checked with. */
    trailKeyId: key?.id,
    /** Undefined: what is written lies open. */
    vault,
    /** Of an embedded database. */
    storage,
    /** To the other copies of the service on the same database. */
    messages,
    /** Whether the database takes work. */
    availability,
    /** Seals the secrets that were written before there was a vault. */
    async encryptPlaintext() {
      if (vault !== undefined) await encryptPlaintext(databases, encryption);
    },
    /** Removes what has had its time. */
    async prune(nowMs: number) {
      await prune(write, nowMs);
      await pruneTrail(databases, audit, nowMs);
    },
    clock: createClockRepairs(databases),
    /** Throws when the database does not answer. */
    async check() {
      await read.selectFrom('workspaces').select('id').limit(1).execute();
    },
    close: () => databases.close(),
  } as const;
}

/** Those whose acts are recorded by who calls them: what they do is known there, and who does it. */
const createAuditedStores = (databases: Audited, encryption: Encryption) =>
  ({
    tenants: createTenantStore(databases),
    keys: createKeyStore(databases),
    agents: createAgentStore(databases),
    taskKeys: createTaskKeyStore(databases, encryption),
    webhooks: createWebhookStore(databases, encryption, newId),
    poolSets: createPoolSetStore(databases, encryption),
    takenWork: createTakenWorkStore(databases),
    people: createPeopleStore(databases, newId),
  }) as const;
type AuditedStores = ReturnType<typeof createAuditedStores>;

const createStores = (databases: Audited, encryption: Encryption) =>
  ({
    ...createAuditedStores(databases, encryption),
    miners: createMinerStore(databases),
    classification: createClassificationStore(databases),
    board: createBoardStore(databases),
    ingest: createIngestStore(databases, newId),
    history: createHistoryStore(databases),
    minerHistory: createMinerHistoryStore(databases),
    farmGroups: createFarmGroupStore(databases),
    events: createEventStore(databases),
    batches: createBatchStore(databases, encryption),
    batchDetail: createBatchDetailStore(databases, encryption),
    scanned: createScannedStore(databases.read),
    tasks: createTaskStore(databases, encryption),
    links: createLinkStore(databases),
    questions: createQuestionStore(databases, encryption),
    operators: createOperatorStore(databases, newId),
    notes: createNoteStore(databases, newId),
    racks: createRackStore(databases),
    chassis: createChassisStore(databases),
    locationChanges: createLocationChangeStore(databases, newId),
    opsStatus: createOpsStatusStore(databases),
    webhookDelivery: createWebhookDeliveryStore(databases, encryption),
  }) as const;

/** The connections alone, as they are before any schema. */
export function openDatabases(target: string, log?: Log, onAside?: OnAside): Databases {
  return isPostgresUrl(target) ? openPostgresDatabases(target, log) : openSqliteDatabases(target, log, onAside);
}

function unreachable(target: string, error: unknown): PeerError {
  // Of a host with several addresses each has its own.
  const cause: unknown = error instanceof AggregateError ? error.errors[0] : error;
  return new PeerError('peer.unreachable', `open the database ${nameOf(target)}`, 'soon', cause);
}

/** How messages call the database; never with a password. */
const nameOf = (target: string) => (isPostgresUrl(target) ? nameOfPostgres(target) : target);

/** UUIDv7: sorts by time of making, within a millisecond too where one process makes both. */
export function newId(nowMs: number): string {
  return v7({ msecs: nowMs, seq: Math.trunc(systemClock.monotonicMs() * TICKS_PER_MS) % 2 ** 32 });
}
/** Fine enough that no two ids fall into one tick. */
const TICKS_PER_MS = 10_000;
