// Every route of the service, asked by every role of its own workspace and of a grant, for its own, a foreign and a
// guessed workspace, farm and id: the row of the authorisation table decides each answer. And the routes that are
// served, described and authorised are the same.
import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { systemClock } from '../../src/base/clock.ts';
import { silentLog } from '../../src/base/log.ts';
import { permissionsOf, ROLES, TASK_PERMISSIONS } from '../../src/model/permissions/permissions.ts';
import { createAdmission } from '../../src/service/auth/admission.ts';
import { createAuthSource } from '../../src/service/auth/authorise.ts';
import { type KeyRule, RULES } from '../../src/service/auth/rules.data.ts';
import { createVouchers } from '../../src/service/auth/vouchers.ts';
import { createBudgets } from '../../src/service/http/limits/budgets.ts';
import { createServer, DEFAULT_LIMITS } from '../../src/service/http/server.ts';
import { openStore } from '../../src/service/store/store.ts';
import { type Harness, routeOf, startHarness } from '../property/harness.ts';
import { temporaryDatabase } from '../support/database.ts';
import { call } from '../unit/service-http/rig.ts';
import { report } from './table.ts';

const KEYED = Object.entries(RULES).flatMap(([route, rule]) => (rule.access === 'key' ? [{ route, rule }] : []));

const WHOSE = ['own', 'foreign', 'guessed'] as const;
type Whose = (typeof WHOSE)[number];
type Place = { readonly workspace: Whose; readonly farm: Whose };
const PLACES: readonly Place[] = WHOSE.flatMap((workspace) => WHOSE.map((farm) => ({ workspace, farm })));

/** `home` = the workspace that it may use. `permissions` are of the key, or for a guest of the grant. */
type Caller = {
  readonly name: string;
  readonly key: string | undefined;
  readonly home: 'own' | 'foreign' | undefined;
  readonly isGuest: boolean;
  readonly permissions: readonly string[];
};

let harness: Harness;
let callers: readonly Caller[];
beforeAll(async () => {
  harness = await startHarness();
  callers = await makeCallers();
});
afterAll(() => harness.stop());

async function makeCallers(): Promise<Caller[]> {
  const { rig, own, foreign, badKeys } = harness.world;
  const { admin } = rig.service;
  const nobody = { home: undefined, isGuest: false, permissions: [] };
  const made = await Promise.all(
    ROLES.map(async (role) => {
      const permissions = permissionsOf(role);
      const { key } = await admin.createKey({ workspaceId: own.workspaceId, name: role, role });
      const guest = await admin.createWorkspace({ name: role, slug: `guest-${role}` });
      await admin.createGrant({
        grantorId: foreign.workspaceId,
        granteeId: guest.id,
        permissions: [...permissions],
        farmIds: [foreign.farmId],
      });
      const guestKey = await admin.createKey({ workspaceId: guest.id, name: role, role: 'admin' });
      return [
        { name: role, key, home: 'own' as const, isGuest: false, permissions },
        { name: `guest ${role}`, key: guestKey.key, home: 'foreign' as const, isGuest: true, permissions },
      ];
    }),
  );
  return [
    { name: 'no key', key: undefined, ...nobody },
    { name: 'a bad key', key: badKeys[0], ...nobody },
    ...made.flat(),
  ];
}

/** `in` = the route itself answers. */
function expectedOf(rule: KeyRule, caller: Caller, { workspace, farm }: Place): 'in' | 401 | 403 | 404 {
  if (caller.home === undefined) return 401;
  const has = (permissions: readonly string[]) => {
    if (rule.permission === 'any') return permissions.length > 0;
    if (rule.permission === 'any-task') return TASK_PERMISSIONS.some((one) => permissions.includes(one));
    return permissions.includes(rule.permission);
  };
  // The own workspace of this world is the operator's.
  if (rule.isOperatorOnly && caller.home !== 'own') return 403;
  // A guest has a full key of its own workspace: what is limited is the grant.
  if (rule.scope === 'own') return caller.isGuest || has(caller.permissions) ? 'in' : 403;
  const isUsable = workspace === caller.home && !(caller.isGuest && rule.isOwnOnly);
  if (!isUsable) return rule.unknownWorkspace === 'not-found' ? 404 : 403;
  if (!has(caller.permissions)) return 403;
  if (rule.scope === 'workspace' || farm === caller.home) return 'in';
  return rule.unknownFarm === 'not-found' ? 404 : 403;
}

const idOf = (whose: Whose, name: 'workspaceId' | 'farmId') =>
  whose === 'guessed' ? randomUUID() : harness.world[whose][name];

function ask(route: string, { workspace, farm }: Place, key: string | undefined) {
  const [method = '', path = ''] = route.split(' ');
  const hasBody = method !== 'GET' && method !== 'DELETE';
  const url = path
    .replace(':workspace_id', idOf(workspace, 'workspaceId'))
    .replace(':farm_id', idOf(farm, 'farmId'))
    .replaceAll(/:\w+/g, randomUUID());
  return call(harness.world.rig.url + url, {
    method,
    headers: {
      ...(key === undefined ? {} : { 'x-api-key': key }),
      ...(hasBody ? { 'content-type': 'application/json' } : {}),
      // A stream would not end: it is refused for this.
      'last-event-id': 'none',
    },
    ...(hasBody ? { body: '{}' } : {}),
  });
}

/** The guard lets in, and the route finds the body too empty, nothing under the id, or no wish for a WebSocket. */
const inStatuses = (route: string) =>
  route.endsWith('/board/stream') ? [426] : [200, 204, 400, 409, 415, ...(isAboutOne(route) ? [404] : [])];
