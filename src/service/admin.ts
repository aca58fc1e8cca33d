// What an administrator does: workspaces, farms, keys, codes, grants. On the store of a running service or on its
// database file beside it.
import type { Clock } from '../base/clock.ts';
import type { ConfigError } from '../base/errors.ts';
import { silentLog } from '../base/log.ts';
import { userName } from '../base/platform/user-name.ts';
import { type AuditActor, commandLine, SYSTEM } from '../model/audit/entry.ts';
import { DEFAULT_MAX_MINERS } from '../model/grant.ts';
import { PERMISSIONS, type Role } from '../model/permissions/permissions.ts';
import {
  problem,
  type Recorded,
  recorder,
  requireFarm,
  requireMaxMiners,
  requirePermissions,
  requireRunningFarm,
  requireVisible,
  requireWorkspace,
  toMs,
} from './admin-checks.ts';
import { administerWebhooks } from './admin-webhooks.ts';
import { findServiceVault, type KeyFiles, keyNotDecrypted } from './auth/key-file.ts';
import { hashSecret, newEnrolmentCode } from './auth/secrets.ts';
import { toIso, toIsoOrNull } from './http/shared/envelope.ts';
import { administerPeople } from './people/administer.ts';
import { createKeyManager } from './people/manage-keys.ts';
import { beginTime, createServiceClock } from './service-clock.ts';
import { newId, openStore, type Store } from './store/store.ts';
import { OPERATOR_WORKSPACE } from './store/tenants/tenants.ts';
import { replaceKey } from './tasks/signer.ts';

/** Slugs stand in addresses, file names and commands. */
const SLUG = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/;
const SLUG_WORDS = '1 to 63 small letters, digits and hyphens, without a hyphen at either end';

/**
 * Its methods take and give times as ISO 8601 texts; null = never, or every one. They throw ConfigError for what does
 * not fit.
 */
export type Admin = ReturnType<typeof createAdmin>;

export type OpenedAdmin = Awaited<ReturnType<typeof openAdmin>>;

/** Opens the database of a service, also while the service runs. Close it when done. */
export async function openAdmin(
  databasePath: string,
  { clock, keyFiles, hostUptimeMs }: { clock: Clock; keyFiles?: KeyFiles | undefined; hostUptimeMs?: () => number },
) {
  const findVault = () => findServiceVault(databasePath, keyFiles);
  const store = await openStore(databasePath, undefined, findVault, undefined, { isBeside: true });
  try {
    // Codes and keys live by the clock of the service.
    const serviceClock = createServiceClock(clock);
    await beginTime({ store: store.clock, clock, serviceClock, log: silentLog, hostUptimeMs });
    const actor = commandLine(userName());
    const admin: Admin = createAdmin(store, serviceClock, () => keyNotDecrypted(databasePath, keyFiles), actor);
    const recordRestore = (detail: Readonly<Record<string, unknown>>) =>
      store.audit.record([{ action: 'backup.restored', actor, detail, atMs: serviceClock.nowMs() }]);
    const webhooks = (allowedNetworks: readonly string[]) =>
      administerWebhooks({ store, clock: serviceClock, actor }, allowedNetworks);
    return { ...admin, ...trailOf(store), webhooks, recordRestore, close: () => store.close() };
  } catch (error) {
    await store.close();
    throw error;
  }
}

const trailOf = ({ agentTrails, checkTrail, trailKeyId, audit }: Store) => ({
  agentTrails,
  checkTrail,
  trailKeyId,
  newestAudit: audit.listNewest,
});

/**
 * `undecryptable` makes the error for a key in use that cannot be decrypted; `actor` stands in the audit trail for all
 * that is done.
 */
export function createAdmin(store: Store, clock: Clock, undecryptable: () => ConfigError, actor: AuditActor = SYSTEM) {
  const parts = { store, clock, actor };
  const audited = recorder(parts);
  return {
    ...administerTenants(parts),
    ...administerKeys(parts),
    ...administerAgents(parts),
    ...administerGrants(parts),
    /** A service that does not hear of a change looks at its open sockets now and then. */
    people: administerPeople({ ...parts, notify: (id) => void store.messages.send(`person ${id}`).catch(() => {}) }),
    /** Tasks are signed with it, and agents show it in their log; undefined before the service has run. */
    taskKey: () => store.taskKeys.currentPublic(),
    /** See `replaceKey`. */
    replaceTaskKey: ({ isLost }: { isLost: boolean }) =>
      audited(
        (detail: Awaited<ReturnType<typeof replaceKey>>) => ({
          action: 'signing_key.replaced',
          detail: { ...detail, isLost },
        }),
        ({ taskKeys }) => replaceKey(taskKeys, clock, { isLost, undecryptable }),
      ),
  };
}

