// Every v2 row of the authorisation table × every kind of key × own, granted, foreign, no workspace and farm: the row
// decides each cell. Which permission opens which row is permission-table.long.test.ts.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { enoughFor, PERMISSIONS, TASK_PERMISSIONS } from '../../../src/model/permissions/permissions.ts';
import { RULES, type Rule } from '../../../src/service/auth/rules.data.ts';
import { askRoute, type Place, startGuardRig, UNKNOWN } from './guard-rig.ts';
import type { Answer, Rig } from './rig.ts';

const HOUR_MS = 3_600_000;

type KeyRule = Extract<Rule, { access: 'key' }>;
const ROWS = Object.entries(RULES).flatMap(([route, rule]) =>
  route.includes(' /public-api/v2/') && rule.access === 'key' ? [{ route, rule }] : [],
);

let rig: Rig;
let stop: () => Promise<void>;
let host: Place & { secondFarmId: string };

beforeAll(async () => {
  const started = await startGuardRig();
  ({ rig, stop } = started);
  const { workspaceId } = started.host;
  const second = await rig.service.admin.createFarm({ workspaceId, name: 'South' });
  host = { ...started.host, secondFarmId: second.id };
});
afterAll(() => stop());

const own = (): Place => ({ workspaceId: rig.workspaceId, farmId: rig.farmId });
const ask = (route: string, place: Place, headers: Record<string, string>) => askRoute(rig, route, place, headers);

const isBelowFarm = (route: string) => route.replace(':workspace_id', '').replace(':farm_id', '').includes('/:');

const refusal = (statusCode: number, error: string, message: string) => ({ statusCode, message, error });
const NOT_FOUND = refusal(404, 'Not Found', 'Resource not found');
const lacking = ({ permission }: KeyRule, what: 'key' | 'grant' = 'key') =>
  refusal(
    403,
    'Forbidden',
    `Access denied: the ${what} ${
      permission === 'any'
        ? 'has no permissions'
        : permission === 'any-task'
          ? `lacks a permission for tasks: one of ${TASK_PERMISSIONS.join(', ')}`
          : `lacks the permission ${permission}`
    }`,
  );

function expectOpen(route: string, { status, body }: Answer): void {
  // It is asked without the headers of a WebSocket.
  const isStream = route.endsWith('/board/stream');
  const allowed = isStream ? [426] : isBelowFarm(route) ? [200, 400, 404] : [200, 400, 415];
  expect(allowed, JSON.stringify(body)).toContain(status);
}

/** Permissions that open the row, and those that do not. */
const enough = ({ permission }: KeyRule): string[] =>
  permission === 'any' ? ['grants.read'] : permission === 'any-task' ? ['tasks.light'] : [permission];
const others = ({ permission }: KeyRule): string[] => {
  if (permission === 'any') return [];
  const open: readonly string[] = permission === 'any-task' ? TASK_PERMISSIONS : enoughFor(permission);
  return PERMISSIONS.filter((one) => !open.includes(one));
};

async function keyOf(workspaceId: string, permissions?: string[]): Promise<Record<string, string>> {
  const scope = permissions === undefined ? { role: 'admin' as const } : { permissions };
  const { key } = await rig.service.admin.createKey({ workspaceId, name: 'k', ...scope });
  return { 'x-api-key': key };
}

let guests = 0;
async function guest() {
  const { id } = await rig.service.admin.createWorkspace({ name: 'Guest', slug: `v2-guest-${guests++}` });
  const grant = (permissions: string[], more: { farmIds?: string[]; expiresAt?: string } = {}) =>
    rig.service.admin.createGrant({ grantorId: host.workspaceId, granteeId: id, permissions, ...more });
  return { headers: await keyOf(id), grant, id };
}

