// The table of routes and permissions of `interface.md`, as the service checks them.
import { RULES, type Rule } from '../../src/service/auth/rules.data.ts';
import { table } from './table.ts';

const needed = (rule: Rule): string => {
  if (rule.access === 'open') return 'none: no key is needed';
  if (rule.access === 'enrolment-code') return 'an enrolment code in the body';
  return rule.permission === 'any' ? 'any permission' : `\`${rule.permission}\``;
};

export const permissionsTable = (): string =>
  table(
    ['method', 'path', 'permission'],
    Object.entries(RULES).map(([route, rule]) => {
      const [method = '', path = ''] = route.split(' ');
      return [method, `\`${path.replaceAll(/:(\w+)/g, '{$1}')}\``, needed(rule)];
    }),
  );
