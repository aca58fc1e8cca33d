// The served document is valid OpenAPI 3.1 and describes exactly the routes that are served and ruled.
import { Validator } from '@seriousme/openapi-schema-validator';
import { expect, test } from 'vitest';
import { PERMISSION_ROWS } from '../../../src/model/permissions/permissions.data.ts';
import { PERMISSIONS, permissionsOf, ROLES } from '../../../src/model/permissions/permissions.ts';
import { EXECUTION_TASK_NAMES } from '../../../src/model/task.ts';
import { TASK_KINDS } from '../../../src/model/tasks/task-kinds.data.ts';
import { readDocument } from '../../property/openapi.ts';
import { DOCUMENTED_ROUTES } from '../../support/documented-routes.ts';
import { startRig } from './rig.ts';

test('valid 3.1, every route of the authorisation table, errors and security declared', async () => {
  const rig = await startRig({ publicUrl: 'https://pithead.example' });
  const { status, body } = await rig.get('/openapi.json', {});
  expect(status).toBe(200);
  expect(body.openapi).toBe('3.1.0');
  expect(body.info.version).toBe('1.0.0');
  expect(body.servers).toEqual([{ url: 'https://pithead.example' }]);
  const validator = new Validator();
  expect(await validator.validate(structuredClone(body))).toEqual({ valid: true });
  expect(validator.version).toBe('3.1');

  const described = Object.entries<Record<string, unknown>>(body.paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path.replaceAll(/\{(\w+)\}/g, ':$1')}`),
  );
  expect(described.toSorted()).toEqual(DOCUMENTED_ROUTES.map(([route]) => route).toSorted());

  for (const [route, rule] of DOCUMENTED_ROUTES) {
    const [method = '', path = ''] = route.split(' ');
    const operation = body.paths[path.replaceAll(/:(\w+)/g, '{$1}')][method.toLowerCase()];
    expect(operation.operationId).toBeTruthy();
    if (rule.access !== 'key') {
      expect(operation.security).toEqual(rule.access === 'session' ? [{ session: [] }] : []);
      expect(operation['x-permission']).toBeUndefined();
      continue;
    }
    expect(operation.security).toBeUndefined();
    for (const code of [400, 401, 403, 429, 500])
      expect(operation.responses[code].content['application/json'].schema.$ref).toBe('#/components/schemas/Error');
  }
  expect(body.security).toEqual([{ bearer: [] }, { apiKey: [] }, { session: [] }]);
});

test('each operation says its permission, and the document what each permission allows', async () => {
  const rig = await startRig();
  const { body } = await rig.get('/openapi.json', {});
  for (const [route, rule] of DOCUMENTED_ROUTES) {
    if (rule.access !== 'key') continue;
    const [method = '', path = ''] = route.split(' ');
    const operation = body.paths[path.replaceAll(/:(\w+)/g, '{$1}')][method.toLowerCase()];
    const perTask = Object.fromEntries(EXECUTION_TASK_NAMES.map((name) => [name, TASK_KINDS[name].permission]));
    expect([route, operation['x-permission']]).toEqual([
      route,
      rule.permission === 'any-task' ? perTask : rule.permission,
    ]);
    expect(operation.description).toMatch(/Needs (any permission|the permission .+)\.$/);
    if (rule.permission.includes('.')) expect(operation.description).toContain(`\`${rule.permission}\``);
  }
  expect(body['x-permissions']).toEqual(
    PERMISSIONS.map((name) => ({
      name,
      allows: PERMISSION_ROWS[name].allows,
      roles: ROLES.filter((role) => permissionsOf(role).includes(name)),
    })),
  );
  for (const scheme of Object.values<{ description: string }>(body.components.securitySchemes))
    expect(scheme.description).toContain(ROLES.join(', '));
});

test('every answer says in a sentence what its status means', async () => {
  const rig = await startRig();
  const { body } = await rig.get('/openapi.json', {});
  const answers = Object.values<Record<string, { responses: Record<string, { description: string }> }>>(
    body.paths,
  ).flatMap((methods) => Object.values(methods).flatMap(({ responses }) => Object.values(responses)));
  expect(answers.length).toBeGreaterThan(200);
  for (const { description } of answers) expect(description).toMatch(/^[A-Z].{20,}\.$/);
});

