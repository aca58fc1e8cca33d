// What an administrator does: workspaces, farms, keys, codes, grants. On the store of a running service or on its
// database file beside it.
import type { Clock } from '../base/clock.ts';
import { ConfigError } from '../base/errors.ts';
import { silentLog } from '../base/log.ts';
import { DEFAULT_MAX_MINERS, MOST_MAX_MINERS } from '../model/grant.ts';
import { type Permission, type Role, readPermissions } from '../model/permissions/permissions.ts';
import { isVisible } from '../model/plain-text.ts';
import { findServiceVault, type KeyFiles, keyNotDecrypted } from './auth/key-file.ts';
import { hashSecret, newApiKey, newEnrolmentCode } from './auth/secrets.ts';
import { toIso, toIsoOrNull } from './http/shared/envelope.ts';
import { exportPositions, importPositions } from './locations/positions.ts';
import { beginTime, createServiceClock } from './service-clock.ts';
import { type FarmRecord, newId, openStore, type Store, type TenantStore } from './store/store.ts';
import { replaceKey } from './tasks/signer.ts';

/** Slugs stand in addresses, file names and commands. */
const SLUG = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/;
const SLUG_WORDS = '1 to 63 small letters, digits and hyphens, without a hyphen at either end';

/**
 * Its methods take and give times as ISO 8601 texts; null = never, or every one. They throw ConfigError for what does
 * not fit.
 */
export type Admin = ReturnType<typeof createAdmin>;

/** Opens the database of a service, also while the service runs. Close it when done. */
export async function openAdmin(
  databasePath: string,
  { clock, keyFiles, hostUptimeMs }: { clock: Clock; keyFiles?: KeyFiles | undefined; hostUptimeMs?: () => number },
): Promise<Admin & { close(): Promise<void> }> {
  const store = await openStore(databasePath, undefined, () => findServiceVault(databasePath, keyFiles));
  try {
    // Codes and keys live by the clock of the service.
    const serviceClock = createServiceClock(clock);
    await beginTime({ store: store.clock, clock, serviceClock, log: silentLog, hostUptimeMs });
    const admin: Admin = createAdmin(store, serviceClock, () => keyNotDecrypted(databasePath, keyFiles));
    return { ...admin, close: () => store.close() };
  } catch (error) {
    await store.close();
    throw error;
  }
}

/** `undecryptable` makes the error for a key in use that cannot be decrypted. */
export function createAdmin(store: Store, clock: Clock, undecryptable: () => ConfigError) {
  return {
    ...administerTenants(store, clock),
    ...administerKeysAndAgents(store, clock),
    ...administerGrants(store, clock),
    /** Tasks are signed with it, and agents show it in their log; undefined before the service has run. */
    taskKey: () => store.taskKeys.currentPublic(),
    /** See `replaceKey`. */
    replaceTaskKey: ({ isLost }: { isLost: boolean }) => replaceKey(store.taskKeys, clock, { isLost, undecryptable }),
    /** CSV; see locations/positions.ts. */
    async exportPositions(farmId: string) {
      await requireFarm(store.tenants, farmId);
      return exportPositions(store.operators, farmId);
    },
    /** What changes, or would in a dry run. Throws ConfigError that names every wrong line; nothing is changed then. */
    async importPositions({ farmId, text, isDryRun }: { farmId: string; text: string; isDryRun: boolean }) {
      const { workspaceId } = await requireRunningFarm(store.tenants, farmId);
      const actor = { type: 'system', id: 'command-line', name: 'command line', avatar: '', metadata: {} } as const;
      return importPositions(store.operators, { workspaceId, farmId, text, isDryRun, actor, nowMs: clock.nowMs() });
    },
  };
}

