// People and sessions as the interface shows them: without hashes, tokens and addresses of others.
import { higherRole, permissionsOf } from '../../../../model/permissions/permissions.ts';
import type { PersonCode, Person as PersonItem } from '../../../../wire/api/people/people.ts';
import type { Device, Session as SessionItem } from '../../../../wire/api/people/session.ts';
import type { NewCode } from '../../../people/manage.ts';
import type { Person, Session, Store } from '../../../store/store.ts';
import { toIso, toIsoOrNull } from '../../shared/envelope.ts';

export const toPersonItem = (person: Person, sessionCount: number): PersonItem => ({
  id: person.id,
  name: person.name,
  role: person.role,
  farm_roles: person.farmRoles.map(({ farmId, role }) => ({ farm_id: farmId, role })),
  is_disabled: person.disabledAtMs !== null,
  is_wall: person.isWall,
  has_password: person.passwordHash !== null,
  expires_at: toIsoOrNull(person.expiresAtMs),
  created_at: toIso(person.createdAtMs),
  last_seen_at: toIsoOrNull(person.lastSeenAtMs),
  session_count: sessionCount,
});

export async function toPersonItems(
  { countSessions }: Pick<Store['people'], 'countSessions'>,
  people: readonly Person[],
  nowMs: number,
): Promise<PersonItem[]> {
  const counts = await countSessions(
    people.map(({ id }) => id),
    nowMs,
  );
  return people.map((person) => toPersonItem(person, counts.get(person.id) ?? 0));
}

export const toCodeItem = ({ text, purpose, expiresAtMs }: NewCode): PersonCode => ({
  code: text,
  purpose: purpose === 'pair' ? 'pair' : 'reset',
  expires_at: toIso(expiresAtMs),
});

export const toDeviceItem = (session: Session, currentId: string): Device => ({
  id: session.id,
  device: session.device,
  address: session.address,
  is_current: session.id === currentId,
  is_paired: session.isPaired,
  created_at: toIso(session.createdAtMs),
  last_used_at: toIso(session.usedAtMs),
});

/** What the person of a session may do where. */
export async function toSessionItem(
  { tenants }: Pick<Store, 'tenants'>,
  person: Pick<Person, 'id' | 'name' | 'workspaceId' | 'role' | 'farmRoles' | 'isWall'>,
  { isPaired, expiresAtMs }: Session,
): Promise<SessionItem> {
  const { id, name, workspaceId, role, farmRoles, isWall } = person;
  const workspace = await tenants.findWorkspace(workspaceId);
  const farms = await tenants.listFarms(workspaceId);
  const roleIn = (farmId: string) =>
    higherRole(role, farmRoles.find((one) => one.farmId === farmId)?.role ?? null) ?? undefined;
  return {
    person: { id, name },
    is_wall: isWall,
    is_paired: isPaired,
    expires_at: toIsoOrNull(expiresAtMs),
    workspaces: workspace
      ? [{ id: workspace.id, name: workspace.name, role, permissions: role === null ? [] : [...permissionsOf(role)] }]
      : [],
    farms: farms.flatMap((farm) => {
      const own = farm.archivedAtMs === null ? roleIn(farm.id) : undefined;
      if (own === undefined) return [];
      const permissions = [...permissionsOf(own)];
      return [{ id: farm.id, name: farm.name, workspace_id: workspaceId, role: own, permissions }];
    }),
  };
}
