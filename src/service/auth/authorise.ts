// Identifies the caller by its key and decides by the rule of the route. The interface gives the texts and their order:
// spec decisions, "Authentication". An answer never shows whether a foreign workspace or farm exists.
import { RefusedError, renderError } from '../../base/errors.ts';
import type { Log } from '../../base/log.ts';
import type { Permission } from '../../model/permissions/permissions.data.ts';
import {
  enoughFor,
  higherRole,
  isRole,
  permissionsOf,
  type Role,
  TASK_PERMISSIONS,
} from '../../model/permissions/permissions.ts';
import { type Actor, avatarOf } from '../../model/task.ts';
import type { ApiKey, Farm, FarmRole, Grant, KeyStore, PeopleStore, Session, TenantStore } from '../store/store.ts';
import { OPERATOR_WORKSPACE } from '../store/tenants/tenants.ts';
import type { KeyRule, Needed } from './rules.data.ts';
import { apiKeyId, isSecretOf } from './secrets.ts';

/** What it needs of the store. */
export type AuthSource = ReturnType<typeof createAuthSource>;

/**
 * The time when a key or a session was used is stored at most once a minute, beside the request. A failure is logged
 * and fails no request.
 */
const MARK_USED_MS = 60_000;
/** With more of them than this within a minute, some times are stored more often. */
const MAX_TRIED = 10_000;

export function createAuthSource(
  { findFarm, findWorkspace, listActiveGrants }: TenantStore,
  keys: Pick<KeyStore, 'find' | 'markUsed'>,
  people: Pick<PeopleStore, 'findSession' | 'markSessionUsed'>,
  log: Log,
) {
  const isDue = createDue();
  const warnOf = (fields: { keyId: string } | { sessionId: string }, what: string) => (error: unknown) =>
    log.warn({ ...fields, error: renderError(error) }, what);
  return {
    findFarm,
    listActiveGrants,
    isOperator: async (workspaceId: string) => (await findWorkspace(workspaceId))?.slug === OPERATOR_WORKSPACE.slug,
    findKey: keys.find,
    findSession: people.findSession,
    /** The key was used. The request does not wait for this. */
    markUsed({ id, lastUsedAtMs }: ApiKey, nowMs: number): void {
      if (!isDue(id, lastUsedAtMs, nowMs)) return;
      keys.markUsed(id, nowMs).catch(warnOf({ keyId: id }, 'write down when a key was used'));
    },
    /** The session was used, and so lasts until later. The request does not wait for this. */
    markSessionUsed(session: Session, use: Parameters<PeopleStore['markSessionUsed']>[1]): void {
      if (!isDue(session.id, session.usedAtMs, use.nowMs)) return;
      const onError = warnOf({ sessionId: session.id }, 'write down when a session was used');
      people.markSessionUsed(session, use).catch(onError);
    },
  };
}

/** Whether a use is to be stored. A try counts, also where it could not be stored: many uses make few tries. */
function createDue() {
  const tried = new Map<string, number>();
  return (id: string, lastUsedAtMs: number | null, nowMs: number): boolean => {
    const lastMs = Math.max(lastUsedAtMs ?? Number.NEGATIVE_INFINITY, tried.get(id) ?? Number.NEGATIVE_INFINITY);
    // Later than now: our clock was set back since.
    if (lastMs <= nowMs && nowMs - lastMs < MARK_USED_MS) return false;
    if (tried.size >= MAX_TRIED) tried.clear();
    tried.set(id, nowMs);
    return true;
  };
}

/** Who asks (an API key, a person with a session, or one that the process vouches for), and what it may do. */
export type Caller = {
  readonly actor: Actor;
  readonly workspaceId: string;
  /** In every farm of its workspace. */
  readonly permissions: readonly string[];
  /** Where there is a session. */
  readonly person?: SessionPerson;
};

