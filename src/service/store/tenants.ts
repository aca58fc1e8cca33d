// Workspaces, their farms, and the grants between workspaces. It does not decide who may do what: that is auth.
import type { Databases } from './databases.ts';
import { textList } from './rows.ts';
import type { Db, Row } from './schema.ts';

export type Workspace = { readonly id: string; readonly name: string; readonly slug: string };
export type Farm = { readonly id: string; readonly workspaceId: string; readonly name: string | null };
/** An archived farm is no longer run: it takes no new agents, and shows what it has. */
export type FarmRecord = Farm & { readonly archivedAtMs: number | null };

/** `farmIds` null = every farm of the grantor. Times in ms. */
export type Grant = {
  readonly id: string;
  readonly grantor: Workspace;
  readonly grantee: Workspace;
  readonly farmIds: readonly string[] | null;
  readonly permissions: readonly string[];
  readonly createdAtMs: number;
  readonly expiresAtMs: number | null;
};

export type GrantRecord = Omit<Grant, 'grantor' | 'grantee'> & {
  readonly grantorId: string;
  readonly granteeId: string;
  readonly revokedAtMs: number | null;
};

export type TenantStore = {
  /** The workspace with this slug and its oldest farm that is not archived; those that are given where there is none. */
  ensure(workspace: Workspace, farm: Omit<Farm, 'workspaceId'>, nowMs: number): Promise<Farm>;
  createWorkspace(workspace: Workspace, nowMs: number): Promise<void>;
  findWorkspace(slugOrId: string): Promise<Workspace | undefined>;
  listWorkspaces(): Promise<readonly Workspace[]>;
  createFarm(farm: Farm, nowMs: number): Promise<void>;
  findFarm(id: string): Promise<FarmRecord | undefined>;
  /** Of one workspace, or all; oldest first, the archived ones too. */
  listFarms(workspaceId?: string): Promise<readonly FarmRecord[]>;
  /** null = run again. Says whether that changed anything. */
  setArchived(farmId: string, atMs: number | null): Promise<boolean>;
  createGrant(grant: Omit<Grant, 'grantor' | 'grantee'> & { grantorId: string; granteeId: string }): Promise<void>;
  revokeGrant(id: string, nowMs: number): Promise<boolean>;
  /** All of them, the ended ones too, oldest first. */
  listGrants(): Promise<readonly GrantRecord[]>;
  /** Grants to the workspace that are neither expired nor revoked, oldest first; `grantorId` narrows it to one grantor. */
  listActiveGrants(granteeId: string, nowMs: number, grantorId?: string): Promise<readonly Grant[]>;
};

export function createTenantStore({ read, write, transact, lock }: Databases): TenantStore {
  return {
    ensure: (workspace, farm, nowMs) =>
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
            .execute();
        return { workspaceId, ...(first ?? farm) };
      }),
    async createWorkspace({ id, name, slug }, nowMs) {
      await write.insertInto('workspaces').values({ id, name, slug, created_at: nowMs }).execute();
    },
    findWorkspace: (slugOrId) =>
      read
        .selectFrom('workspaces')
        .select(['id', 'name', 'slug'])
        .where((eb) => eb.or([eb('id', '=', slugOrId), eb('slug', '=', slugOrId)]))
        .executeTakeFirst(),
    listWorkspaces: () => read.selectFrom('workspaces').select(['id', 'name', 'slug']).orderBy('id').execute(),
    async createFarm({ id, workspaceId, name }, nowMs) {
      await write.insertInto('farms').values({ id, workspace_id: workspaceId, name, created_at: nowMs }).execute();
    },
    async findFarm(id) {
      const row = await read.selectFrom('farms').select(FARM_COLUMNS).where('id', '=', id).executeTakeFirst();
      return row && toFarm(row);
    },
    async listFarms(workspaceId) {
      const all = read.selectFrom('farms').select(FARM_COLUMNS).orderBy('id');
      const rows = await (workspaceId === undefined ? all : all.where('workspace_id', '=', workspaceId)).execute();
      return rows.map(toFarm);
    },
    async setArchived(farmId, atMs) {
      const result = await write
        .updateTable('farms')
        .set({ archived_at: atMs })
        .where('id', '=', farmId)
        .where('archived_at', atMs === null ? 'is not' : 'is', null)
        .executeTakeFirst();
      return result.numUpdatedRows > 0n;
    },
    async createGrant({ id, grantorId, granteeId, farmIds, permissions, createdAtMs, expiresAtMs }) {
      await write
        .insertInto('grants')
        .values({
          id,
          grantor_id: grantorId,
          grantee_id: granteeId,
          farm_ids: farmIds === null ? null : JSON.stringify(farmIds),
          permissions: JSON.stringify(permissions),
          created_at: createdAtMs,
          expires_at: expiresAtMs,
          revoked_at: null,
        })
        .execute();
    },
    async revokeGrant(id, nowMs) {
      const result = await write
        .updateTable('grants')
        .set({ revoked_at: nowMs })
        .where('id', '=', id)
        .where('revoked_at', 'is', null)
        .executeTakeFirst();
      return result.numUpdatedRows > 0n;
    },
    async listGrants() {
      const rows = await read.selectFrom('grants').selectAll().orderBy('id').execute();
      return rows.map((row) => ({
        id: row.id,
        grantorId: row.grantor_id,
        granteeId: row.grantee_id,
        farmIds: row.farm_ids === null ? null : textList(row.farm_ids),
        permissions: textList(row.permissions),
        createdAtMs: row.created_at,
        expiresAtMs: row.expires_at,
        revokedAtMs: row.revoked_at,
      }));
    },
    listActiveGrants: (granteeId, nowMs, grantorId) => listActiveGrants(read, granteeId, nowMs, grantorId),
  };
}

const FARM_COLUMNS = ['id', 'workspace_id', 'name', 'archived_at'] as const;
const toFarm = (row: Omit<Row<'farms'>, 'created_at'>): FarmRecord => ({
  id: row.id,
  workspaceId: row.workspace_id,
  name: row.name,
  archivedAtMs: row.archived_at,
});

async function listActiveGrants(read: Db, granteeId: string, nowMs: number, grantorId?: string): Promise<Grant[]> {
  const active = read
    .selectFrom('grants')
    .innerJoin('workspaces as grantor', 'grantor.id', 'grants.grantor_id')
    .innerJoin('workspaces as grantee', 'grantee.id', 'grants.grantee_id')
    .select(['grants.id', 'farm_ids', 'permissions', 'grants.created_at', 'expires_at'])
    .select(['grantor.id as grantor_id', 'grantor.name as grantor_name', 'grantor.slug as grantor_slug'])
    .select(['grantee.id as grantee_id', 'grantee.name as grantee_name', 'grantee.slug as grantee_slug'])
    .where('grants.grantee_id', '=', granteeId)
    .where('revoked_at', 'is', null)
    .where((eb) => eb.or([eb('expires_at', 'is', null), eb('expires_at', '>', nowMs)]))
    .orderBy('grants.id');
  const rows = await (grantorId === undefined ? active : active.where('grants.grantor_id', '=', grantorId)).execute();
  return rows.map((row) => ({
    id: row.id,
    grantor: { id: row.grantor_id, name: row.grantor_name, slug: row.grantor_slug },
    grantee: { id: row.grantee_id, name: row.grantee_name, slug: row.grantee_slug },
    farmIds: row.farm_ids === null ? null : textList(row.farm_ids),
    permissions: textList(row.permissions),
    createdAtMs: row.created_at,
    expiresAtMs: row.expires_at,
  }));
}
