// Every operation of the served OpenAPI document, asked with generated requests: it takes what the document says,
// refuses the rest, and answers in no other way. Who may ask is access.test.ts.
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { fileHolds } from '../fault/file-holds.ts';
import { DOCUMENTED_ROUTES } from '../support/documented-routes.ts';
import { judge, judgeError } from './exchange.ts';
import { expectStatus, fail, type Harness, routeOf, startHarness } from './harness.ts';
import type { JsonSchema, Operation } from './openapi.ts';
import { replay } from './seed.ts';
import { tornBodies, tornPaths } from './torn.ts';

/** A selector is a small language. */
const SELECT = /: (body\.)?select: /;

/**
 * What the document cannot say in a schema: requests that fit it and are refused all the same, and with which words.
 */
const BEYOND_SCHEMA: Readonly<Record<string, RegExp>> = {
  importMinerPositionsV2: /: body: /,
  // What can be seen depends on what stands before it.
  enrolAgent: /: (protocol: received -?\d+, accepted: 1|name: received nothing that can be seen)$/,
  listEventsV2: /: (query\.page|query\.after|after|since): /,
  streamEventsV2: /: (query\.after|after|last-event-id): /i,
  queryHistoricalMetricsV2: /: (to_time|from_time, to_time|granularity): /,
  updateMinerV2: /: position: a position needs a rack$/,
  listMiners: /: ip_ranges: [\s\S]* runs downwards/,
  listMinersV2: /: (select: |ip_ranges: [\s\S]* runs downwards)/,
  createWebhookV2: /: url: /,
  updateWebhookV2: /: url: /,
  searchMinersV2: SELECT,
  searchBoardV2: SELECT,
  exportMinersV2: /: ((body\.)?select: |time_zone: |body\.limit: )/,
  getBoardV2: /: since: /,
  streamBoardV2: /: since: /,
  keepChassisV2: /: replaces: /,
  createKeyV2: /: (role: received (none|one beside permissions)|expires_at: received a time)/,
  createPersonV2:
    /: (role: received none|farm_roles: |body\.farm_roles: received a farm twice|expires_at: received a time)/,
  updatePersonV2:
    /: (role: received none|farm_roles: |body\.farm_roles: received a farm twice|expires_at: received a time)/,
  changePasswordV2: /: (current_password: it is not|new_password: received the (name|current one))/,
  changeLocationsV2: /: body: /,
  putRackV2: /: container: the farm has no container /,
  listChangesV2: /: query\.since: /,
  queryMinerHistoryV2: /: (to_time|from_time, to_time): /,
  createTaskBatchV2:
    /: (body\.filter\.select: |params\.ranges\[\d+\]: [\s\S]* runs downwards|body\.params\.(pool_set: received |pools: \d+ of \d+ miners lack ))/,
};

/** No code and no password is right by chance; and who tries many has to wait. */
const BY_CHANCE: Readonly<Record<string, readonly number[]>> = {
  'enrolment-code': [401],
  login: [401, 429],
  claim: [401, 429],
};

/** Null means not given, so an object of nothing but nulls has no field, whatever its schema counts. */
const ONLY_NULLS = /accepted: an object with (at least one of|either|canary,) /;

/** Which characters cannot be seen is more than patterns that every engine reads can say. */
const SEEN_ONLY =
  /accepted: (text of which every character can be seen|printable text|1 to (64|128|2000) characters that can be )/;

fileHolds({
  id: 'S12',
  bar: '>= 30 requests each: 0 5xx, 0 off their schema, 0 accepted that do not fit',
  measured: () => harness.asked(),
});

let harness: Harness;
let othersBefore: string;
beforeAll(async () => {
  harness = await startHarness();
  othersBefore = await harness.world.others();
});
afterAll(() => harness.stop());

