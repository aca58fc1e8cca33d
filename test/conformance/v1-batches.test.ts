// Task batches of v1: every field of a batch, the list and the search with each filter and each operator. Creating them
// is v1-create-batch.test.ts.
import { afterAll, beforeAll, expect } from 'vitest';
import { minerRecord } from '../unit/service-http/records.ts';
import { type Answer, type Rig, startOwnedRig } from '../unit/service-http/rig.ts';
import { connect } from '../unit/service-http/wire-agent.ts';
import { type Check, rows } from './rows.ts';
import { BATCHES, madeAt, START_MS, storeBatch } from './stored-batches.ts';

let rig: Rig;
let stop: () => Promise<void>;
/** The farm with stored batches; that of the rig has one that was just made. */
let pastFarmId: string;

const ACTOR = { type: 'user', id: 'a', name: 'A', avatar: 'https://pictures.example/a.png', metadata: { team: 1 } };
const ERROR_FIELDS = ['error', 'message', 'statusCode'];

const insert = (farmId: string, n: number, [name, status, type]: readonly [string, string, string]) =>
  storeBatch(rig, {
    id: `01900000-0000-7000-8000-${String(n).padStart(12, '0')}`,
    farmId,
    name,
    status,
    params: { force: true },
    actor: { ...ACTOR, type },
    counts: [3, 1, 2],
    createdMs: START_MS + n * 60_000,
  });

beforeAll(async () => {
  ({ rig, stop } = await startOwnedRig());
  const agent = await connect(rig);
  await agent.report([minerRecord(1, rig.clock.nowMs())]);
  const { body } = await rig.get(rig.farm('/miner/latest'));
  await create({ task_name: 'miner.system.reboot', miner_ids: [body.data[0].id] });
  pastFarmId = (await rig.service.admin.createFarm({ workspaceId: rig.workspaceId, name: 'Past' })).id;
  for (const [n, batch] of BATCHES.entries()) await insert(pastFarmId, n, batch);
});
afterAll(() => stop());

const create = (body: unknown) => rig.post(rig.farm('/tasks/batches'), body);

const past = (path: string) => `/private-api/v1/${rig.workspaceId}/farms/${pastFarmId}/tasks/${path}`;
const search = (body: unknown) => rig.post(past('search'), body);
const numbers = (data: { batch_id: string }[]) => data.map(({ batch_id }) => Number(batch_id.slice(-1)));

function expectRefused({ status, body }: Answer, words: string): void {
  expect([status, Object.keys(body).toSorted()]).toEqual([400, ERROR_FIELDS]);
  expect(body.message).toContain(words);
}

const lists = (cases: Readonly<Record<string, readonly number[]>>): Record<string, Check> =>
  Object.fromEntries(
    Object.entries(cases).map(([parameters, expected]) => [
      parameters,
      async () => expect(numbers((await rig.get(past(`batches?${parameters}`))).body.data)).toEqual(expected),
    ]),
  );
const listRefuses = (...cases: string[]): Record<string, Check> =>
  Object.fromEntries(
    cases.map((parameters) => [
      `refuses ${parameters}`,
      async () => expectRefused(await rig.get(past(`batches?${parameters}`)), parameters.split('=')[0] ?? ''),
    ]),
  );
/** Bodies, with what they find. */
const finds = (...cases: (readonly [object, readonly number[]])[]): Record<string, Check> =>
  Object.fromEntries(
    cases.map(([body, expected]) => [
      JSON.stringify(body),
      async () => {
        const answer = await search(body);
        expect(answer.status).toBe(200);
        expect(numbers(answer.body.data)).toEqual(expected);
        expect(answer.body.pagination).toMatchObject({ total: expected.length, limit: 10, offset: 0 });
      },
    ]),
  );
