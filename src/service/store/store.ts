// The store of the service: one interface, asynchronous, whatever the database. Opening it brings the schema up to date.
import { v7 } from 'uuid';
import { BugError, ConfigError, PeerError } from '../../base/errors.ts';
import type { Log } from '../../base/log.ts';
import type { Vault } from '../../base/storage/vault.ts';
import { type AgentStore, createAgentStore } from './agents.ts';
import { type BatchDetailStore, createBatchDetailStore } from './batch-detail.ts';
import { type BatchStore, createBatchStore } from './batches.ts';
import { type ClassificationStore, createClassificationStore } from './classification.ts';
import type { Databases, Messages } from './databases.ts';
import { createEventStore, type EventStore } from './events.ts';
import { createHistoryStore, type HistoryStore } from './history.ts';
import { createIngestStore, type IngestStore } from './ingest.ts';
import { createKeyStore, type KeyStore } from './keys.ts';
import { createLinkStore, type LinkStore } from './links.ts';
import { migrate } from './migrations.ts';
import { createMinerSearchStore, type MinerSearchStore } from './miner-search.ts';
import { createMinerStore, type MinerStore } from './miners.ts';
import { createOperatorStore, type OperatorStore } from './operator-fields.ts';

export type { Placement } from './placements.ts';

import { createOpsStatusStore, type OpsStatusStore } from './ops-status.ts';
import { isPostgresUrl, nameOfPostgres, openPostgresDatabases } from './postgres.ts';
import { prune } from './pruning.ts';
import { createSealing, sealWhatIsOpen } from './sealing.ts';
import { openSqliteDatabases } from './sqlite.ts';
import { createTaskKeyStore, isKeySealed, type TaskKeyStore } from './task-keys.ts';
import { createTaskStore, type TaskStore } from './tasks.ts';
import { createTenantStore, type TenantStore } from './tenants.ts';

export type { Agent, AgentRow, AgentStore } from './agents.ts';
export type { BatchDetail, BatchDetailStore, Task } from './batch-detail.ts';
export type { Batch, BatchFilter, BatchRequest, BatchStore, NewBatch, TaskCandidate } from './batches.ts';
export type { ClassificationStore } from './classification.ts';
export type { Messages } from './databases.ts';
export type { EventStore, MinerEvent } from './events.ts';
export { GRANULARITIES, type HistoryBucket, type HistoryStore } from './history.ts';
export type { IngestStore } from './ingest.ts';
export type { Item } from './items.ts';
export type { ApiKey, KeyStore } from './keys.ts';
export type { LinkStore } from './links.ts';
export type { MinerFilter, StatusSet } from './miner-filter.ts';
export {
  type MinerSearch,
  type MinerSearchStore,
  SEARCH_FIELDS,
} from './miner-search.ts';
export type { ItemPage, MinerStore, Window } from './miners.ts';
export {
  type Edited,
  type EditProblem,
  type OperatorStore,
  positionSchema,
  rackSchema,
} from './operator-fields.ts';
export type { MinerOpsStatus, OpsStatusStore } from './ops-status.ts';
export { IDEMPOTENCY_MS } from './pruning.ts';
export type { KeyPair, TaskKey, TaskKeyStore } from './task-keys.ts';
export type { TaskStore } from './tasks.ts';
export type { Farm, FarmRecord, Grant, TenantStore, Workspace } from './tenants.ts';
export { isMatch, type ValueFilter } from './value-filter.ts';

export type Store = {
  /** Undefined: what is written lies open. */
  readonly vault: Vault | undefined;
  readonly tenants: TenantStore;
  readonly keys: KeyStore;
  readonly agents: AgentStore;
  readonly miners: MinerStore;
  readonly search: MinerSearchStore;
  readonly classification: ClassificationStore;
  readonly ingest: IngestStore;
  readonly history: HistoryStore;
  readonly events: EventStore;
  readonly batches: BatchStore;
  readonly batchDetail: BatchDetailStore;
  readonly tasks: TaskStore;
  readonly taskKeys: TaskKeyStore;
  readonly links: LinkStore;
  readonly operators: OperatorStore;
  readonly opsStatus: OpsStatusStore;
  /** To the other copies of the service on the same database. */
  readonly messages: Messages;
  /** Seals the secrets that were written before there was a vault. */
  sealWhatIsOpen(): Promise<void>;
  /** Removes what has had its time. */
  prune(nowMs: number): Promise<void>;
  /** Throws when the database does not answer. */
  check(): Promise<void>;
  close(): Promise<void>;
};

/**
 * Opens the database of a `postgres://` URL, or opens or creates the file of a path; applies what its schema lacks. Throws when that fails.
 * With a vault, which may depend on whether the database is sealed, the secrets that are written from now on are sealed.
 */
export async function openStore(
  target: string,
  log?: Log,
  findVault: (isSealed: boolean) => Vault | undefined = () => undefined,
): Promise<Store> {
  const databases = openDatabases(target, log);
  let vault: Vault | undefined;
  try {
    await migrate(databases, nameOf(target));
    vault = findVault(await isKeySealed(databases.read));
  } catch (error) {
    await databases.close();
    throw isPostgresUrl(target) && !(error instanceof BugError || error instanceof ConfigError)
      ? unreachable(target, error)
      : error;
  }
  const { read, write, transact, lock } = databases;
  const sealing = createSealing(vault);
  return {
    vault,
    tenants: createTenantStore(databases),
    keys: createKeyStore(read, write),
    agents: createAgentStore(databases),
    miners: createMinerStore(databases),
    search: createMinerSearchStore(databases),
    classification: createClassificationStore(read),
    ingest: createIngestStore(databases, newId),
    history: createHistoryStore(read),
    events: createEventStore(read),
    batches: createBatchStore(read, transact, lock, sealing),
    batchDetail: createBatchDetailStore(read, transact, sealing),
    tasks: createTaskStore(read, write, transact, sealing),
    taskKeys: createTaskKeyStore(databases, sealing),
    links: createLinkStore(read, write),
    operators: createOperatorStore(databases, newId),
    opsStatus: createOpsStatusStore(read),
    messages: databases.messages,
    async sealWhatIsOpen() {
      if (vault !== undefined) await sealWhatIsOpen(databases, sealing);
    },
    prune: (nowMs) => prune(write, nowMs),
    async check() {
      await read.selectFrom('workspaces').select('id').limit(1).execute();
    },
    close: () => databases.close(),
  };
}

/** The connections alone, as they are before any schema. */
export function openDatabases(target: string, log?: Log): Databases {
  return isPostgresUrl(target) ? openPostgresDatabases(target, log) : openSqliteDatabases(target);
}

function unreachable(target: string, error: unknown): PeerError {
  // Of a host with several addresses each has its own.
  const cause: unknown = error instanceof AggregateError ? error.errors[0] : error;
  return new PeerError('peer.unreachable', `open the database ${nameOf(target)}`, 'soon', cause);
}

/** How messages call the database; never with a password. */
const nameOf = (target: string) => (isPostgresUrl(target) ? nameOfPostgres(target) : target);

/** UUIDv7: sorts by time of making. */
export function newId(nowMs: number): string {
  return v7({ msecs: nowMs });
}