export type SessionPerson = {
  /** In every farm; of the access to one farm, the role there. */
  readonly role: Role | null;
  /** In single farms; where both apply, the higher one counts. */
  readonly farmRoles: readonly FarmRole[];
  readonly isWall: boolean;
  readonly session: Session;
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
export const allowedBy = ({ role, permissions }: Pick<ApiKey, 'role' | 'permissions'>): readonly string[] =>
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
      return { caller: inFarm(caller, farm), workspaceId, farmIds, farm, granted };
    }
    if (rule.unknownWorkspace === 'not-found' && isAmong(seenIds, farm))
      throw permissionDenied(grants === null ? ownWord(caller) : 'grant', rule.permission);
  }
  throw rule.unknownFarm === 'not-found' ? notFound() : farmDenied();
}

/**
 * For what depends on the body of a request that the guard has let in. Throws RefusedError `auth.permission` that says
 * whether the key, the role or the grant lacks it.
 */
export function requirePermission({ caller, granted }: Access, permission: Permission): void {
  if (!isGranted(caller.permissions, permission)) throw permissionDenied(ownWord(caller), permission);
  if (granted !== null && !isGranted(granted, permission)) throw permissionDenied('grant', permission);
}

const OPERATOR_ONLY = `Access denied: this counts all workspaces, so it is for keys of the workspace ${OPERATOR_WORKSPACE.slug}`;

export const farmDenied = () => new RefusedError('auth.farm');
export const notFound = () => new RefusedError('request.not-found');

/** What the permissions of the caller are of. */
const ownWord = ({ person }: Caller) => (person === undefined ? 'key' : 'role');

const permissionDenied = (lacking: 'key' | 'role' | 'grant', needed: Needed) =>
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
  if (workspaceId === caller.workspaceId) return { ...ownFarms(caller, rule), grants: null };
  const grants = rule.isOwnOnly ? [] : await source.listActiveGrants(caller.workspaceId, nowMs, workspaceId);
  if (grants.length === 0)
    throw rule.unknownWorkspace === 'not-found' ? notFound() : new RefusedError('auth.workspace');
  if (!isGranted(caller.permissions, rule.permission)) throw permissionDenied(ownWord(caller), rule.permission);
  const useful = grants.filter(({ permissions }) => isGranted(permissions, rule.permission));
  if (useful.length === 0) throw permissionDenied('grant', rule.permission);
  return { farmIds: farmsOf(useful), seenIds: farmsOf(grants), grants };
}

/** As `usableFarms`, of the caller's own workspace. A role in some farms opens nothing of the workspace as a whole. */
function ownFarms(caller: Caller, rule: KeyRule): { farmIds: Access['farmIds']; seenIds: Access['farmIds'] } {
  const { permissions, person } = caller;
  const seenIds = permissions.length > 0 ? null : (person?.farmRoles.map(({ farmId }) => farmId) ?? null);
  if (isGranted(permissions, rule.permission)) return { farmIds: null, seenIds };
  const isOfWhole = rule.isOwnOnly || (rule.scope === 'own' && rule.permission !== 'any');
  const useful = isOfWhole ? [] : (person?.farmRoles ?? []);
  const farmIds = useful.flatMap(({ farmId, role }) =>
    isGranted(permissionsOf(role), rule.permission) ? [farmId] : [],
  );
  if (farmIds.length === 0) throw permissionDenied(ownWord(caller), rule.permission);
  return { farmIds, seenIds };
}

/** With what a person may do in this farm. */
function inFarm(caller: Caller, { id, workspaceId }: Farm): Caller {
  const { person } = caller;
  if (person === undefined || workspaceId !== caller.workspaceId) return caller;
  const role = higherRole(person.role, person.farmRoles.find(({ farmId }) => farmId === id)?.role ?? null);
  return { ...caller, permissions: role === null ? [] : permissionsOf(role), person: { ...person, role } };
}

function farmsOf(grants: readonly Grant[]): readonly string[] | null {
  return grants.some(({ farmIds }) => farmIds === null) ? null : grants.flatMap(({ farmIds }) => farmIds ?? []);
}
