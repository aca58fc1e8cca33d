// Every route that takes a key, asked with the session of every role, given for the workspace or for one farm of it, at
// that farm, at another farm, and at a workspace of others: the row of the table and the role decide each answer.
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  enoughFor,
  permissionsOf,
  ROLES,
  type Role,
  TASK_PERMISSIONS,
} from '../../../src/model/permissions/permissions.ts';
import { type KeyRule, RULES } from '../../../src/service/auth/rules.data.ts';
import { addFarm, addPerson, type Browser } from './browser.ts';
import { type Place, startGuardRig } from './guard-rig.ts';
import type { Rig } from './rig.ts';

const KEYED = Object.entries(RULES).flatMap(([route, rule]) => (rule.access === 'key' ? [{ route, rule }] : []));

type Who = { readonly browser: Browser; readonly role: Role; readonly isOfOneFarm: boolean };
type Where = 'the farm' | 'another farm' | 'elsewhere';

let rig: Rig;
let stop: () => Promise<void>;
let places: Readonly<Record<Where, Place>>;
let callers: readonly Who[];
beforeAll(async () => {
  const made = await startGuardRig();
  ({ rig, stop } = made);
  const { workspaceId, farmId } = rig;
  places = {
    'the farm': { workspaceId, farmId },
    'another farm': { workspaceId, farmId: await addFarm(rig, 'South') },
    elsewhere: made.host,
  };
  const all: Who[] = [];
  for (const role of ROLES) {
    all.push({ browser: await addPerson(rig, `all ${role}`, { role }), role, isOfOneFarm: false });
    const farmRoles = [{ farmId, role }];
    all.push({ browser: await addPerson(rig, `one ${role}`, { farmRoles }), role, isOfOneFarm: true });
  }
  callers = all;
});
afterAll(() => stop());

function expectedOf(rule: KeyRule, { role, isOfOneFarm }: Who, where: Where): 'in' | 403 | 404 {
  if (where === 'elsewhere' && rule.scope !== 'own') return rule.unknownWorkspace === 'not-found' ? 404 : 403;
  const has = permissionsOf(role).some((one) => {
    if (rule.permission === 'any') return true;
    if (rule.permission === 'any-task') return TASK_PERMISSIONS.some((task) => task === one);
    return enoughFor(rule.permission).includes(one);
  });
  const isOfWhole = rule.isOwnOnly || (rule.scope === 'own' && rule.permission !== 'any');
  if (!has || (isOfOneFarm && isOfWhole)) return 403;
  if (isOfOneFarm && rule.scope === 'farm' && where === 'another farm')
    return rule.unknownFarm === 'not-found' ? 404 : 403;
  return 'in';
}

const isAboutOne = (route: string) => route.replaceAll(/:(workspace|farm)_id/g, '').includes(':');

function ask({ browser }: Who, route: string, { workspaceId, farmId }: Place) {
  const [method = '', path = ''] = route.split(' ');
  const url = path.replace(':workspace_id', workspaceId).replace(':farm_id', farmId).replaceAll(/:\w+/g, randomUUID());
  // A stream would not end: it is refused for this.
  const headers = { 'last-event-id': 'none' };
  if (method === 'GET') return browser.get(url, { headers });
  if (method === 'DELETE') return browser.delete(url);
  return browser.send(method, url, {});
}

test('each answer to each person is that of the table and the role', { timeout: 240_000 }, async () => {
  const wrong: string[] = [];
  let cells = 0;
  for (const { route, rule } of KEYED)
    for (const who of callers)
      for (const where of ['the farm', 'another farm', 'elsewhere'] as const) {
        cells++;
        const expected = expectedOf(rule, who, where);
        const { status } = await ask(who, route, places[where]);
        const isStream = route.endsWith('/board/stream');
        const inStatuses = isStream ? [426] : [200, 204, 400, 409, 415, ...(isAboutOne(route) ? [404] : [])];
        const isRight = expected === 'in' ? inStatuses.includes(status) : status === expected;
        if (!isRight)
          wrong.push(`${route}: ${who.isOfOneFarm ? 'one' : 'all'} ${who.role}, ${where}: ${status}, not ${expected}`);
      }
  expect(wrong).toEqual([]);
  expect(cells).toBeGreaterThan(1_500);
});
