// The tables of permissions and of routes in words and as data, for the OpenAPI document. It decides nothing.
import { PERMISSION_ROWS } from '../../model/permissions/permissions.data.ts';
import { PERMISSIONS, permissionOf, permissionsOf, ROLES } from '../../model/permissions/permissions.ts';
import { EXECUTION_TASK_NAMES } from '../../model/task.ts';
import { SAVED_POOLS_PERMISSION } from '../../model/tasks/task-kinds.data.ts';
import { OPERATOR_WORKSPACE } from '../store/tenants/tenants.ts';
import type { Rule } from './rules.data.ts';

/** What an operation needs: one permission, or one for each task; `any` = whichever. Undefined = it takes no key. */
export function neededFor(
  rule: Rule | undefined,
): { what: string | Record<string, string>; words: string } | undefined {
  if (rule?.access !== 'key') return undefined;
  const { permission } = rule;
  if (permission === 'any') return { what: permission, words: 'Needs any permission.' };
  const whose = rule.isOperatorOnly ? `, and a key of the workspace \`${OPERATOR_WORKSPACE.slug}\`` : '';
  if (permission !== 'any-task') return { what: permission, words: `Needs the permission \`${permission}\`${whose}.` };
  const perTask = EXECUTION_TASK_NAMES.map((name) => [name, permissionOf(name)] as const);
  const words = perTask.map(([name, needed]) => `\`${needed}\` for \`${name}\``).join(', ');
  const saved = `A saved set of pools needs \`${SAVED_POOLS_PERMISSION}\` only.`;
  return { what: Object.fromEntries(perTask), words: `Needs the permission of the task: ${words}. ${saved}` };
}

/** Every permission, what it allows, and the roles that have it. */
export const permissionList = PERMISSIONS.map((name) => ({
  name,
  allows: PERMISSION_ROWS[name].allows,
  roles: ROLES.filter((role) => permissionsOf(role).includes(name)),
}));

export const KEY_WORDS = `An API key. It has the permissions of a role (${ROLES.join(', ')}), or listed ones; in a granted workspace the grant must have the permission too. Each operation says which it needs, and \`x-permissions\` what each allows.`;

export const SESSION_WORDS = `The session of a person, for the page: its cookie has this name over TLS, and \`pithead\` without. It has the permissions of the role of the person (${ROLES.join(', ')}), in all farms of the workspace or in some. What changes something needs the header Origin of the page itself. A request with the header \`Pithead-Unattended: 1\`, and a WebSocket, make the session last no longer.`;
