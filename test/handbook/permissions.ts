// The tables of permissions, roles and routes of `interface.md`, as the service checks them.
import { PERMISSION_ROWS } from '../../src/model/permissions/permissions.data.ts';
import { PERMISSIONS, permissionsOf, ROLES, TASK_PERMISSIONS } from '../../src/model/permissions/permissions.ts';
import { RULES, type Rule } from '../../src/service/auth/rules.data.ts';
import { table } from './table.ts';

const needed = (rule: Rule): string => {
  if (rule.access === 'open') return 'none: no key is needed';
  if (rule.access === 'enrolment-code') return 'an enrolment code in the body';
  if (rule.access === 'login') return 'a name and its password in the body';
  if (rule.access === 'claim') return 'a one-time code of a person in the body';
  if (rule.access === 'session') return rule.isOptional ? 'a session, if there is one' : 'a session, and no key';
  if (rule.permission === 'any') return 'any permission';
  return rule.permission === 'any-task' ? 'that of the task' : `\`${rule.permission}\``;
};

/** Each permission, what it allows, and the roles that have it; and those that no operation needs yet. */
export function rolesTable(): string {
  const rows = PERMISSIONS.map((name) => [
    `\`${name}\``,
    PERMISSION_ROWS[name].allows,
    ...ROLES.map((role) => (permissionsOf(role).includes(name) ? 'yes' : '')),
  ]);
  const needed = Object.values(RULES).map((rule) => (rule.access === 'key' ? rule.permission : undefined));
  const unused = PERMISSIONS.filter((name) => !needed.includes(name) && !TASK_PERMISSIONS.some((one) => one === name));
  const text = table(['permission', 'allows to', ...ROLES], rows);
  return unused.length === 0
    ? text
    : `${text}\n\nNo operation needs these yet: ${unused.map((name) => `\`${name}\``).join(', ')}.`;
}

export const permissionsTable = (): string =>
  table(
    ['method', 'path', 'permission'],
    Object.entries(RULES).map(([route, rule]) => {
      const [method = '', path = ''] = route.split(' ');
      return [method, `\`${path.replaceAll(/:(\w+)/g, '{$1}')}\``, needed(rule)];
    }),
  );
