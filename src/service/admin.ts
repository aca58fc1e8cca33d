// What an administrator does: workspaces, farms, keys, codes, grants. On the store of a running service or on its database file beside it.
import type { Clock } from '../base/clock.ts';
import { ConfigError } from '../base/errors.ts';
import { findServiceVault, type KeyFiles, keyNotOpened } from './auth/key-file.ts';
import { PERMISSIONS, type Permission } from './auth/rules.data.ts';
import { newApiKey, newEnrolmentCode } from './auth/secrets.ts';
import { exportPositions, importPositions } from './locations/positions.ts';
import {
  type Edited,
  type Farm,
  type FarmRecord,
  newId,
  openStore,
  type Store,
  type Workspace,
} from './store/store.ts';
import { replaceKey } from './tasks/signer.ts';

export { PERMISSIONS, type Permission };

/** Slugs stand in addresses, file names and commands. */
const SLUG = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/;
const SLUG_WORDS = '1 to 63 small letters, digits and hyphens, without a hyphen at either end';

/** Times are ISO 8601 texts; null = never. `permissions` null = every permission. */
export type KeyInfo = {
  readonly id: string;
  readonly workspaceId: string;
  readonly name: string;
  readonly permissions: readonly string[] | null;
  readonly createdAt: string;
  readonly expiresAt: string | null;
  readonly lastUsedAt: string | null;
  readonly revokedAt: string | null;
};

/** `archivedAt` is an ISO 8601 text; null = the farm is run. */
export type FarmInfo = Farm & { readonly archivedAt: string | null };

export type AgentInfo = {
  readonly id: string;
  readonly farmId: string;
  readonly name: string;
  readonly version: string;
  readonly enrolledAt: string;
  readonly lastOnlineAt: string | null;
  readonly revokedAt: string | null;
};

/** `farmIds` null = every farm of the grantor. */
export type GrantInfo = {
  readonly id: string;
  readonly grantorId: string;
  readonly granteeId: string;
  readonly farmIds: readonly string[] | null;
  readonly permissions: readonly string[];
  readonly createdAt: string;
  readonly expiresAt: string | null;
  readonly revokedAt: string | null;
};

export type Admin = {
  /** The workspace `default` and its farm, made when they are missing. */
  ensureDefaults(): Promise<{ workspaceId: string; farmId: string }>;
  createWorkspace(options: { name: string; slug: string }): Promise<Workspace>;
  listWorkspaces(): Promise<readonly Workspace[]>;
  createFarm(options: { workspaceId: string; name: string | null }): Promise<FarmInfo>;
  listFarms(workspaceId?: string): Promise<readonly FarmInfo[]>;
  /** Farms that are no longer run take no new agents; what they have stays readable. Says whether that changed anything. */
  archiveFarm(id: string): Promise<boolean>;
  restoreFarm(id: string): Promise<boolean>;
  /** `key` is shown here and never again. `expiresAt` is an ISO 8601 text. */
  createKey(options: {
    workspaceId: string;
    name: string;
    permissions?: readonly Permission[] | undefined;
    expiresAt?: string | undefined;
  }): Promise<{ id: string; key: string }>;
  listKeys(workspaceId?: string): Promise<readonly KeyInfo[]>;
  /** Says whether there was such a key that was not revoked yet. */
  revokeKey(id: string): Promise<boolean>;
  createEnrolmentCode(options: { farmId: string; ttlMs: number }): Promise<{ code: string; expiresAt: string }>;
  listAgents(): Promise<readonly AgentInfo[]>;
  /** Its token is good no longer; says whether there was such an agent that was not revoked yet. */
  revokeAgent(id: string): Promise<boolean>;
  createGrant(options: {
    grantorId: string;
    granteeId: string;
    farmIds?: readonly string[] | undefined;
    permissions: readonly Permission[];
    expiresAt?: string | undefined;
  }): Promise<{ id: string }>;
  listGrants(): Promise<readonly GrantInfo[]>;
  revokeGrant(id: string): Promise<boolean>;
  /** That orders are signed with, as agents show it in their log; undefined before the service has run. */
  taskKey(): Promise<string | undefined>;
  /** See `replaceKey`. */
  replaceTaskKey(options: { isLost: boolean }): Promise<{ publicKey: string; isEndorsed: boolean }>;
  /** CSV; see positions.ts. */
  exportPositions(farmId: string): Promise<string>;
  /** What changes, or would in a dry run. Throws ConfigError that names every wrong line; nothing is changed then. */
  importPositions(options: { farmId: string; text: string; isDryRun: boolean }): Promise<readonly Edited[]>;
};