describe.each(ROWS)('$route', ({ route, rule }) => {
  test('401 without key, with a wrong, a revoked and an expired one, whatever the place', async () => {
    const { admin } = rig.service;
    const { workspaceId } = rig;
    const revoked = await admin.createKey({ workspaceId, name: 'revoked', role: 'admin' });
    await admin.revokeKey(revoked.id);
    const expiresAt = new Date(rig.clock.nowMs() - 1).toISOString();
    const expired = await admin.createKey({ workspaceId, name: 'expired', role: 'admin', expiresAt });
    for (const place of [own(), host, { workspaceId: UNKNOWN, farmId: UNKNOWN }]) {
      expect((await ask(route, place, {})).body).toEqual(refusal(401, 'Unauthorized', 'Missing x-api-key header'));
      for (const key of ['x', `${rig.key}x`, revoked.key, expired.key])
        for (const headers of [{ 'x-api-key': key }, { authorization: `Bearer ${key}` }])
          expect((await ask(route, place, headers)).body).toEqual(
            refusal(401, 'Unauthorized', 'Invalid or missing API key'),
          );
    }
  });

  test('own workspace: open to a full key and to one with just the permission, 403 to one with all others', async () => {
    expectOpen(route, await ask(route, own(), { 'x-api-key': rig.key }));
    expectOpen(route, await ask(route, own(), { authorization: `Bearer ${rig.key}` }));
    expectOpen(route, await ask(route, own(), await keyOf(rig.workspaceId, enough(rule))));
    expect((await ask(route, own(), await keyOf(rig.workspaceId, []))).body).toEqual(lacking(rule));
    if (rule.permission !== 'any')
      expect((await ask(route, own(), await keyOf(rig.workspaceId, others(rule)))).body).toEqual(lacking(rule));
  });

  test.runIf(rule.scope !== 'own')('a foreign workspace and none at all are not found, in the same words', async () => {
    const headers = { 'x-api-key': rig.key };
    for (const workspaceId of [host.workspaceId, UNKNOWN, 'x', '%27', rig.farmId])
      expect((await ask(route, { ...host, workspaceId }, headers)).body).toEqual(NOT_FOUND);
  });

  test.runIf(rule.scope === 'farm')('a foreign farm and none at all are not found, in the same words', async () => {
    const headers = { 'x-api-key': rig.key };
    for (const farmId of [host.farmId, UNKNOWN, 'x', '%27', rig.workspaceId])
      expect((await ask(route, { ...own(), farmId }, headers)).body).toEqual(NOT_FOUND);
  });

  const isGrantable = rule.scope !== 'own' && !rule.isOwnOnly;
  test.runIf(isGrantable)('a granted workspace: the grant decides, for its farms, until it ends', async () => {
    const { admin } = rig.service;
    const { headers, grant } = await guest();
    expect((await ask(route, host, headers)).body).toEqual(NOT_FOUND);
    await grant(enough(rule), { expiresAt: new Date(rig.clock.nowMs() - HOUR_MS).toISOString() });
    expect((await ask(route, host, headers)).body).toEqual(NOT_FOUND);

    const useful = await grant(enough(rule), { farmIds: [host.farmId] });
    expectOpen(route, await ask(route, host, headers));
    if (rule.scope === 'farm') {
      const elsewhere = { ...host, farmId: host.secondFarmId };
      expect((await ask(route, elsewhere, headers)).body).toEqual(NOT_FOUND);
    }
    await admin.revokeGrant(useful.id);
    expect((await ask(route, host, headers)).body).toEqual(NOT_FOUND);

    const whole = await grant(enough(rule));
    expectOpen(route, await ask(route, { ...host, farmId: host.secondFarmId }, headers));
    await admin.revokeGrant(whole.id);
  });

  test.runIf(rule.isOwnOnly)('a granted workspace: no grant opens it', async () => {
    const { headers, grant } = await guest();
    await grant(enough(rule));
    expect((await ask(route, host, headers)).body).toEqual(NOT_FOUND);
  });

  test.runIf(isGrantable && rule.permission !== 'any')(
    'a granted workspace without the permission: 403, and a farm that the grant does not name stays unconfirmed',
    async () => {
      const { headers, grant, id } = await guest();
      await grant(others(rule), { farmIds: [host.farmId] });
      for (const farmId of [host.farmId, host.secondFarmId, UNKNOWN])
        expect((await ask(route, { ...host, farmId }, headers)).body).toEqual(lacking(rule, 'grant'));
      if (rule.scope !== 'farm') return;
      await grant(enough(rule), { farmIds: [host.secondFarmId] });
      expect((await ask(route, host, headers)).body).toEqual(lacking(rule, 'grant'));
      expectOpen(route, await ask(route, { ...host, farmId: host.secondFarmId }, headers));
      expect((await ask(route, { ...host, farmId: rig.farmId }, headers)).body).toEqual(NOT_FOUND);
      const narrow = await keyOf(id, others(rule));
      expect((await ask(route, { ...host, farmId: host.secondFarmId }, narrow)).body).toEqual(lacking(rule));
    },
  );
});

test('who may not is told so before what is wrong with the request', async () => {
  const path = `/public-api/v2/workspaces/${host.workspaceId}/farms/${host.farmId}/agents?page=0`;
  expect((await rig.get(path, {})).status).toBe(401);
  expect((await rig.get(path)).status).toBe(404);
});
