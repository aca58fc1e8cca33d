// The store of the service: one interface, asynchronous, whatever the database. Opening it brings the schema up to date.
import { v7 } from 'uuid';
import { type AgentStore, createAgentStore } from './agents.ts';
import { type BatchStore, createBatchStore } from './batches.ts';
import { createHistoryStore, type HistoryStore } from './history.ts';
import { createIngestStore, type IngestStore } from './ingest.ts';
import { createKeyStore, type KeyStore } from './keys.ts';
import { migrate } from './migrations.ts';
import { createMinerStore, type MinerStore } from './miners.ts';
import { prune } from './pruning.ts';
import { openSqliteDatabases } from './sqlite.ts';
import { createTaskStore, type TaskStore } from './tasks.ts';
import { createTenantStore, type TenantStore } from './tenants.ts';

export type { Agent, AgentFilter, AgentRow, AgentStatus, AgentStore } from './agents.ts';
export type { Batch, BatchFilter, BatchStore, NewBatch, TaskCandidate } from './batches.ts';
export { GRANULARITIES, type Granularity, type HistoryBucket, type HistoryStore } from './history.ts';
export type { IngestStore, Slice, SliceOutcome } from './ingest.ts';
export type { ApiKey, KeyStore } from './keys.ts';
export type { MinerFilter, RunStatus, StatusSet } from './miner-filter.ts';
export type { MinerRow, MinerStore, Window } from './miners.ts';
export { IDEMPOTENCY_MS } from './pruning.ts';
export type { TaskStore } from './tasks.ts';
export type { Farm, Grant, TenantStore, Workspace } from './tenants.ts';
export { isMatch, type TimeFilter, type ValueFilter } from './value-filter.ts';

export type Store = {
  readonly tenants: TenantStore;
  readonly keys: KeyStore;
  readonly agents: AgentStore;
  readonly miners: MinerStore;
  readonly ingest: IngestStore;
  readonly history: HistoryStore;
  readonly batches: BatchStore;
  readonly tasks: TaskStore;
  /** Removes what has had its time. */
  prune(nowMs: number): Promise<void>;
  /** Throws when the database does not answer. */
  check(): Promise<void>;
  close(): Promise<void>;
};

/** Opens or creates the database file and applies what its schema lacks. Throws when that fails. */
export async function openStore(path: string): Promise<Store> {
  const databases = openSqliteDatabases(path);
  try {
    await migrate(databases, path);
  } catch (error) {
    await databases.close();
    throw error;
  }
  const { read, write } = databases;
  return {
    tenants: createTenantStore(read, write),
    keys: createKeyStore(read, write),
    agents: createAgentStore(read, write),
    miners: createMinerStore(read),
    ingest: createIngestStore(write, newId),
    history: createHistoryStore(read),
    batches: createBatchStore(read, write),
    tasks: createTaskStore(read, write),
    prune: (nowMs) => prune(write, nowMs),
    async check() {
      await read.selectFrom('workspaces').select('id').limit(1).execute();
    },
    close: () => databases.close(),
  };
}

/** UUIDv7: sorts by time of making. */
export function newId(nowMs: number): string {
  return v7({ msecs: nowMs });
}