/** Bodies, with words of the message. */
const searchRefuses = (...cases: (readonly [object, string])[]): Record<string, Check> =>
  Object.fromEntries(
    cases.map(([body, words]) => [
      `refuses ${JSON.stringify(body)}`,
      async () => expectRefused(await search(body), words),
    ]),
  );

rows('3. List task batches', {
  '`GET /private-api/v1/{workspace_id}/farms/{farm_id}/tasks/batches`': async () => {
    expect(numbers((await rig.get(past('batches'))).body.data)).toEqual([5, 4, 3, 2, 1, 0]);
  },
  '`page` (number >= 1, default 1)': {
    ...lists({ 'pageSize=4': [5, 4, 3, 2], 'page=2&pageSize=4': [1, 0], 'page=9': [] }),
    ...listRefuses('page=0', 'page=x', 'page=1.5'),
  },
  '`pageSize` (number 1 to 10000, default 10)': {
    ...lists({ 'pageSize=1': [5], 'pageSize=10000': [5, 4, 3, 2, 1, 0] }),
    'is 10 when not given': async () => {
      expect((await rig.get(past('batches'))).body.pagination.limit).toBe(10);
    },
    ...listRefuses('pageSize=0', 'pageSize=10001', 'pageSize=x'),
  },
  '`task_name` (string; one or several task names separated by commas, see Task names)': {
    ...lists({
      'task_name=miner.system.reboot': [1, 0],
      'task_name=miner.system.reboot,agent.scan.create': [4, 1, 0],
      'task_name=miner.system.reboot&task_name=miner.asset.update': [5, 1, 0],
      'task_name[]=miner.asset.update': [5],
      'task_name=': [5, 4, 3, 2, 1, 0],
    }),
    ...listRefuses('task_name=dance'),
  },
  '`{success, data: [Task batch summary], pagination, error: null}`': async () => {
    const { body } = await rig.get(past('batches'));
    expect(Object.keys(body).toSorted()).toEqual(['data', 'error', 'pagination', 'success']);
    expect(body).toMatchObject({ success: true, error: null });
  },
});

const newest = async () => (await rig.get(past('batches?pageSize=1'))).body.data[0];
const field =
  (name: string, expected: unknown): Check =>
  async () => {
    expect((await newest())[name]).toEqual(expected);
    expect((await search({ limit: 1 })).body.data[0][name]).toEqual(expected);
  };

rows('Task batch summary', {
  batch_id: field('batch_id', '01900000-0000-7000-8000-000000000005'),
  task_name: field('task_name', 'miner.asset.update'),
  status: field('status', 'cancelled'),
  task_count: field('task_count', 3),
  succeed_count: field('succeed_count', 1),
  failed_count: field('failed_count', 2),
  task_params: field('task_params', { force: true }),
  created_by: field('created_by', ACTOR),
  created_at: field('created_at', madeAt(5)),
  metadata: async () => {
    await field('metadata', { a: 1 })();
    expect(Object.keys(await newest())).toHaveLength(10);
  },
});

rows('Task batch summary, Actor', {
  '`type` (string': async () => expect((await newest()).created_by.type).toBe('user'),
  '`id` (string), `name` (string), `avatar` (string, URL), `metadata` (object)': field('created_by', ACTOR),
  'Contents of `task_params`, `metadata` and `Actor.metadata`': async () => {
    const { body } = await rig.get(rig.farm('/tasks/batches?pageSize=1'));
    expect(body.data[0]).toMatchObject({ metadata: {}, created_by: { metadata: {} } });
  },
  'Actor types other than `user`': async () => {
    const types = (await rig.get(past('batches'))).body.data.map(
      ({ created_by }: { created_by: { type: string } }) => created_by.type,
    );
    expect(types).toEqual(BATCHES.map(([, , type]) => type).toReversed());
  },
});

