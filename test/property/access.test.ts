// Every operation, asked by those who may not, with generated requests that fit and that do not: the row of the
// authorisation table decides, and nobody learns what exists elsewhere.
import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { TASK_PERMISSIONS } from '../../src/model/permissions/permissions.ts';
import { RULES, type Rule } from '../../src/service/auth/rules.data.ts';
import { fileHolds } from '../fault/file-holds.ts';
import { NASTY } from './arbitrary.ts';
import type { Sent } from './exchange.ts';
import { expectStatus, fail, type Harness, startHarness } from './harness.ts';
import type { Operation } from './openapi.ts';
import { replay } from './seed.ts';

type KeyRule = Extract<Rule, { access: 'key' }>;
const KEYED = Object.entries(RULES).flatMap(([route, rule]) => (rule.access === 'key' ? [{ route, rule }] : []));

fileHolds({
  id: 'S12',
  bar: '0 asked by those who may not and answered',
  measured: () => harness.asked(),
});

let harness: Harness;
let othersBefore: string;
beforeAll(async () => {
  harness = await startHarness();
  othersBefore = await harness.world.others();
});
afterAll(() => harness.stop());

/** Any request to the operation at a place, fitting or not. */
function anyRequest(operation: Operation, place: Readonly<Record<string, string>>): fc.Arbitrary<Sent> {
  const good = harness.requests.good(operation, place);
  const bad = harness.requests.bad(operation, place);
  return bad === undefined ? good : fc.oneof(good, bad);
}

const withHeaders = (request: Sent, headers: Readonly<Record<string, string>>): Sent => ({
  ...request,
  headers: { ...request.headers, ...headers },
});

/** In either of the two places of a key. */
const inHeader = (key: string) => fc.constantFrom({ 'x-api-key': key }, { authorization: `Bearer ${key}` });

/** Where the own key is no good: of others, of nobody, of nonsense. */
function elsewhere(rule: KeyRule): fc.Arbitrary<{ place: Record<string, string>; of: 'workspace' | 'farm' }> {
  const { own, foreign } = harness.world;
  const nobody = fc.oneof(
    fc.uuid(),
    fc.constantFrom(...NASTY.filter((text) => text !== '' && text !== ' ').map((text) => text.toWellFormed())),
  );
  const workspace = fc
    .oneof(fc.constant(foreign.workspaceId), nobody)
    .chain((workspace_id) =>
      fc
        .constantFrom(own.farmId, foreign.farmId, randomUUID())
        .map((farm_id) => ({ place: { workspace_id, farm_id }, of: 'workspace' as const })),
    );
  if (rule.scope !== 'farm') return workspace;
  const farm = fc
    .oneof(fc.constant(foreign.farmId), nobody)
    .map((farm_id) => ({ place: { workspace_id: own.workspaceId, farm_id }, of: 'farm' as const }));
  return fc.oneof(workspace, farm);
}

function refusalOf(rule: KeyRule, of: 'workspace' | 'farm'): { status: number; message: string } {
  const isNotFound =
    of === 'workspace'
      ? rule.scope !== 'own' && rule.unknownWorkspace === 'not-found'
      : rule.scope === 'farm' && rule.unknownFarm === 'not-found';
  if (isNotFound) return { status: 404, message: 'Resource not found' };
  return { status: 403, message: of === 'workspace' ? 'Access denied to workspace' : 'Access denied to farm' };
}

describe.each(KEYED)('$route', ({ route, rule }) => {
  const expectRefusal = async (request: Sent, { status, message }: { status: number; message: string }) => {
    const got = await harness.ask(harness.operationOf(route), request);
    expectStatus(request, got, [status]);
    if (JSON.parse(got.text).message !== message) fail(request, got, `does not say ${message}`);
  };

  test('asks everybody for a key that is good, before anything else', async () => {
    const { badKeys } = harness.world;
    const keys = fc.oneof(
      fc.constantFrom(...badKeys),
      fc.string({ minLength: 1, unit: 'grapheme-ascii' }).map((text) => `phk_${text.replaceAll(' ', '')}`),
    );
    const presented = fc.oneof(
      keys.chain(inHeader),
      fc.constantFrom(
        {},
        { 'x-api-key': '' },
        { authorization: 'Bearer ' },
        { authorization: `Basic ${btoa(harness.world.own.key)}` },
        { cookie: `x-api-key=${harness.world.own.key}` },
      ),
    );
    await fc.assert(
      fc.asyncProperty(anyRequest(harness.operationOf(route), harness.place), presented, async (request, headers) => {
        const isMissing =
          !('x-api-key' in headers && headers['x-api-key'] !== '') &&
          !('authorization' in headers && /^Bearer ./.test(headers.authorization));
        await expectRefusal(withHeaders(request, headers), {
          status: 401,
          message: isMissing ? 'Missing x-api-key header' : 'Invalid or missing API key',
        });
      }),
      replay(40),
    );
  });

  test('asks for its permission', async () => {
    const { permission } = rule;
    if (permission === 'any') return;
    const key = harness.world.keysWithout.get(permission) ?? '';
    await fc.assert(
      fc.asyncProperty(anyRequest(harness.operationOf(route), harness.place), inHeader(key), (request, headers) =>
        expectRefusal(withHeaders(request, headers), {
          status: 403,
          message:
            permission === 'any-task'
              ? `Access denied: the key lacks a permission for tasks: one of ${TASK_PERMISSIONS.join(', ')}`
              : `Access denied: the key lacks the permission ${permission}`,
        }),
      ),
      replay(20),
    );
  });

  test('says the same of what is foreign and of what is not', async () => {
    if (rule.scope === 'own') return;
    const requests = elsewhere(rule).chain(({ place, of }) =>
      fc.record({ of: fc.constant(of), request: anyRequest(harness.operationOf(route), place) }),
    );
    await fc.assert(
      fc.asyncProperty(requests, inHeader(harness.world.own.key), ({ request, of }, headers) =>
        expectRefusal(withHeaders(request, headers), refusalOf(rule, of)),
      ),
      replay(40),
    );
    const own = anyRequest(harness.operationOf(route), harness.place);
    await fc.assert(
      fc.asyncProperty(own, inHeader(harness.world.strangerKey), (request, headers) =>
        expectRefusal(withHeaders(request, headers), refusalOf(rule, 'workspace')),
      ),
      replay(20),
    );
  });

  test('finds no id of another workspace', async () => {
    const operation = harness.operationOf(route);
    const name = /:(miner_id|task_batch_id)/.exec(route)?.[1];
    if (name === undefined) return;
    const { foreign, own } = harness.world;
    const theirs = name === 'miner_id' ? foreign.minerIds : foreign.batchIds;
    const ids = fc.oneof(fc.constantFrom(...theirs, foreign.agentId, own.farmId, own.agentId), fc.uuid());
    const requests = ids.chain((id) =>
      harness.requests.good(operation, { ...harness.place, [name]: id }, { 'x-api-key': own.key }),
    );
    const beyond = name === 'miner_id' ? /needs a rack/ : undefined;
    await fc.assert(
      fc.asyncProperty(requests, async (request) => {
        const got = await harness.ask(operation, request);
        if (beyond?.test(got.text)) return;
        // What cannot be seen is refused before anything is looked for.
        if (got.status === 400 && got.text.includes('characters that can be')) return;
        expectStatus(request, got, [404]);
        expect(got.text).toBe('{"statusCode":404,"message":"Resource not found","error":"Not Found"}');
      }),
      replay(20),
    );
  });
});

test('after all of it the other workspace, and who there is at all, is as before', async () => {
  expect(await harness.world.others()).toBe(othersBefore);
});