function administerTenants(parts: Recorded) {
  const { clock } = parts;
  const { tenants } = parts.store;
  const audited = recorder(parts);
  const setArchived = async (id: string, atMs: number | null) => {
    const { workspaceId } = await requireFarm(tenants, id);
    const action = atMs === null ? 'farm.restored' : 'farm.archived';
    return audited(
      () => ({ action, workspaceId, subject: { farm: id } }),
      (stores) => stores.tenants.setArchived(id, atMs),
    );
  };
  return {
    /**
     * The workspace `default` and its farm, made when they are missing: with the ids that they are known by already,
     * where a database began anew.
     */
    async ensureDefaults(known?: { readonly workspaceId: string; readonly farmId: string }) {
      const nowMs = clock.nowMs();
      const workspace = { id: known?.workspaceId ?? newId(nowMs), ...OPERATOR_WORKSPACE };
      const farm = await tenants.ensure(workspace, { id: known?.farmId ?? newId(nowMs), name: 'Default' }, nowMs);
      return { workspaceId: farm.workspaceId, farmId: farm.id };
    },
    async createWorkspace({ name, slug }: { name: string; slug: string }) {
      if (!SLUG.test(slug)) throw problem('slug', `'${slug}' is not ${SLUG_WORDS}`);
      requireVisible(name);
      const workspace = { id: newId(clock.nowMs()), name, slug };
      if (await tenants.findWorkspace(slug)) throw problem('slug', `'${slug}' is taken by another workspace`);
      return audited(
        () => ({ action: 'workspace.created', workspaceId: workspace.id, detail: { name, slug } }),
        (stores) => stores.tenants.createWorkspace(workspace, clock.nowMs()).then(() => workspace),
      );
    },
    listWorkspaces: () => tenants.listWorkspaces(),
    async createFarm({ workspaceId, name }: { workspaceId: string; name: string | null }) {
      await requireWorkspace(tenants, workspaceId, 'workspaceId');
      if (name !== null) requireVisible(name);
      const farm = { id: newId(clock.nowMs()), workspaceId, name };
      return audited(
        () => ({ action: 'farm.created', workspaceId, subject: { farm: farm.id }, detail: { name } }),
        async (stores) => {
          await stores.tenants.createFarm(farm, clock.nowMs());
          return { ...farm, archivedAt: null };
        },
      );
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

function administerKeys(parts: Recorded) {
  const { store, clock, actor } = parts;
  const { tenants, keys } = store;
  const manager = createKeyManager({ store, clock });
  const doerIn = (workspaceId: string) => ({ actor, workspaceId, permissions: PERMISSIONS });
  return {
    /** `key` is shown here and never again. */
    async createKey({ workspaceId, name, expiresAt, ...may }: NewKey) {
      await requireWorkspace(tenants, workspaceId, 'workspaceId');
      requireVisible(name);
      const allowed =
        'role' in may
          ? { role: may.role, permissions: [] }
          : { role: null, permissions: requirePermissions(may.permissions) };
      const { key, text } = await manager.create(doerIn(workspaceId), {
        name,
        ...allowed,
        expiresAtMs: toMs(expiresAt),
      });
      return { id: key.id, key: text };
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
    async revokeKey(id: string) {
      const key = await keys.find(id);
      if (key === undefined || key.revokedAtMs !== null) return false;
      return (await manager.revoke(doerIn(key.workspaceId), id)) !== undefined;
    },
  };
}

function administerAgents(parts: Recorded) {
  const { clock } = parts;
  const { tenants, agents } = parts.store;
  const audited = recorder(parts);
  const workspaceOf = async (id: string) => (await agents.find(id))?.workspaceId;
  return {
    /** `maxMiners`: how many miners the agent may have that uses it. */
    async createEnrolmentCode({ farmId, ttlMs, maxMiners = DEFAULT_MAX_MINERS }: NewCode) {
      requireMaxMiners(maxMiners);
      const { workspaceId } = await requireRunningFarm(tenants, farmId);
      const { text, hash } = newEnrolmentCode();
      const nowMs = clock.nowMs();
      const made = { code: text, expiresAt: toIso(nowMs + ttlMs), maxMiners };
      const detail = { expires_at: made.expiresAt, max_miners: maxMiners, digest: hash };
      return audited(
        () => ({ action: 'code.created', workspaceId, subject: { farm: farmId }, detail }),
        async (stores) => {
          await stores.agents.createCode({ hash, farmId, nowMs, expiresAtMs: nowMs + ttlMs, maxMiners });
          return made;
        },
      );
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
      const before = (await agents.listAll()).find((agent) => agent.id === id && agent.revoked_at === null);
      if (before === undefined) return false;
      if (options?.isLeast && before.max_miners >= maxMiners) return true;
      const workspaceId = await workspaceOf(id);
      const detail = { from: before.max_miners, to: maxMiners };
      return audited(
        () => ({ action: 'agent.limited', workspaceId, subject: { agent: id }, detail }),
        (stores) => stores.agents.grant(id, maxMiners, options),
      );
    },
    /**
     * For the agent of this process, when a new or restored database does not know it: it keeps its identity. Gives
     * whether it was unknown.
     */
    async admitAgent({ id, farmId, name, token, identityKey, version, maxMiners }: KnownAgent) {
      if ((await agents.find(id)) !== undefined) return false;
      const { workspaceId } = await requireFarm(tenants, farmId);
      const agent = { id, name, tokenHash: hashSecret(token), identityKey, version, nowMs: clock.nowMs() };
      return audited(
        () => ({ action: 'agent.admitted', workspaceId, subject: { agent: id, farm: farmId }, detail: { name } }),
        (stores) => stores.agents.admit(agent, farmId, maxMiners).then(() => true),
      );
    },
    /** Its token is no longer valid; gives whether there was such an agent that was not revoked yet. */
    async revokeAgent(id: string) {
      const workspaceId = await workspaceOf(id);
      return audited(
        () => ({ action: 'agent.revoked', workspaceId, subject: { agent: id } }),
        (stores) => stores.agents.revoke(id, clock.nowMs()),
      );
    },
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

function administerGrants(parts: Recorded) {
  const { clock } = parts;
  const { tenants } = parts.store;
  const audited = recorder(parts);
  return {
    async createGrant({ grantorId, granteeId, farmIds, permissions, expiresAt }: NewGrant) {
      await requireWorkspace(tenants, grantorId, 'grantorId');
      await requireWorkspace(tenants, granteeId, 'granteeId');
      if (grantorId === granteeId) throw problem('granteeId', 'a workspace needs no grant to what is its own');
      const own = new Set((await tenants.listFarms(grantorId)).map(({ id }) => id));
      const foreign = farmIds?.find((farmId) => !own.has(farmId));
      if (foreign !== undefined) throw problem('farmIds', `'${foreign}' is no farm of the grantor`);
      const id = newId(clock.nowMs());
      const grant = {
        ...{ id, grantorId, granteeId, farmIds: farmIds ?? null, permissions: requirePermissions(permissions) },
        ...{ createdAtMs: clock.nowMs(), expiresAtMs: toMs(expiresAt) },
      };
      const detail = { farms: farmIds ?? null, permissions, expires_at: toIsoOrNull(grant.expiresAtMs) };
      return audited(
        () => ({
          ...{ action: 'grant.created', workspaceId: grantorId, subject: { grant: id, grantee: granteeId }, detail },
        }),
        (stores) => stores.tenants.createGrant(grant).then(() => ({ id })),
      );
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
    async revokeGrant(id: string) {
      const grant = (await tenants.listGrants()).find((each) => each.id === id);
      return audited(
        () => ({ action: 'grant.revoked', workspaceId: grant?.grantorId, subject: { grant: id } }),
        (stores) => stores.tenants.revokeGrant(id, clock.nowMs()),
      );
    },
  };
}

type NewCode = { readonly farmId: string; readonly ttlMs: number; readonly maxMiners?: number | undefined };
