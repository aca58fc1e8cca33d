// Task batches as they lie in the database of a rig: what the interface shows of batches that nobody can order here, or
// that took long to end.
import { query } from '../unit/service-http/database.ts';
import type { Rig } from '../unit/service-http/rig.ts';

/** name, status, type of actor; made one minute after the other. */
export const BATCHES = [
  ['miner.system.reboot', 'pending', 'api_key'],
  ['miner.system.reboot', 'running', 'user'],
  ['miner.light.update', 'succeeded', 'api_key'],
  ['miner.pool.update', 'failed', 'system'],
  ['agent.scan.create', 'partially_succeeded', 'agent'],
  ['miner.asset.update', 'cancelled', 'user'],
] as const;

export const START_MS = Date.UTC(2026, 0, 1);
/** When batch n was made. */
export const madeAt = (n: number): string => new Date(START_MS + n * 60_000).toISOString();

export type StoredBatch = {
  readonly id: string;
  readonly farmId: string;
  readonly name: string;
  readonly status: string;
  readonly params: object;
  readonly actor: { readonly type: string };
  /** All, succeeded, failed. */
  readonly counts: readonly [number, number, number];
  readonly createdMs: number;
};

/** With `{"a":1}` as metadata. */
export async function storeBatch(rig: Rig, batch: StoredBatch): Promise<void> {
  await query(
    rig,
    `INSERT INTO task_batches (id, workspace_id, farm_id, agent_id, name, params, actor_type, actor, metadata, status, task_count,
      succeed_count, failed_count, created_at) VALUES (?, ?, ?, 'x', ?, ?, ?, ?, '{"a":1}', ?, ?, ?, ?, ?)`,
    ...[batch.id, rig.workspaceId, batch.farmId, batch.name, JSON.stringify(batch.params), batch.actor.type],
    ...[JSON.stringify(batch.actor), batch.status, ...batch.counts, batch.createdMs],
  );
}
