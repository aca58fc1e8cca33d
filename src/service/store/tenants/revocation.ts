// Keys, grants and agents end by a time in `revoked_at`; what is revoked stays in its table.
import type { Db } from '../schema.ts';

/** Says whether there was such a row that was not revoked. */
export async function revoke(
  write: Db,
  table: 'agents' | 'api_keys' | 'grants',
  id: string,
  nowMs: number,
): Promise<boolean> {
  const { numUpdatedRows } = await write
    .updateTable(table)
    .set({ revoked_at: nowMs })
    .where('id', '=', id)
    .where('revoked_at', 'is', null)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** Those of the agents that are revoked. */
export async function findRevoked(db: Db, agentIds: readonly string[]): Promise<Set<string>> {
  if (agentIds.length === 0) return new Set();
  const rows = await db
    .selectFrom('agents')
    .select('id')
    .where('id', 'in', agentIds)
    .where('revoked_at', 'is not', null)
    .execute();
  return new Set(rows.map(({ id }) => id));
}

/** Those of the agents that may not stay connected, and why. */
export async function findDismissed(
  db: Db,
  agentIds: readonly string[],
): Promise<ReadonlyMap<string, 'revoked' | 'archived'>> {
  if (agentIds.length === 0) return new Map();
  const rows = await db
    .selectFrom('agents')
    .innerJoin('farms', 'farms.id', 'agents.farm_id')
    .select(['agents.id', 'revoked_at'])
    .where('agents.id', 'in', agentIds)
    .where((eb) => eb.or([eb('revoked_at', 'is not', null), eb('archived_at', 'is not', null)]))
    .execute();
  return new Map(rows.map(({ id, revoked_at }) => [id, revoked_at === null ? 'archived' : 'revoked']));
}