const isPathOf = ({ path }: Operation, asked: string) =>
  new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`).test(asked);

test('the document describes exactly the routes of the authorisation table', () => {
  expect(harness.document.operations.map(routeOf).toSorted()).toEqual(
    DOCUMENTED_ROUTES.map(([route]) => route).toSorted(),
  );
});

/** Objects whose fields are the client's, the miner's or the document's own, or kinds of things. */
const OPEN_FIELDS = new Set(['task_params', 'metadata', 'evidence', 'detail', 'subject']);

test('every object of every answer is closed: no undeclared field can hide in it', () => {
  const open: string[] = [];
  const walk = (given: JsonSchema, path: string) => {
    const schema = given;
    if (
      schema.type === 'object' &&
      schema.additionalProperties !== false &&
      !OPEN_FIELDS.has(path.split('.').at(-1) ?? '')
    )
      open.push(path);
    for (const [name, one] of Object.entries(schema.properties ?? {})) walk(one, `${path}.${name}`);
    for (const one of [...(schema.oneOf ?? []), ...(schema.anyOf ?? []), ...(schema.allOf ?? [])]) walk(one, path);
    if (typeof schema.items === 'object') walk(schema.items, `${path}[]`);
  };
  for (const { id, responses } of harness.document.operations)
    for (const [status, types] of responses) for (const schema of types.values()) walk(schema, `${id} ${status}`);
  for (const [name, schema] of Object.entries(harness.document.schemas)) walk(schema, name);
  expect(open).toEqual(['getOpenApi 200']);
});

describe.each(DOCUMENTED_ROUTES)('%s', (route, rule) => {
  const good = () => {
    return harness.requests.good(harness.operationOf(route), harness.place, harness.headersFor(rule));
  };

  test('takes what the document says that it takes', async () => {
    const operation = harness.operationOf(route);
    const accepted = [200];
    if (
      /:(miner_id|task_batch_id|task_id|webhook_id|key_id|person_id|session_id|location_change_id|rack|container|name)/.test(
        route,
      ) ||
      operation.id === 'createWebhookV2'
    )
      accepted.push(404);
    if (operation.responses.has(409)) accepted.push(409);
    // It is asked without the headers of a WebSocket.
    if (operation.responses.has(426)) accepted.push(426);
    if (operation.id === 'changePasswordV2') accepted.push(429);
    // A key is no second person.
    if (operation.id === 'confirmTaskBatchV2') accepted.push(403);
    // A farm that the key may not use is refused wherever it is named.
    if (operation.id === 'searchAgents') accepted.push(403);
    const beyond = BEYOND_SCHEMA[operation.id];
    await fc.assert(
      fc.asyncProperty(good(), async (request) => {
        const got = await harness.ask(operation, request);
        if (got.status === 400) {
          const { message } = JSON.parse(got.text);
          if (beyond?.test(message) || ONLY_NULLS.test(message) || SEEN_ONLY.test(message)) return;
        }
        expectStatus(request, got, BY_CHANCE[rule.access] ?? accepted);
      }),
      replay(160),
    );
  });

  test('refuses what does not fit the document', async () => {
    const operation = harness.operationOf(route);
    const bad = harness.requests.bad(operation, harness.place, harness.headersFor(rule));
    if (bad === undefined) return;
    await fc.assert(
      fc.asyncProperty(bad, async (request) => {
        const got = await harness.ask(operation, request);
        expectStatus(request, got, [400]);
        if (!got.text.includes('Invalid request parameters')) fail(request, got, 'does not say what is wrong');
      }),
      replay(160),
    );
  });

  test('refuses broken bodies, types and encodings', async () => {
    const operation = harness.operationOf(route);
    if (operation.body === undefined) return;
    await fc.assert(
      fc.asyncProperty(tornBodies(good(), operation.body.type), async ({ request, right }) =>
        expectStatus(request, await harness.ask(operation, request), right),
      ),
      replay(60),
    );
    if (!operation.body.isRequired) return;
    const [request] = fc.sample(good(), { numRuns: 1, seed: 1 });
    if (request === undefined) throw new Error('no request');
    for (const body of [undefined, '']) {
      const empty = { ...request, body };
      expectStatus(empty, await harness.ask(operation, empty), [400]);
    }
  });

  test('refuses other methods and paths in the same words', async () => {
    const operation = harness.operationOf(route);
    const methods = harness.document.operations.filter(({ path }) => path === operation.path).map((one) => one.method);
    await fc.assert(
      fc.asyncProperty(tornPaths(good(), methods), async ({ request, right }) => {
        const got = await harness.client.send(request);
        // A changed path may be that of another operation, or of this one with another id.
        const meant = harness.document.operations.find(
          (one) => one.method === request.method && isPathOf(one, request.path),
        );
        if (meant !== undefined && judge(harness.document, meant, got) === undefined) return;
        // The page with a slash behind it.
        if (/^\/docs\/(\?|$)/.test(request.path) && got.status === 200) return;
        expectStatus(request, got, right);
        const wrong = request.method === 'HEAD' ? undefined : judgeError(got.status, got.text);
        if (wrong !== undefined) fail(request, got, wrong);
      }),
      replay(40),
    );
  });
});

test('after all of it the other workspace, and who there is at all, is as before', async () => {
  expect(await harness.world.others()).toBe(othersBefore);
});