function administerTenants({ tenants }: Store, clock: Clock) {
  const setArchived = async (id: string, atMs: number | null) => {
    await requireFarm(tenants, id);
    return tenants.setArchived(id, atMs);
  };
  return {
    /**
     * The workspace `default` and its farm, made when they are missing: with the ids that they are known by already,
     * where a database began anew.
     */
    async ensureDefaults(known?: { readonly workspaceId: string; readonly farmId: string }) {
      const nowMs = clock.nowMs();
      const workspace = { id: known?.workspaceId ?? newId(nowMs), name: 'Default', slug: 'default' };
      const farm = await tenants.ensure(workspace, { id: known?.farmId ?? newId(nowMs), name: 'Default' }, nowMs);
      return { workspaceId: farm.workspaceId, farmId: farm.id };
    },
    async createWorkspace({ name, slug }: { name: string; slug: string }) {
      if (!SLUG.test(slug)) throw problem('slug', `'${slug}' is not ${SLUG_WORDS}`);
      requireVisible(name);
      const workspace = { id: newId(clock.nowMs()), name, slug };
      if (await tenants.findWorkspace(slug)) throw problem('slug', `'${slug}' is taken by another workspace`);
      await tenants.createWorkspace(workspace, clock.nowMs());
      return workspace;
    },
    listWorkspaces: () => tenants.listWorkspaces(),
    async createFarm({ workspaceId, name }: { workspaceId: string; name: string | null }) {
      await requireWorkspace(tenants, workspaceId, 'workspaceId');
      if (name !== null) requireVisible(name);
      const farm = { id: newId(clock.nowMs()), workspaceId, name };
      await tenants.createFarm(farm, clock.nowMs());
      return { ...farm, archivedAt: null };
    },
    async listFarms(workspaceId?: string) {
      const farms = await tenants.listFarms(workspaceId);
      return farms.map(({ archivedAtMs, ...farm }) => ({ ...farm, archivedAt: toIsoOrNull(archivedAtMs) }));
    },
    /**
     * An archived farm takes no tasks, changes, agents or reports; what it has stays readable. Gives whether that
     * changed anything.
     */
    archiveFarm: (id: string) => setArchived(id, clock.nowMs()),
    restoreFarm: (id: string) => setArchived(id, null),
  };
}

/** What it may do: everything of a role, also what a later version adds to that; or the permissions that are listed. */
type NewKey = {
  readonly workspaceId: string;
  readonly name: string;
  readonly expiresAt?: string | undefined;
} & ({ readonly role: Role } | { readonly permissions: readonly string[] });

type KnownAgent = Readonly<Record<'id' | 'farmId' | 'name' | 'token' | 'identityKey' | 'version', string>> & {
  readonly maxMiners?: number;
};

function administerKeysAndAgents({ tenants, keys, agents }: Store, clock: Clock) {
  return {
    /** `key` is shown here and never again. */
    async createKey({ workspaceId, name, expiresAt, ...may }: NewKey) {
      await requireWorkspace(tenants, workspaceId, 'workspaceId');
      requireVisible(name);
      const { id, text, hash } = newApiKey();
      await keys.create({
        id,
        hash,
        workspaceId,
        name,
        ...('role' in may
          ? { role: may.role, permissions: [] }
          : { role: null, permissions: requirePermissions(may.permissions) }),
        createdAtMs: clock.nowMs(),
        expiresAtMs: toMs(expiresAt),
        revokedAtMs: null,
        lastUsedAtMs: null,
      });
      return { id, key: text };
    },
    async listKeys(workspaceId?: string) {
      const rows = await keys.list(workspaceId);
      return rows.map(({ id, workspaceId: owner, name, role, permissions, ...times }) => ({
        id,
        workspaceId: owner,
        name,
        role,
        /** Empty where there is a role. */
        permissions,
        createdAt: toIso(times.createdAtMs),
        expiresAt: toIsoOrNull(times.expiresAtMs),
        lastUsedAt: toIsoOrNull(times.lastUsedAtMs),
        revokedAt: toIsoOrNull(times.revokedAtMs),
      }));
    },
    /** Gives whether there was such a key that was not revoked yet. */
    revokeKey: (id: string) => keys.revoke(id, clock.nowMs()),
    /** `maxMiners`: how many miners the agent may have that uses it. */
    async createEnrolmentCode({ farmId, ttlMs, maxMiners = DEFAULT_MAX_MINERS }: NewCode) {
      requireMaxMiners(maxMiners);
      await requireRunningFarm(tenants, farmId);
      const { text, hash } = newEnrolmentCode();
      const nowMs = clock.nowMs();
      await agents.createCode({ hash, farmId, nowMs, expiresAtMs: nowMs + ttlMs, maxMiners });
      return { code: text, expiresAt: toIso(nowMs + ttlMs), maxMiners };
    },
    async listAgents() {
      const rows = await agents.listAll();
      return rows.map((row) => ({
        id: row.id,
        farmId: row.farm_id,
        name: row.name,
        version: row.version,
        enrolledAt: toIso(row.enrolled_at),
        lastOnlineAt: toIsoOrNull(row.last_seen_at),
        revokedAt: toIsoOrNull(row.revoked_at),
        maxMiners: row.max_miners,
      }));
    },
    /** How many miners it may have; it keeps what it has. Gives whether there is such an agent that is not revoked. */
    async limitAgent(id: string, maxMiners: number, options?: { readonly isLeast: boolean }) {
      requireMaxMiners(maxMiners);
      return agents.grant(id, maxMiners, options);
    },
    /**
     * For the agent of this process, when a new or restored database does not know it: it keeps its identity. Gives
     * whether it was unknown.
     */
    async admitAgent({ id, farmId, name, token, identityKey, version, maxMiners }: KnownAgent) {
      if ((await agents.find(id)) !== undefined) return false;
      await agents.admit(
        { id, name, tokenHash: hashSecret(token), identityKey, version, nowMs: clock.nowMs() },
        farmId,
        maxMiners,
      );
      return true;
    },
    /** Its token is no longer valid; gives whether there was such an agent that was not revoked yet. */
    revokeAgent: (id: string) => agents.revoke(id, clock.nowMs()),
  };
}