/** It names one thing below the farm or the workspace. */
const isAboutOne = (route: string) =>
  route
    .split(' ')[1]
    ?.replaceAll(/:(workspace|farm)_id/g, '')
    .includes(':') === true;

test('each answer to each caller is the one of the table', { timeout: 120_000 }, async () => {
  const wrong: string[] = [];
  let cells = 0;
  for (const { route, rule } of KEYED)
    for (const caller of callers)
      await Promise.all(
        PLACES.map(async (place) => {
          cells++;
          const expected = expectedOf(rule, caller, place);
          const { status } = await ask(route, place, caller.key);
          const isRight = expected === 'in' ? inStatuses(route).includes(status) : status === expected;
          if (!isRight)
            wrong.push(`${route}: ${caller.name}, ${place.workspace}/${place.farm}: ${status}, not ${expected}`);
        }),
      );
  const ids = await foreignIds();
  report({
    id: 'S13',
    value: `${KEYED.length} routes x ${callers.length} callers x ${PLACES.length} places: ${wrong.length} of ${cells} cells off the table; ${ids.asked} requests with foreign and guessed ids: ${ids.told.length} told apart or answered${[...wrong, ...ids.told].slice(0, 3).map((text) => `; ${text}`)}`,
    bar: 'every route x role x own/foreign/guessed: 100 % as the table says, foreign = not there',
    isMet: cells > 1_000 && ids.asked > 10 && wrong.length + ids.told.length === 0,
  });
});

/** Whatever has an id: with that of another workspace the answer is, word for word, that to an id of nothing. */
async function foreignIds() {
  const { own, foreign } = harness.world;
  const theirs: Readonly<Record<string, readonly string[]>> = {
    miner_id: foreign.minerIds.slice(0, 3),
    task_batch_id: foreign.batchIds,
  };
  const told: string[] = [];
  let asked = 0;
  for (const { route } of KEYED) {
    if (!isAboutOne(route)) continue;
    const operation = harness.operationOf(route);
    // What does not exist under a name is made by it.
    if (operation.method === 'PUT') continue;
    const name = operation.path.match(/\{(\w+)\}(?!.*\{)/)?.[1] ?? '';
    const answerTo = async (id: string) => {
      const [request] = fc.sample(
        harness.requests.good(operation, { ...harness.place, [name]: id }, { 'x-api-key': own.key }),
        { numRuns: 1, seed: 7 },
      );
      if (request === undefined) throw new Error('no request');
      asked++;
      const { status, text } = await harness.client.send(request);
      return `${status} ${text}`;
    };
    const guessed = await answerTo(randomUUID());
    if (!guessed.startsWith('404 ')) told.push(`${route}: a guessed ${name}: ${guessed.slice(0, 100)}`);
    for (const id of [...(theirs[name] ?? []), foreign.agentId, foreign.farmId]) {
      const answer = await answerTo(id);
      if (answer !== guessed) told.push(`${route}: ${name} of another: ${answer.slice(0, 100)}`);
    }
  }
  return { asked, told };
}

test('the routes that are served are those that are described and authorised', async () => {
  const table = Object.keys(RULES).toSorted();
  // The files of a page are nothing that a client asks for.
  const parts = Object.entries(RULES).flatMap(([route, rule]) => ('isPartOfPage' in rule ? [route] : []));
  const described = [...harness.document.operations.map(routeOf), ...parts].toSorted();
  const served = new Set<string>();
  for (const path of new Set(table.map((route) => route.split(' ')[1] ?? ''))) {
    // No path has this method: the refusal names those that it has.
    const asked = path.replaceAll(/:\w+/g, randomUUID());
    const { status, headers } = await call(harness.world.rig.url + asked, { method: 'OPTIONS' });
    expect([path, status]).toEqual([path, 405]);
    for (const method of (headers.get('allow') ?? '').split(', ')) {
      if (method === 'HEAD') continue;
      // A word may stand where another route has an id.
      const meant = table.find((route) => route.startsWith(`${method} `) && patternOf(route).test(asked));
      served.add(meant ?? `${method} ${path}`);
    }
  }
  const isBeyond = await refusesRouteBeyondTable();
  const differing = [...table, ...described, ...served].filter(
    (route) => !(table.includes(route) && described.includes(route) && served.has(route)),
  );
  report({
    id: 'S17',
    value: `${served.size} routes served, ${described.length - parts.length} in OpenAPI and ${parts.length} of a page, ${table.length} in the authorisation table: ${differing.length} not in all three${differing.map((route) => ` ${route}`)}; one that is in no table ${isBeyond ? 'cannot' : 'can'} be registered`,
    bar: 'equal sets',
    isMet: differing.length === 0 && served.size === table.length && isBeyond,
  });
});

const patternOf = (route: string) => new RegExp(`^${route.split(' ')[1]?.replaceAll(/:\w+/g, '[^/]+')}$`);

/** The server does not start with a route that has no row: what is served is never more than the table. */
async function refusesRouteBeyondTable(): Promise<boolean> {
  const store = await openStore(await temporaryDatabase());
  const app = await createServer({
    admission: createAdmission({
      source: createAuthSource(store.tenants, store.keys, store.people, silentLog),
      vouchers: createVouchers(),
      clock: systemClock,
      page: { allowPlain: false, hosts: [] },
    }),
    clock: systemClock,
    log: silentLog,
    version: '0.0.0-test',
    limits: DEFAULT_LIMITS,
    budgets: createBudgets(systemClock, 1),
    front: undefined,
    page: { enabled: true, allowPlain: false, hosts: [] },
  });
  try {
    expect(() => app.get('/public-api/v2/not-in-the-table', async () => 'x')).toThrow(/authorisation table/);
    return true;
  } finally {
    await app.close();
    await store.close();
  }
}