test('the miner of the document has every field of the interface', async () => {
  const rig = await startRig();
  const { body } = await rig.get('/openapi.json', {});
  const miner = body.components.schemas.Miner;
  expect(Object.keys(miner.properties)).toHaveLength(42);
  expect(miner.required).toHaveLength(42);
  const page = body.paths['/private-api/v1/{workspace_id}/farms/{farm_id}/miner/latest'].get.responses[200];
  expect(page.content['application/json'].schema.properties.data.items.$ref).toBe('#/components/schemas/Miner');
});

test('an operation declares the errors that it gives, and no others', async () => {
  const rig = await startRig();
  const { body } = await rig.get('/openapi.json', {});
  const declaring = (status: number) =>
    Object.entries<Record<string, { responses: Record<string, unknown> }>>(body.paths).flatMap(([path, methods]) =>
      Object.entries(methods).flatMap(([method, { responses }]) => (status in responses ? [`${method} ${path}`] : [])),
    );
  // The interface document, "Errors": documented for creating a task batch and the list of grants.
  expect(declaring(404).filter((route) => route.includes('private-api'))).toEqual([
    'post /private-api/v1/{workspace_id}/farms/{farm_id}/tasks/batches',
    'get /private-api/v1/me/grants',
  ]);
  for (const status of [413, 415]) {
    expect(declaring(status).filter((route) => route.startsWith('get'))).toEqual([]);
    expect(declaring(status).length).toBeGreaterThan(8);
  }
  for (const methods of Object.values<Record<string, { responses: Record<string, { headers?: unknown }> }>>(body.paths))
    for (const { responses } of Object.values(methods))
      if (responses[429] !== undefined)
        expect(responses[429].headers).toMatchObject({ 'Retry-After': { schema: { type: 'integer' } } });
  for (const status of [200, 429])
    expect(body.paths['/private-api/v1/me/grants'].get.responses[status].headers).toMatchObject({
      ...{ RateLimit: { example: expect.any(String) }, 'RateLimit-Policy': { example: expect.any(String) } },
    });
});

test('the miner says its units, its bits and what is deprecated; pages say how far they go', async () => {
  const rig = await startRig();
  const { body } = await rig.get('/openapi.json', {});
  const { Miner: miner, MinerV2: second } = body.components.schemas;
  const deprecated = (schema: { properties: Record<string, { deprecated?: boolean }> }) =>
    Object.entries(schema.properties).flatMap(([name, field]) => (field.deprecated === true ? [name] : []));
  const six = ['overheat', 'low_hashrate', 'overpower', 'underpower', 'lifecycle_status', 'health_status'];
  expect(deprecated(miner)).toEqual(six);
  expect(deprecated(second)).toEqual(six);
  expect(miner.properties.anomaly_flags.description).toBe(
    'Bits: 0 fan, 1 power, 2 temperature, 3 hashboard, 4 network, 5 firmware, 6 unknown, 7 low_hashrate, 8 control_board, 9 pool',
  );
  expect(miner.properties.power.description).toBe('W');
  expect(miner.properties.uptime.description).toContain('Seconds');
  expect(body.components.schemas.Hashboard.properties.chip_frequency.description).toBe('MHz');
  const list = body.paths['/private-api/v1/{workspace_id}/farms/{farm_id}/miner/latest'].get;
  const page = list.parameters.find(({ name }: { name: string }) => name === 'page');
  expect(page.schema).toMatchObject({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER });
});

test('what the interface document does not have is marked', async () => {
  const rig = await startRig();
  const { body } = await rig.get('/openapi.json', {});
  const farm = '/public-api/v2/workspaces/{workspace_id}/farms/{farm_id}';
  expect(body.paths[`${farm}/miners/{miner_id}`].patch['x-pithead-extension']).toBe(true);
  expect(body.paths[`${farm}/metrics/query`].post['x-pithead-extension']).toBeUndefined();
});

