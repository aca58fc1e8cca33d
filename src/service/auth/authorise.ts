// Identifies the caller by its key and decides by the rule of the route. The interface gives the texts and their order:
// spec decisions, "Authentication". An answer never shows whether a foreign workspace or farm exists.
import { RefusedError, renderError } from '../../base/errors.ts';
import type { Log } from '../../base/log.ts';
import type { Permission } from '../../model/permissions/permissions.data.ts';
import { enoughFor, isRole, permissionsOf, TASK_PERMISSIONS } from '../../model/permissions/permissions.ts';
import { type Actor, avatarOf } from '../../model/task.ts';
import type { ApiKey, Farm, Grant, KeyStore, TenantStore } from '../store/store.ts';
import { OPERATOR_WORKSPACE } from '../store/tenants/tenants.ts';
import type { KeyRule, Needed } from './rules.data.ts';
import { apiKeyId, isSecretOf } from './secrets.ts';

/** What it needs of the store. */
export type AuthSource = ReturnType<typeof createAuthSource>;

/**
 * The time when a key was used is stored at most once a minute, beside the request. A failure is logged and fails no
 * request.
 */
const MARK_USED_MS = 60_000;
/** With more keys than this within a minute, some times are stored more often. */
const MAX_TRIED = 10_000;

export function createAuthSource(
  { findFarm, findWorkspace, listActiveGrants }: TenantStore,
  keys: Pick<KeyStore, 'find' | 'markUsed'>,
  log: Log,
) {
  /** Also of keys whose time could not be stored: many requests make few tries. */
  const tried = new Map<string, number>();
  return {
    findFarm,
    listActiveGrants,
    isOperator: async (workspaceId: string) => (await findWorkspace(workspaceId))?.slug === OPERATOR_WORKSPACE.slug,
    findKey: keys.find,
    /** The key was used. The request does not wait for this. */
    markUsed({ id, lastUsedAtMs }: ApiKey, nowMs: number): void {
      const lastMs = Math.max(lastUsedAtMs ?? Number.NEGATIVE_INFINITY, tried.get(id) ?? Number.NEGATIVE_INFINITY);
      // Later than now: our clock was set back since.
      if (lastMs <= nowMs && nowMs - lastMs < MARK_USED_MS) return;
      if (tried.size >= MAX_TRIED) tried.clear();
      tried.set(id, nowMs);
      keys
        .markUsed(id, nowMs)
        .catch((error: unknown) =>
          log.warn({ keyId: id, error: renderError(error) }, 'write down when a key was used'),
        );
    },
  };
}

/** Who asks (an API key, or a person that the process vouches for), and what it may do. */
export type Caller = {
  readonly actor: Actor;
  readonly workspaceId: string;
  readonly permissions: readonly string[];
};

/** What the caller may touch with this request. `farmIds` null = every farm of the workspace. */
export type Access = {
  readonly caller: Caller;
  readonly workspaceId: string;
  readonly farmIds: readonly string[] | null;
  readonly farm: Farm | undefined;
  /** What the grants allow that open the farm (where there is none, the workspace); null = it is the caller's own. */
  readonly granted: readonly string[] | null;
};

/** The key from either of its two headers, or undefined when neither has one. */
export function presentedKey(headers: Readonly<Record<string, string | string[] | undefined>>): string | undefined {
  const direct = headers['x-api-key'];
  if (typeof direct === 'string' && direct !== '') return direct;
  const { authorization } = headers;
  return typeof authorization === 'string' ? /^Bearer +(\S+)\s*$/i.exec(authorization)?.[1] : undefined;
}

/** Throws RefusedError `auth.missing` or `auth.invalid`. */
export async function identifyCaller(source: AuthSource, text: string | undefined, nowMs: number): Promise<Caller> {
  if (text === undefined) throw new RefusedError('auth.missing');
  const id = apiKeyId(text);
  const key = id === undefined ? undefined : await source.findKey(id);
  const isGood =
    key !== undefined &&
    isSecretOf(text, key.hash) &&
    key.revokedAtMs === null &&
    (key.expiresAtMs === null || key.expiresAtMs > nowMs);
  if (!isGood) throw new RefusedError('auth.invalid');
  source.markUsed(key, nowMs);
  return { actor: actorOfKey(key), workspaceId: key.workspaceId, permissions: allowedBy(key) };
}

const actorOfKey = ({ id, name }: ApiKey): Actor => ({
  ...{ type: 'api_key', id, name, avatar: avatarOf('api_key'), metadata: {} },
});

/** A role counts as it is now. One that this version does not know allows nothing. */
const allowedBy = ({ role, permissions }: Pick<ApiKey, 'role' | 'permissions'>): readonly string[] =>
  role === null ? permissions : isRole(role) ? permissionsOf(role) : [];

