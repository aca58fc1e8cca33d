// What administrators do with the API keys of a workspace, over the interface and from the command line: each act is
// checked, and in the audit trail. A caller gives no key that may more than itself, and ends none that may more.
import type { Clock } from '../../base/clock.ts';
import { REFUSALS } from '../../base/error-codes.data.ts';
import { RefusedError } from '../../base/errors.ts';
import type { AuditActor } from '../../model/audit/entry.ts';
import { enoughFor, isPermission, PERMISSIONS, type Role } from '../../model/permissions/permissions.ts';
import { allowedBy } from '../auth/authorise.ts';
import { newApiKey } from '../auth/secrets.ts';
import type { ApiKey, Store } from '../store/store.ts';

/** Who does it, in which workspace, and what it may do there. */
type Doer = { readonly actor: AuditActor; readonly workspaceId: string; readonly permissions: readonly string[] };

/** Either a role or permissions; `expiresAtMs` null = it does not end by itself. */
export type KeyRequest = {
  readonly name: string;
  readonly role: Role | null;
  readonly permissions: readonly string[];
  readonly expiresAtMs: number | null;
};

type Parts = { readonly store: Pick<Store, 'audited' | 'keys'>; readonly clock: Pick<Clock, 'nowMs'> };

export type KeyManager = ReturnType<typeof createKeyManager>;

/** Throws RefusedError for what does not fit. */
export function createKeyManager({ store, clock }: Parts) {
  return {
    /** `text` is shown this once, and only its hash is kept. */
    async create(doer: Doer, request: KeyRequest): Promise<{ key: ApiKey; text: string }> {
      const nowMs = clock.nowMs();
      const { name, role, expiresAtMs } = request;
      const permissions = PERMISSIONS.filter((one) => request.permissions.includes(one));
      requireCovers(doer, { role, permissions }, 'give it');
      const { id, text, hash } = newApiKey();
      const key = {
        ...{ id, hash, workspaceId: doer.workspaceId, name, role, permissions },
        ...{ createdAtMs: nowMs, expiresAtMs, revokedAtMs: null, lastUsedAtMs: null },
      };
      const expires_at = expiresAtMs === null ? null : new Date(expiresAtMs).toISOString();
      const detail = { name, role, permissions, expires_at };
      return store.audited(
        () => ({ ...by(doer), action: 'key.created', subject: { key: id }, detail, atMs: nowMs }),
        async ({ keys }) => {
          await keys.create(key);
          return { key, text };
        },
      );
    },
    /** Gives the key as it is then; undefined = the workspace has none with this id. */
    async revoke(doer: Doer, id: string): Promise<ApiKey | undefined> {
      const nowMs = clock.nowMs();
      const key = await store.keys.find(id);
      if (key === undefined || key.workspaceId !== doer.workspaceId) return undefined;
      requireCovers(doer, key, 'end it');
      const detail = { name: key.name };
      await store.audited(
        () => ({ ...by(doer), action: 'key.revoked', subject: { key: id }, detail, atMs: nowMs }),
        ({ keys }) => keys.revoke(id, nowMs),
      );
      return store.keys.find(id);
    },
  };
}

/** For what comes from outside: a key that may nothing, or had ended before it was made, is a mistake. */
export function requireUsable({ role, permissions, expiresAtMs }: KeyRequest, nowMs: number): void {
  if (role === null && permissions.length === 0)
    throw invalid('role: received none and no permissions, accepted: one of them');
  if (role !== null && permissions.length > 0)
    throw invalid('role: received one beside permissions, accepted: one of them');
  if (expiresAtMs !== null && expiresAtMs <= nowMs)
    throw invalid('expires_at: received a time that has passed, accepted: a later one, or null');
}

const by = ({ actor, workspaceId }: Doer) => ({ actor, workspaceId });

/** Otherwise a caller that may only manage keys could make itself one that may everything. */
function requireCovers({ permissions }: Doer, key: Pick<ApiKey, 'role' | 'permissions'>, what: string): void {
  const covers = (needed: string) =>
    permissions.includes(needed) ||
    (isPermission(needed) && enoughFor(needed).some((one) => permissions.includes(one)));
  const above = allowedBy(key).find((needed) => !covers(needed));
  if (above === undefined) return;
  throw new RefusedError(
    'auth.permission',
    `Access denied: the key may do what the caller may not (${above}), so the caller cannot ${what}`,
  );
}

const invalid = (problem: string) =>
  new RefusedError('request.invalid', `${REFUSALS['request.invalid'].text}: ${problem}`);