type Schema = {
  $ref?: string;
  type?: string;
  enum?: unknown[];
  pattern?: string;
  prefixItems?: unknown;
  description?: string;
  properties?: Record<string, Schema>;
  items?: Schema;
  anyOf?: Schema[];
  oneOf?: Schema[];
  allOf?: Schema[];
};
type Content = Record<string, { schema: Schema; example?: unknown }>;
type Described = {
  operationId: string;
  summary: string;
  description?: string;
  deprecated?: boolean;
  parameters?: { name: string; description?: string; schema: Schema }[];
  requestBody?: { content: Content };
  responses: Record<string, { content?: Content }>;
};

const operationsOf = (body: { paths: Record<string, Record<string, Described>> }) =>
  Object.entries(body.paths).flatMap(([path, methods]) =>
    Object.values(methods).map((operation) => ({ path, ...operation })),
  );

test('every field and parameter says what it is, words and filters have names, and every engine reads the patterns', async () => {
  const rig = await startRig();
  const { body } = await rig.get('/openapi.json', {});
  const wrong: string[] = [];
  const walk = (schema: Schema | undefined, at: string) => {
    if (schema === undefined || typeof schema !== 'object') return;
    if (schema.enum !== undefined && schema.enum.length > 3 && at.includes('.'))
      wrong.push(`${at}: words without a name`);
    if (schema.pattern !== undefined && /\\[pP]\{|\(\?[=!<]/.test(schema.pattern))
      wrong.push(`${at}: ${schema.pattern}`);
    if (schema.prefixItems !== undefined) wrong.push(`${at}: a tuple`);
    const { properties = {} } = schema;
    if (at.includes('.') && ('eq' in properties || 'nin' in properties)) wrong.push(`${at}: a filter without a name`);
    for (const [name, field] of Object.entries(properties)) {
      if (field.description === undefined) wrong.push(`${at}.${name}: no description`);
      walk(field, `${at}.${name}`);
    }
    for (const one of [schema.items, ...(schema.anyOf ?? []), ...(schema.oneOf ?? []), ...(schema.allOf ?? [])])
      walk(one, `${at}.`);
  };
  for (const [name, schema] of Object.entries<Schema>(body.components.schemas)) walk(schema, name);
  for (const { operationId, parameters = [], requestBody, responses } of operationsOf(body)) {
    for (const { name, description, schema } of parameters) {
      if (!description) wrong.push(`${operationId}?${name}: no description`);
      walk(schema, `${operationId}.${name}`);
    }
    for (const answer of [requestBody, ...Object.values(responses)])
      for (const { schema } of Object.values(answer?.content ?? {})) walk(schema, `${operationId}.`);
  }
  expect(wrong).toEqual([]);
  expect(body.servers).toEqual([{ url: '/' }]);
  expect(body.components.schemas.Host.properties.load_average).toMatchObject({ minItems: 3, maxItems: 3 });
});

test('every operation has an example that fits its schema; v1 is marked as legacy, and what may change as beta', async () => {
  const rig = await startRig();
  const { body } = await rig.get('/openapi.json', {});
  const document = readDocument(body);
  for (const { path, operationId, summary, description, deprecated, requestBody, responses } of operationsOf(body)) {
    expect(description, operationId).toBeTruthy();
    expect([operationId, deprecated ?? false]).toEqual([operationId, path.startsWith('/private-api/v1/')]);
    const beta = ['listWorkspacesV2', 'queryMinerMetricsV2', 'queryHistoricalMetricsV2'];
    expect([operationId, summary.includes('(beta)')]).toEqual([operationId, beta.includes(operationId)]);
    const contents = [requestBody, responses['200']].flatMap((part) => Object.values(part?.content ?? {}));
    expect(contents.length, operationId).toBeGreaterThan(0);
    for (const { schema, example } of contents) {
      expect(example, operationId).toBeDefined();
      const fits = document.validator(schema);
      expect([operationId, fits(example) || fits.errors]).toEqual([operationId, true]);
    }
  }
});
