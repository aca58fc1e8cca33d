// Workspaces, their farms, and the grants between workspaces. It does not decide who may do what: that is auth.
import { RefusedError } from '../../../base/errors.ts';
import type { Databases } from '../databases.ts';
import { textList } from '../rows.ts';
import type { Db, Row } from '../schema.ts';
import { revoke } from './revocation.ts';

export type Workspace = { readonly id: string; readonly name: string; readonly slug: string };
export type Farm = { readonly id: string; readonly workspaceId: string; readonly name: string | null };
/** An archived farm is no longer run: it takes no tasks, changes, agents or reports, and shows what it has. */
export type FarmRecord = Farm & { readonly archivedAtMs: number | null };

/** `farmIds` null = every farm of the grantor. Times in ms. */
type GrantRecord = Readonly<ReturnType<typeof toGrant>>;
export type Grant = Omit<GrantRecord, 'grantorId' | 'granteeId' | 'revokedAtMs'> & {
  readonly grantor: Workspace;
  readonly grantee: Workspace;
};

/** Made at the first start, for those who run the service. Other workspaces are of tenants. */
export const OPERATOR_WORKSPACE = { name: 'Default', slug: 'default' } as const;

export type TenantStore = ReturnType<typeof createTenantStore>;

export function createTenantStore({ read, write, transact, lock }: Databases) {
  return {
    /**
     * The workspace with this slug and its oldest farm that is not archived; those that are given where there is none.
     */
    ensure: (workspace: Workspace, farm: Omit<Farm, 'workspaceId'>, nowMs: number): Promise<Farm> =>
      transact(async (trx) => {
        // Copies that start together each want the first ones.
        await lock(trx, 'defaults');
        const found = await trx
          .selectFrom('workspaces')
          .select('id')
          .where('slug', '=', workspace.slug)
          .executeTakeFirst();
        if (found === undefined)
          await trx
            .insertInto('workspaces')
            .values({ ...workspace, created_at: nowMs })
            .execute();
        const workspaceId = found?.id ?? workspace.id;
        const first = await trx
          .selectFrom('farms')
          .select(['id', 'name'])
          .where('workspace_id', '=', workspaceId)
          .where('archived_at', 'is', null)
          .orderBy('id')
          .limit(1)
          .executeTakeFirst();
        if (first === undefined)
          await trx
            .insertInto('farms')
            .values({ ...farm, workspace_id: workspaceId, created_at: nowMs })
            // The given one may be there, archived: it stays so.
            .onConflict((conflict) => conflict.column('id').doNothing())
            .execute();
        return { workspaceId, ...(first ?? farm) };
      }),
    async createWorkspace({ id, name, slug }: Workspace, nowMs: number): Promise<void> {
      await write.insertInto('workspaces').values({ id, name, slug, created_at: nowMs }).execute();
    },
    findWorkspace: (slugOrId: string): Promise<Workspace | undefined> =>
      read
        .selectFrom('workspaces')
        .select(['id', 'name', 'slug'])
        .where((eb) => eb.or([eb('id', '=', slugOrId), eb('slug', '=', slugOrId)]))
        .executeTakeFirst(),
    listWorkspaces: (): Promise<readonly Workspace[]> =>
      read.selectFrom('workspaces').select(['id', 'name', 'slug']).orderBy('id').execute(),
    async createFarm({ id, workspaceId, name }: Farm, nowMs: number): Promise<void> {
      await write.insertInto('farms').values({ id, workspace_id: workspaceId, name, created_at: nowMs }).execute();
    },
    findFarm: (id: string): Promise<FarmRecord | undefined> =>
      read.selectFrom('farms').select(FARM_COLUMNS).where('id', '=', id).executeTakeFirst(),
    /** Of one workspace, or all; oldest first, the archived ones too. */
    listFarms(workspaceId?: string): Promise<readonly FarmRecord[]> {
      const all = read.selectFrom('farms').select(FARM_COLUMNS).orderBy('id');
      return (workspaceId === undefined ? all : all.where('workspace_id', '=', workspaceId)).execute();
    },
    /** null = run again. Says whether that changed anything. */
    async setArchived(farmId: string, atMs: number | null): Promise<boolean> {
      const result = await write
        .updateTable('farms')
        .set({ archived_at: atMs })
        .where('id', '=', farmId)
        .where('archived_at', atMs === null ? 'is not' : 'is', null)
        .executeTakeFirst();
      return result.numUpdatedRows > 0n;
    },
    ...createGrants({ read, write }),
  };
}