/** In a farm of its own, so that the others keep their batches. */
const isShown =
  (name: string): Check =>
  async () => {
    const farm = await rig.service.admin.createFarm({ workspaceId: rig.workspaceId, name });
    await insert(farm.id, 1_000 + names++, [name, 'succeeded', 'user']);
    const path = `/private-api/v1/${rig.workspaceId}/farms/${farm.id}/tasks`;
    for (const answer of [
      await rig.get(`${path}/batches?task_name=${name}`),
      await rig.post(`${path}/search`, { task_name: { eq: name } }),
    ])
      expect(answer.body.data).toMatchObject([{ task_name: name }]);
  };
let names = 0;

rows('Task names', {
  '`miner.system.reboot`': isShown('miner.system.reboot'),
  '`miner.log.get`': isShown('miner.log.get'),
  '`miner.light.update`': isShown('miner.light.update'),
  '`miner.power_mode.update`': isShown('miner.power_mode.update'),
  '`miner.pool.update`': isShown('miner.pool.update'),
  '`miner.pool.lock`': isShown('miner.pool.lock'),
  '`miner.firmware.update`': isShown('miner.firmware.update'),
  '`agent.scan.create`': isShown('agent.scan.create'),
  '`agent.self.update`': isShown('agent.self.update'),
  '`miner.asset.update`': isShown('miner.asset.update'),
  '`miner.asset.delete`': isShown('miner.asset.delete'),
  '`miner.rack_location.update`': isShown('miner.rack_location.update'),
});

rows('Task batch status', {
  'Values: not shown (only `pending` appears in a sample)': {
    'a new batch is pending': async () => {
      expect((await rig.get(rig.farm('/tasks/batches?pageSize=1'))).body.data[0].status).toBe('pending');
    },
    'every status can be searched and is shown': async () => {
      for (const [n, [, status]] of BATCHES.entries()) {
        const { body } = await search({ status: { eq: status } });
        expect([numbers(body.data), body.data[0].status]).toEqual([[n], status]);
      }
    },
  },
});

rows('Events', {
  'task categories that appear in task batches': async () => {
    expect(numbers((await search({ task_name: { eq: 'miner.asset.update' } })).body.data)).toEqual([5]);
    expectRefused(await create({ task_name: 'miner.asset.update', miner_ids: ['a'] }), 'task_name');
  },
});

