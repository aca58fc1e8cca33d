// What the parts of an administrator share: an act with its entry in the audit trail, and checks of what was given.
import type { Clock } from '../base/clock.ts';
import { ConfigError } from '../base/errors.ts';
import type { AuditActor } from '../model/audit/entry.ts';
import { MOST_MAX_MINERS } from '../model/grant.ts';
import { type Permission, readPermissions } from '../model/permissions/permissions.ts';
import { isVisible } from '../model/plain-text.ts';
import type { FarmRecord, ServiceAct, Store, TenantStore } from './store/store.ts';

/** What an act says beside its actor and its time. */
type Said = Omit<ServiceAct, 'actor' | 'atMs'>;
export type Recorded = { readonly store: Store; readonly clock: Clock; readonly actor: AuditActor };

/** As `audited` of the store, by this actor now. */
export const recorder =
  ({ store, clock, actor }: Recorded) =>
  <T>(actOf: (result: T) => Said, work: Parameters<typeof store.audited<T>>[1]): Promise<T> =>
    store.audited((result) => ({ ...actOf(result), actor, atMs: clock.nowMs() }), work);

export function requireMaxMiners(maxMiners: number): void {
  if (!Number.isInteger(maxMiners) || maxMiners < 1 || maxMiners > MOST_MAX_MINERS)
    throw problem('maxMiners', `accepted: a whole number from 1 to ${MOST_MAX_MINERS}`);
}

/** A name with invisible characters could pass for another name. */
export function requireVisible(name: string): void {
  if (!isVisible(name) || name.trim() === '')
    throw problem('name', 'accepted: characters that can be seen, with blanks between them');
}

export async function requireWorkspace(tenants: TenantStore, id: string, path: string): Promise<void> {
  const workspace = await tenants.findWorkspace(id);
  if (workspace?.id !== id) throw problem(path, `'${id}' is no workspace of this service`);
}

export async function requireFarm(tenants: TenantStore, id: string): Promise<FarmRecord> {
  const farm = await tenants.findFarm(id);
  if (farm === undefined) throw problem('farmId', `'${id}' is no farm of this service`);
  return farm;
}

export async function requireRunningFarm(tenants: TenantStore, id: string): Promise<FarmRecord> {
  const farm = await requireFarm(tenants, id);
  if (farm.archivedAtMs !== null) throw problem('farmId', `'${id}' is archived: restore it first`);
  return farm;
}

export function requirePermissions(names: readonly string[]): readonly Permission[] {
  const read = readPermissions(names);
  if ('wrong' in read) throw problem('permissions', read.wrong);
  return read.permissions;
}

export const problem = (path: string, message: string) =>
  new ConfigError('administer the service', [{ path, message }]);

export function toMs(iso: string | undefined): number | null {
  if (iso === undefined) return null;
  const ms = Date.parse(iso);
  if (Number.isNaN(ms)) throw problem('expiresAt', `'${iso}' is not an ISO 8601 time`);
  return ms;
}