/** Without `farmIds` it is for every farm of the grantor. */
type NewGrant = {
  readonly grantorId: string;
  readonly granteeId: string;
  readonly farmIds?: readonly string[] | undefined;
  readonly permissions: readonly string[];
  readonly expiresAt?: string | undefined;
};

function administerGrants({ tenants }: Store, clock: Clock) {
  return {
    async createGrant({ grantorId, granteeId, farmIds, permissions, expiresAt }: NewGrant) {
      await requireWorkspace(tenants, grantorId, 'grantorId');
      await requireWorkspace(tenants, granteeId, 'granteeId');
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
        createdAt: toIso(createdAtMs),
        expiresAt: toIsoOrNull(expiresAtMs),
        revokedAt: toIsoOrNull(revokedAtMs),
      }));
    },
    /** Gives whether there was such a grant that was not revoked yet. */
    revokeGrant: (id: string) => tenants.revokeGrant(id, clock.nowMs()),
  };
}

type NewCode = { readonly farmId: string; readonly ttlMs: number; readonly maxMiners?: number | undefined };

function requireMaxMiners(maxMiners: number): void {
  if (!Number.isInteger(maxMiners) || maxMiners < 1 || maxMiners > MOST_MAX_MINERS)
    throw problem('maxMiners', `accepted: a whole number from 1 to ${MOST_MAX_MINERS}`);
}

/** A name with invisible characters could pass for another name. */
function requireVisible(name: string): void {
  if (!isVisible(name) || name.trim() === '')
    throw problem('name', 'accepted: characters that can be seen, with blanks between them');
}

async function requireWorkspace(tenants: TenantStore, id: string, path: string): Promise<void> {
  const workspace = await tenants.findWorkspace(id);
  if (workspace?.id !== id) throw problem(path, `'${id}' is no workspace of this service`);
}

async function requireFarm(tenants: TenantStore, id: string): Promise<FarmRecord> {
  const farm = await tenants.findFarm(id);
  if (farm === undefined) throw problem('farmId', `'${id}' is no farm of this service`);
  return farm;
}

async function requireRunningFarm(tenants: TenantStore, id: string): Promise<FarmRecord> {
  const farm = await requireFarm(tenants, id);
  if (farm.archivedAtMs !== null) throw problem('farmId', `'${id}' is archived: restore it first`);
  return farm;
}

function requirePermissions(names: readonly string[]): readonly Permission[] {
  const read = readPermissions(names);
  if ('wrong' in read) throw problem('permissions', read.wrong);
  return read.permissions;
}

const problem = (path: string, message: string) => new ConfigError('administer the service', [{ path, message }]);

function toMs(iso: string | undefined): number | null {
  if (iso === undefined) return null;
  const ms = Date.parse(iso);
  if (Number.isNaN(ms)) throw problem('expiresAt', `'${iso}' is not an ISO 8601 time`);
  return ms;
}
