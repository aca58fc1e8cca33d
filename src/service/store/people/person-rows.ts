// People, sessions and codes as the rest of the service has them, from their rows. A role that this version does not
// know allows nothing.
import { isRole, type Role } from '../../../model/permissions/permissions.ts';
import type { Row } from '../schema.ts';

export type FarmRole = { readonly farmId: string; readonly role: Role };

/** Times in ms. `role` null = only as `farmRoles` say; where both apply, the higher one counts. */
export type Person = Readonly<ReturnType<typeof toPerson>>;

/** `expiresAtMs` null = never. It is good until it is ended or has expired, and while its person may use it. */
export type Session = Readonly<ReturnType<typeof toSession>>;

export const toPerson = (row: Row<'people'>) => ({
  id: row.id,
  workspaceId: row.workspace_id,
  name: row.name,
  passwordHash: row.password_hash,
  role: toRole(row.role),
  farmRoles: toFarmRoles(row.farm_roles),
  isWall: row.is_wall === 1,
  createdAtMs: row.created_at,
  disabledAtMs: row.disabled_at,
  expiresAtMs: row.expires_at,
  deletedAtMs: row.deleted_at,
  lastSeenAtMs: row.last_seen_at,
});

export const toSession = (row: Row<'sessions'>) => ({
  id: row.id,
  personId: row.person_id,
  isPaired: row.is_paired === 1,
  device: row.device,
  address: row.address,
  createdAtMs: row.created_at,
  usedAtMs: row.used_at,
  expiresAtMs: row.expires_at,
  endedAtMs: row.ended_at,
});

const toRole = (text: string | null): Role | null => (text !== null && isRole(text) ? text : null);

function toFarmRoles(json: string): readonly FarmRole[] {
  const roles: unknown = JSON.parse(json);
  if (typeof roles !== 'object' || roles === null) return [];
  return Object.entries(roles).flatMap(([farmId, role]) =>
    typeof role === 'string' && isRole(role) ? [{ farmId, role }] : [],
  );
}

export const fromFarmRoles = (roles: readonly FarmRole[]): string =>
  JSON.stringify(Object.fromEntries(roles.map(({ farmId, role }) => [farmId, role])));

/** What names are compared by: the same letters in any case and spelling are the same name. */
export const nameKeyOf = (name: string): string => name.normalize('NFKC').toLowerCase();