rows('4. Search task batches', {
  status: {
    ...finds(
      [{ status: { eq: 'failed' } }, [3]],
      [{ status: { ne: 'failed' } }, [5, 4, 2, 1, 0]],
      [{ status: { in: ['pending', 'running'] } }, [1, 0]],
      [{ status: { nin: ['pending', 'running'] } }, [5, 4, 3, 2]],
      [{ status: { in: ['pending', 'running'], ne: 'running' } }, [0]],
    ),
    ...searchRefuses(
      [{ status: {} }, 'status: received {}'],
      [{ status: 'failed' }, 'status'],
      [{ status: { eq: 'asleep' } }, 'status.eq'],
      [{ status: { in: [] } }, 'status.in'],
      [{ status: { in: 'failed' } }, 'status.in'],
      [{ status: { eq: null } }, 'status: received {}'],
    ),
  },
  task_name: {
    ...finds(
      [{ task_name: { eq: 'miner.system.reboot' } }, [1, 0]],
      [{ task_name: { in: ['miner.system.reboot', 'miner.light.update'] }, status: { eq: 'succeeded' } }, [2]],
      [{ task_name: { nin: ['miner.system.reboot'] } }, [5, 4, 3, 2]],
    ),
    ...searchRefuses([{ task_name: {} }, 'task_name'], [{ task_name: { eq: 'dance' } }, 'task_name.eq']),
  },
  actor_type: {
    ...finds([{ actor_type: { eq: 'user' } }, [5, 1]], [{ actor_type: { eq: 'agent' } }, [4]]),
    ...searchRefuses(
      [{ actor_type: {} }, 'actor_type'],
      [{ actor_type: { in: ['user'] } }, 'actor_type'],
      [{ actor_type: { eq: 'robot' } }, 'actor_type.eq'],
    ),
  },
  created_at: {
    ...finds(
      [{ created_at: { gte: madeAt(4) } }, [5, 4]],
      [{ created_at: { gt: madeAt(4) } }, [5]],
      [{ created_at: { lte: madeAt(1) } }, [1, 0]],
      [{ created_at: { lt: madeAt(1) } }, [0]],
      [{ created_at: { gte: madeAt(1), lt: madeAt(3) } }, [2, 1]],
      [{ created_at: { eq: madeAt(2) } }, [2]],
      [{ created_at: { ne: madeAt(2) } }, [5, 4, 3, 1, 0]],
      [{ created_at: { gte: '2026-01-01T00:04:00Z' } }, [5, 4]],
    ),
    ...searchRefuses(
      [{ created_at: {} }, 'created_at: received {}'],
      [{ created_at: { gte: 'yesterday' } }, 'created_at.gte: received "yesterday"'],
      [{ created_at: { gte: 1_700_000_000 } }, 'created_at.gte'],
      [{ created_at: { gte: '2026-01-01T00:00:00+02:00' } }, 'created_at.gte'],
      [{ created_at: { in: [madeAt(1)] } }, '"in"'],
    ),
  },
  page: {
    'page 2 of 4': async () => {
      const { body } = await search({ page: 2, limit: 4 });
      expect(numbers(body.data)).toEqual([1, 0]);
      expect(body.pagination).toEqual({ total: 6, limit: 4, offset: 4, hasNext: false, hasPrevious: true });
    },
    ...searchRefuses(
      [{ page: 0 }, 'page: received 0'],
      [{ page: '1' }, 'page: received "1"'],
      [{ page: 1.5 }, 'page'],
      [{ page: {} }, 'page'],
    ),
  },
  limit: {
    'takes 1 and 10000': async () => {
      expect(numbers((await search({ limit: 1 })).body.data)).toEqual([5]);
      expect((await search({ limit: 10_000 })).body.pagination.limit).toBe(10_000);
    },
    ...searchRefuses([{ limit: 0 }, 'limit'], [{ limit: 10_001 }, 'limit'], [{ limit: '5' }, 'limit']),
  },
});

rows('4. Search task batches, text', {
  '`POST /private-api/v1/{workspace_id}/farms/{farm_id}/tasks/search`, JSON body, all fields optional': {
    ...finds([{}, [5, 4, 3, 2, 1, 0]]),
    ...searchRefuses([{ pageSize: 5 }, '"pageSize"'], [{ name: { eq: 'x' } }, '"name"']),
  },
  'same as List task batches': async () => {
    expect((await search({})).body).toEqual((await rig.get(past('batches'))).body);
  },
});

rows('Filter operator objects', {
  'A filter is an object of operators; at least one operator must be provided': searchRefuses(
    [{ status: {} }, 'at least one of eq, ne, in, nin'],
    [{ task_name: {} }, 'at least one of'],
    [{ created_at: {} }, 'at least one of eq, ne, gt'],
    [{ actor_type: {} }, 'actor_type'],
    [{ status: ['failed'] }, 'status'],
  ),
  '`in` (array)': finds([{ status: { in: ['failed'] } }, [3]]),
  '`eq` (single value)': {
    ...finds([{ status: { eq: 'failed' } }, [3]]),
    ...searchRefuses([{ status: { eq: ['failed'] } }, 'status.eq']),
  },
  '`gte` (ISO 8601 UTC string)': finds([{ created_at: { gte: madeAt(5) } }, [5]]),
  'Other operators': {
    ...finds([{ status: { nin: ['failed'], ne: 'pending' } }, [5, 4, 2, 1]]),
    ...searchRefuses([{ status: { like: 'f%' } }, '"like"'], [{ created_at: { after: madeAt(1) } }, '"after"']),
  },
});