/** Opens the database of a service, also while the service runs. Close it when done. */
export async function openAdmin(
  databasePath: string,
  parts: { clock: Clock; keyFiles?: KeyFiles | undefined },
): Promise<Admin & { close(): Promise<void> }> {
  const { clock, keyFiles } = parts;
  const store = await openStore(databasePath, undefined, () => findServiceVault(databasePath, keyFiles));
  return { ...createAdmin(store, clock, () => keyNotOpened(databasePath, keyFiles)), close: () => store.close() };
}

/** `unopened` = what to say where the key in use cannot be opened. */
export function createAdmin(store: Store, clock: Clock, unopened: () => ConfigError): Admin {
  const { tenants, keys, agents } = store;
  const admin: Admin = {
    async ensureDefaults() {
      const nowMs = clock.nowMs();
      const workspace = { id: newId(nowMs), name: 'Default', slug: 'default' };
      const farm = await tenants.ensure(workspace, { id: newId(nowMs), name: 'Default' }, nowMs);
      return { workspaceId: farm.workspaceId, farmId: farm.id };
    },
    async createWorkspace({ name, slug }) {
      if (!SLUG.test(slug)) throw problem('slug', `'${slug}' is not ${SLUG_WORDS}`);
      const workspace = { id: newId(clock.nowMs()), name, slug };
      if (await tenants.findWorkspace(slug)) throw problem('slug', `'${slug}' is taken by another workspace`);
      await tenants.createWorkspace(workspace, clock.nowMs());
      return workspace;
    },
    listWorkspaces: () => tenants.listWorkspaces(),
    async createFarm({ workspaceId, name }) {
      await requireWorkspace(workspaceId, 'workspaceId');
      const farm = { id: newId(clock.nowMs()), workspaceId, name };
      await tenants.createFarm(farm, clock.nowMs());
      return { ...farm, archivedAt: null };
    },
    async listFarms(workspaceId) {
      const farms = await tenants.listFarms(workspaceId);
      return farms.map(({ archivedAtMs, ...farm }) => ({ ...farm, archivedAt: toIso(archivedAtMs) }));
    },
    async archiveFarm(id) {
      await requireFarm(id);
      return tenants.setArchived(id, clock.nowMs());
    },
    async restoreFarm(id) {
      await requireFarm(id);
      return tenants.setArchived(id, null);
    },
    async createKey({ workspaceId, name, permissions, expiresAt }) {
      await requireWorkspace(workspaceId, 'workspaceId');
      const { id, text, hash } = newApiKey();
      await keys.create({
        id,
        hash,
        workspaceId,
        name,
        permissions: permissions === undefined ? null : requirePermissions(permissions),
        createdAtMs: clock.nowMs(),
        expiresAtMs: toMs(expiresAt),
        revokedAtMs: null,
        lastUsedAtMs: null,
      });
      return { id, key: text };
    },
    async listKeys(workspaceId) {
      const rows = await keys.list(workspaceId);
      return rows.map(({ id, workspaceId: owner, name, permissions, ...times }) => ({
        id,
        workspaceId: owner,
        name,
        permissions,
        createdAt: new Date(times.createdAtMs).toISOString(),
        expiresAt: toIso(times.expiresAtMs),
        lastUsedAt: toIso(times.lastUsedAtMs),
        revokedAt: toIso(times.revokedAtMs),
      }));
    },
    revokeKey: (id) => keys.revoke(id, clock.nowMs()),
    async createEnrolmentCode({ farmId, ttlMs }) {
      const { archivedAtMs } = await requireFarm(farmId);
      if (archivedAtMs !== null) throw problem('farmId', `'${farmId}' is archived: restore it first`);
      const { text, hash } = newEnrolmentCode();
      const nowMs = clock.nowMs();
      await agents.createCode({ hash, farmId, nowMs, expiresAtMs: nowMs + ttlMs });
      return { code: text, expiresAt: new Date(nowMs + ttlMs).toISOString() };
    },
    async listAgents() {
      const rows = await agents.listAll();
      return rows.map((row) => ({
        id: row.id,
        farmId: row.farm_id,
        name: row.name,
        version: row.version,
        enrolledAt: new Date(row.enrolled_at).toISOString(),
        lastOnlineAt: toIso(row.last_seen_at),
        revokedAt: toIso(row.revoked_at),
      }));
    },
    revokeAgent: (id) => agents.revoke(id, clock.nowMs()),
    async createGrant({ grantorId, granteeId, farmIds, permissions, expiresAt }) {
      await requireWorkspace(grantorId, 'grantorId');
      await requireWorkspace(granteeId, 'granteeId');
      if (grantorId === granteeId) throw problem('granteeId', 'a workspace needs no grant to what is its own');
      const own = new Set((await tenants.listFarms(grantorId)).map(({ id }) => id));
      const foreign = farmIds?.find((farmId) => !own.has(farmId));
      if (foreign !== undefined) throw problem('farmIds', `'${foreign}' is no farm of the grantor`);
      const id = newId(clock.nowMs());
      await tenants.createGrant({
        id,
        grantorId,
        granteeId,
        farmIds: farmIds ?? null,
        permissions: requirePermissions(permissions),
        createdAtMs: clock.nowMs(),
        expiresAtMs: toMs(expiresAt),
      });
      return { id };
    },
    async listGrants() {
      const grants = await tenants.listGrants();
      return grants.map(({ createdAtMs, expiresAtMs, revokedAtMs, ...grant }) => ({
        ...grant,
        createdAt: new Date(createdAtMs).toISOString(),
        expiresAt: toIso(expiresAtMs),
        revokedAt: toIso(revokedAtMs),
      }));
    },
    revokeGrant: (id) => tenants.revokeGrant(id, clock.nowMs()),
    taskKey: () => store.taskKeys.currentPublic(),
    replaceTaskKey: ({ isLost }) => replaceKey(store.taskKeys, clock, { isLost, unopened }),
    async exportPositions(farmId) {
      await requireFarm(farmId);
      return exportPositions(store.operators, farmId);
    },
    async importPositions({ farmId, text, isDryRun }) {
      const { workspaceId } = await requireFarm(farmId);
      const actor = { type: 'system', id: 'command-line', name: 'command line', avatar: '', metadata: {} } as const;
      return importPositions(store.operators, { workspaceId, farmId, text, isDryRun, actor, nowMs: clock.nowMs() });
    },
  };

  async function requireWorkspace(id: string, path: string): Promise<void> {
    const workspace = await tenants.findWorkspace(id);
    if (workspace?.id !== id) throw problem(path, `'${id}' is no workspace of this service`);
  }
  async function requireFarm(id: string): Promise<FarmRecord> {
    const farm = await tenants.findFarm(id);
    if (farm === undefined) throw problem('farmId', `'${id}' is no farm of this service`);
    return farm;
  }
  return admin;
}

function requirePermissions(permissions: readonly string[]): readonly string[] {
  const known: readonly string[] = PERMISSIONS;
  const odd = permissions.find((permission) => !known.includes(permission));
  if (odd !== undefined) throw problem('permissions', `'${odd}' is none of ${PERMISSIONS.join(', ')}`);
  return permissions;
}

const problem = (path: string, message: string) => new ConfigError('administer the service', [{ path, message }]);

const toIso = (ms: number | null): string | null => (ms === null ? null : new Date(ms).toISOString());

function toMs(iso: string | undefined): number | null {
  if (iso === undefined) return null;
  const ms = Date.parse(iso);
  if (Number.isNaN(ms)) throw problem('expiresAt', `'${iso}' is not an ISO 8601 time`);
  return ms;
}
