// The permissions by name, and what a role has of them. It decides about no request: that is auth.
import { nearestNames } from '../../base/nearest-names.ts';
import {
  type ExecutionTaskName,
  SAVED_POOLS_PERMISSION,
  TASK_KINDS,
  type TaskPermission,
} from '../tasks/task-kinds.data.ts';
import {
  PERMISSION_ALIASES,
  PERMISSION_ROWS,
  type Permission,
  type PermissionRow,
  ROLES,
  type Role,
} from './permissions.data.ts';

export { type Permission, ROLES, type Role };

export const isPermission = (name: string): name is Permission => Object.hasOwn(PERMISSION_ROWS, name);

/** In the order in which they are shown. */
export const PERMISSIONS: readonly Permission[] = Object.keys(PERMISSION_ROWS).filter(isPermission);

/** One for each kind of task, of which some share one; and that of saved sets of pools. */
export const TASK_PERMISSIONS: readonly TaskPermission[] = [
  ...new Set([...Object.values(TASK_KINDS).map(({ permission }) => permission), SAVED_POOLS_PERMISSION] as const),
];

export const permissionOf = (task: ExecutionTaskName): TaskPermission => TASK_KINDS[task].permission;

/** Each of which is enough where this one is needed: itself, and those that include it. */
export const enoughFor = (needed: Permission): readonly Permission[] =>
  PERMISSIONS.filter((name) => {
    const { includes }: PermissionRow = PERMISSION_ROWS[name];
    return name === needed || includes?.includes(needed) === true;
  });

export const isRole = (name: string): name is Role => ROLES.some((role) => role === name);

export const permissionsOf = (role: Role): readonly Permission[] =>
  PERMISSIONS.filter((name) => ROLES.indexOf(PERMISSION_ROWS[name].from) <= ROLES.indexOf(role));

/** Of two roles that apply in the same place. */
export const higherRole = (one: Role | null, other: Role | null): Role | null =>
  ROLES.findLast((role) => role === one || role === other) ?? null;

type Read = { readonly permissions: readonly Permission[] } | { readonly wrong: string };

/** The permissions that are meant, each once, in the order of the table; or what is wrong, with what is accepted. */
export function readPermissions(names: readonly string[]): Read {
  const meant = names.map((name) =>
    Object.hasOwn(PERMISSION_ALIASES, name) ? PERMISSION_ALIASES['tasks.create'] : name,
  );
  const odd = meant.find((name) => !isPermission(name));
  if (odd !== undefined) return { wrong: `'${odd}' is no permission: ${meantBy(odd, PERMISSIONS)}` };
  return { permissions: PERMISSIONS.filter((name) => meant.includes(name)) };
}

/** For an error about a name that is none of these. */
export function meantBy(written: string, names: readonly string[]): string {
  const nearest = nearestNames(written, names);
  return nearest.length > 0 ? `do you mean ${nearest.join(' or ')}?` : `accepted: ${names.join(', ')}`;
}