/**
 * Decides by the rule; throws RefusedError `auth.workspace`, `auth.permission`, `auth.farm`, `request.not-found` or
 * `farm.archived`.
 */
export async function authorise(
  source: AuthSource,
  caller: Caller,
  rule: KeyRule,
  path: { workspaceId: string | undefined; farmId: string | undefined },
  nowMs: number,
): Promise<Access> {
  const workspaceId = rule.scope === 'own' ? caller.workspaceId : (path.workspaceId ?? '');
  const { farmIds, seenIds, grants } = await usableFarms(source, caller, workspaceId, rule, nowMs);
  if (rule.isOperatorOnly && !(await source.isOperator(workspaceId)))
    throw new RefusedError('auth.permission', OPERATOR_ONLY);
  const grantedBy = (some: readonly Grant[]) => some.flatMap(({ permissions }) => permissions);
  if (rule.scope !== 'farm')
    return { caller, workspaceId, farmIds, farm: undefined, granted: grants && grantedBy(grants) };
  const farm = await source.findFarm(path.farmId ?? '');
  if (farm?.workspaceId === workspaceId) {
    const granted = grants && grantedBy(grants.filter((grant) => isAmong(grant.farmIds, farm)));
    if (isAmong(farmIds, farm)) {
      if (rule.isChange && farm.archivedAtMs !== null) throw new RefusedError('farm.archived');
      return { caller, workspaceId, farmIds, farm, granted };
    }
    if (rule.unknownWorkspace === 'not-found' && isAmong(seenIds, farm))
      throw permissionDenied('grant', rule.permission);
  }
  throw rule.unknownFarm === 'not-found' ? notFound() : farmDenied();
}

/**
 * For what depends on the body of a request that the guard has let in. Throws RefusedError `auth.permission` that says
 * whether the key or the grant lacks it.
 */
export function requirePermission({ caller, granted }: Access, permission: Permission): void {
  if (!isGranted(caller.permissions, permission)) throw permissionDenied('key', permission);
  if (granted !== null && !isGranted(granted, permission)) throw permissionDenied('grant', permission);
}

const OPERATOR_ONLY = `Access denied: this counts all workspaces, so it is for keys of the workspace ${OPERATOR_WORKSPACE.slug}`;

export const farmDenied = () => new RefusedError('auth.farm');
export const notFound = () => new RefusedError('request.not-found');

const permissionDenied = (lacking: 'key' | 'grant', needed: Needed) =>
  new RefusedError('auth.permission', `Access denied: the ${lacking} ${lackOf(needed)}`);

function lackOf(needed: Needed): string {
  if (needed === 'any') return 'has no permissions';
  if (needed === 'any-task') return `lacks a permission for tasks: one of ${TASK_PERMISSIONS.join(', ')}`;
  return `lacks the permission ${needed}`;
}

const isAmong = (ids: readonly string[] | null, { id }: Farm) => ids === null || ids.includes(id);

function isGranted(permissions: readonly string[], needed: Needed): boolean {
  if (needed === 'any') return permissions.length > 0;
  if (needed === 'any-task') return TASK_PERMISSIONS.some((one) => permissions.includes(one));
  return enoughFor(needed).some((one) => permissions.includes(one));
}

/**
 * Farms of the workspace that the caller may use with the permission, and those that it may use with any; null = all of
 * them. And the grants that open the workspace; null = it is the caller's own.
 */
async function usableFarms(
  source: AuthSource,
  caller: Caller,
  workspaceId: string,
  rule: KeyRule,
  nowMs: number,
): Promise<{ farmIds: Access['farmIds']; seenIds: Access['farmIds']; grants: readonly Grant[] | null }> {
  const isOwn = workspaceId === caller.workspaceId;
  const grants = isOwn || rule.isOwnOnly ? [] : await source.listActiveGrants(caller.workspaceId, nowMs, workspaceId);
  if (!isOwn && grants.length === 0)
    throw rule.unknownWorkspace === 'not-found' ? notFound() : new RefusedError('auth.workspace');
  const useful = grants.filter(({ permissions }) => isGranted(permissions, rule.permission));
  if (!isGranted(caller.permissions, rule.permission)) throw permissionDenied('key', rule.permission);
  if (!isOwn && useful.length === 0) throw permissionDenied('grant', rule.permission);
  return isOwn
    ? { farmIds: null, seenIds: null, grants: null }
    : { farmIds: farmsOf(useful), seenIds: farmsOf(grants), grants };
}

function farmsOf(grants: readonly Grant[]): readonly string[] | null {
  return grants.some(({ farmIds }) => farmIds === null) ? null : grants.flatMap(({ farmIds }) => farmIds ?? []);
}
