// Fields that nobody may set from outside, in every body that is sent: refused or without effect. And every answer is
// what its schema says, with no field more.
import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { RULES } from '../../src/service/auth/rules.data.ts';
import { fileHolds } from '../fault/file-holds.ts';
import { DOCUMENTED_ROUTES } from '../support/documented-routes.ts';
import type { Sent } from './exchange.ts';
import { expectStatus, type Harness, routeOf, startHarness } from './harness.ts';
import type { Operation } from './openapi.ts';
import { JSON_TYPE } from './requests.ts';
import { replay } from './seed.ts';

let extended = 0;
fileHolds({
  id: 'S14',
  bar: '0 fields that nobody may set are taken, 0 undeclared fields in answers',
  measured: () => `${extended} bodies with fields too many; ${harness.asked()}`,
});

let harness: Harness;
let othersBefore: string;
beforeAll(async () => {
  harness = await startHarness();
  othersBefore = await harness.world.others();
});
afterAll(() => harness.stop());

/** Fields that say who or where one is, with the values of somebody else. */
const stowaways = () => {
  const { workspaceId, farmId, agentId, key } = harness.world.foreign;
  return fc.record(
    {
      workspace_id: fc.constant(workspaceId),
      workspaceId: fc.constant(workspaceId),
      farm_id: fc.constant(farmId),
      agent_id: fc.constant(agentId),
      id: fc.constant(randomUUID()),
      batch_id: fc.constant(randomUUID()),
      role: fc.constantFrom('admin', 'system'),
      actor: fc.constant({ type: 'system', id: 'x', name: 'root' }),
      created_by: fc.constant({ type: 'user', id: 'x', name: 'root' }),
      created_at: fc.constant('2000-01-01T00:00:00Z'),
      status: fc.constant('succeeded'),
      permissions: fc.constant(['tasks.create']),
      'x-api-key': fc.constant(key),
      force: fc.constant(true),
    },
    { requiredKeys: [] },
  );
};

test('fields that nobody may set are refused, or change nothing', async () => {
  const { own, foreign, rig } = harness.world;
  const create = harness.operationOf('POST /private-api/v1/:workspace_id/farms/:farm_id/tasks/batches');
  const ids = fc.array(fc.constantFrom(...own.minerIds, ...foreign.minerIds, foreign.agentId, randomUUID()), {
    minLength: 1,
    maxLength: 4,
  });
  await fc.assert(
    fc.asyncProperty(stowaways(), ids, stowaways(), async (extra, miner_ids, params) => {
      const body = JSON.stringify({
        ...extra,
        task_name: 'miner.system.reboot',
        miner_ids,
        params: { ...params, force: true },
      });
      const request: Sent = {
        method: 'POST',
        path: rig.farm('/tasks/batches'),
        headers: { 'x-api-key': own.key, 'content-type': 'application/json' },
        body,
      };
      const got = await harness.ask(create, request);
      expectStatus(request, got, [200]);
      const { data, meta } = JSON.parse(got.text);
      for (const batch of data) {
        expect(batch.created_by).toMatchObject({ type: 'api_key', name: 'test' });
        expect(Date.parse(batch.created_at)).toBeGreaterThan(Date.parse('2020-01-01'));
        expect(batch.batch_id).not.toBe(extra.batch_id);
      }
      const unknown = new Set(miner_ids.filter((id) => !own.minerIds.includes(id)));
      const skipped = meta.skipped.filter(({ reason }: { reason: string }) => reason === 'not_found');
      expect(new Set(skipped.flatMap(({ miner_ids: of }: { miner_ids: string[] }) => of))).toEqual(unknown);
    }),
    replay(160),
  );
});

/** Their bodies are open, as the interface says; what is unknown in them has no effect. */
const OPEN_BODIES = ['createTaskBatch', 'enrolAgent'];

/** Every object of a value, with how a field is set in it. */
function objectsIn(value: unknown): object[] {
  if (typeof value !== 'object' || value === null) return [];
  const below = Object.values(value).flatMap(objectsIn);
  return Array.isArray(value) ? below : [value, ...below];
}

/** The body with the fields of `extra` in one of its objects, which it did not have. */
function extend(body: unknown, at: number, extra: object): unknown {
  const whole = structuredClone(body);
  const places = objectsIn(whole);
  const place = places[at % Math.max(1, places.length)];
  if (place === undefined) return whole;
  for (const [name, value] of Object.entries(extra)) if (!Object.hasOwn(place, name)) Reflect.set(place, name, value);
  return whole;
}

const keyOf = (operation: Operation): Record<string, string> => harness.headersFor(RULES[routeOf(operation)]);

test('bodies take no field more than their schema has, at any depth, whatever it says', async () => {
  const withBody = harness.document.operations.filter(({ body }) => body?.type === JSON_TYPE);
  const closed = withBody.filter(({ id }) => !OPEN_BODIES.includes(id));
  expect(withBody.length - closed.length).toBe(OPEN_BODIES.length);
  for (const operation of closed) {
    const fits = harness.document.validator(operation.body?.schema ?? {});
    await fc.assert(
      fc.asyncProperty(
        harness.requests
          .good(operation, harness.place, keyOf(operation))
          .filter(({ body }) => body !== undefined && body !== 'null'),
        stowaways(),
        fc.nat(),
        async (request, extra, at) => {
          const body = extend(JSON.parse(String(request.body)), at, extra);
          // Below some objects any field may stand, or the field is one of them.
          if (fits(body)) return;
          extended++;
          const asked = { ...request, body: JSON.stringify(body) };
          expectStatus(asked, await harness.ask(operation, asked), [400]);
        },
      ),
      replay(160),
    );
    // At least the outermost object is closed.
    expect(fits({ workspace_id: 'x', created_by: 'x', 'x-api-key': 'x' }), operation.id).toBe(false);
  }
});

describe.each(DOCUMENTED_ROUTES)('%s', (route) => {
  test('answers what its schema says', async () => {
    const operation = harness.operationOf(route);
    const requests = harness.requests.good(operation, harness.place, keyOf(operation));
    // `ask` compares the answer with the schema, which is closed: operations.test.ts.
    await fc.assert(
      fc.asyncProperty(requests, async (request) => void (await harness.ask(operation, request))),
      replay(40),
    );
  });
});

test('after all of it the other workspace, and who there is at all, is as before', async () => {
  expect(await harness.world.others()).toBe(othersBefore);
});