function createGrants({ read, write }: Pick<Databases, 'read' | 'write'>) {
  return {
    async createGrant({ id, grantorId, granteeId, ...grant }: Omit<GrantRecord, 'revokedAtMs'>): Promise<void> {
      await write
        .insertInto('grants')
        .values({
          id,
          grantor_id: grantorId,
          grantee_id: granteeId,
          farm_ids: grant.farmIds === null ? null : JSON.stringify(grant.farmIds),
          permissions: JSON.stringify(grant.permissions),
          created_at: grant.createdAtMs,
          expires_at: grant.expiresAtMs,
        })
        .execute();
    },
    revokeGrant: (id: string, nowMs: number) => revoke(write, 'grants', id, nowMs),
    /** All of them, the ended ones too, oldest first. */
    async listGrants(): Promise<readonly GrantRecord[]> {
      const rows = await read.selectFrom('grants').selectAll().orderBy('id').execute();
      return rows.map(toGrant);
    },
    /**
     * Grants to the workspace that are neither expired nor revoked, oldest first; `grantorId` narrows it to one
     * grantor.
     */
    listActiveGrants: (granteeId: string, nowMs: number, grantorId?: string): Promise<readonly Grant[]> =>
      listActiveGrants(read, granteeId, nowMs, grantorId),
  };
}

/** Throws RefusedError `farm.archived`. */
export async function requireRunning(db: Db, farmId: string): Promise<void> {
  const farm = await db.selectFrom('farms').select('archived_at').where('id', '=', farmId).executeTakeFirst();
  if (farm !== undefined && farm.archived_at !== null) throw new RefusedError('farm.archived');
}

const FARM_COLUMNS = ['id', 'workspace_id as workspaceId', 'name', 'archived_at as archivedAtMs'] as const;

const toGrant = (row: Row<'grants'>) => ({
  id: row.id,
  grantorId: row.grantor_id,
  granteeId: row.grantee_id,
  farmIds: row.farm_ids === null ? null : textList(row.farm_ids),
  permissions: textList(row.permissions),
  createdAtMs: row.created_at,
  expiresAtMs: row.expires_at,
  revokedAtMs: row.revoked_at,
});

async function listActiveGrants(read: Db, granteeId: string, nowMs: number, grantorId?: string): Promise<Grant[]> {
  const active = read
    .selectFrom('grants')
    .innerJoin('workspaces as grantor', 'grantor.id', 'grants.grantor_id')
    .innerJoin('workspaces as grantee', 'grantee.id', 'grants.grantee_id')
    .selectAll('grants')
    .select(['grantor.name as grantor_name', 'grantor.slug as grantor_slug'])
    .select(['grantee.name as grantee_name', 'grantee.slug as grantee_slug'])
    .where('grants.grantee_id', '=', granteeId)
    .where('revoked_at', 'is', null)
    .where((eb) => eb.or([eb('expires_at', 'is', null), eb('expires_at', '>', nowMs)]))
    .orderBy('grants.id');
  const rows = await (grantorId === undefined ? active : active.where('grants.grantor_id', '=', grantorId)).execute();
  return rows.map((row) => ({
    ...toGrant(row),
    grantor: { id: row.grantor_id, name: row.grantor_name, slug: row.grantor_slug },
    grantee: { id: row.grantee_id, name: row.grantee_name, slug: row.grantee_slug },
  }));
}
