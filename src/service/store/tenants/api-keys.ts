// API keys at rest: hashes, what they may do, when they end. The secret itself is never here.
import { RefusedError } from '../../../base/errors.ts';
import type { Databases } from '../databases.ts';
import { countAll, textList } from '../rows.ts';
import type { Db, Row } from '../schema.ts';
import { revoke } from './revocation.ts';

/** Of a workspace, without revoked ones. */
export const MOST_KEYS = 1_000;

/** `role` null = what it may do is listed in `permissions`. Times in ms. */
export type ApiKey = Readonly<ReturnType<typeof toKey>>;
export type KeyStore = ReturnType<typeof createKeyStore>;

export function createKeyStore({ read, write }: Databases) {
  return {
    /** Throws RefusedError `keys.full`. */
    async create(key: ApiKey): Promise<void> {
      await requireRoom(write, key.workspaceId);
      await write
        .insertInto('api_keys')
        .values({
          id: key.id,
          hash: key.hash,
          workspace_id: key.workspaceId,
          name: key.name,
          role: key.role,
          permissions: JSON.stringify(key.permissions),
          created_at: key.createdAtMs,
          expires_at: key.expiresAtMs,
          revoked_at: key.revokedAtMs,
          last_used_at: key.lastUsedAtMs,
        })
        .execute();
    },
    async find(id: string): Promise<ApiKey | undefined> {
      const row = await read.selectFrom('api_keys').selectAll().where('id', '=', id).executeTakeFirst();
      return row && toKey(row);
    },
    /** Of one workspace, or all; oldest first. */
    async list(workspaceId?: string): Promise<readonly ApiKey[]> {
      const all = read.selectFrom('api_keys').selectAll().orderBy('created_at').orderBy('id');
      const rows = await (workspaceId === undefined ? all : all.where('workspace_id', '=', workspaceId)).execute();
      return rows.map(toKey);
    },
    /** Says whether there was an unrevoked key with that id. */
    revoke: (id: string, nowMs: number) => revoke(write, 'api_keys', id, nowMs),
    async markUsed(id: string, nowMs: number): Promise<void> {
      await write.updateTable('api_keys').set({ last_used_at: nowMs }).where('id', '=', id).execute();
    },
  };
}

async function requireRoom(write: Db, workspaceId: string): Promise<void> {
  const there = await countAll(
    write.selectFrom('api_keys').where('workspace_id', '=', workspaceId).where('revoked_at', 'is', null),
  );
  if (there >= MOST_KEYS)
    throw new RefusedError(
      'keys.full',
      `Make a key: the workspace has ${there}, accepted are ${MOST_KEYS}; end one first`,
    );
}

const toKey = (row: Row<'api_keys'>) => ({
  id: row.id,
  hash: row.hash,
  workspaceId: row.workspace_id,
  name: row.name,
  role: row.role,
  permissions: textList(row.permissions),
  createdAtMs: row.created_at,
  expiresAtMs: row.expires_at,
  revokedAtMs: row.revoked_at,
  lastUsedAtMs: row.last_used_at,
});
