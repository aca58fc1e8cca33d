// Creating task batches in v1: what is taken, what is made, who is skipped and why, what is answered.
import { afterAll, beforeAll, expect } from 'vitest';
import { minerRecord } from '../unit/service-http/records.ts';
import { type Answer, type Rig, startOwnedRig } from '../unit/service-http/rig.ts';
import { connect } from '../unit/service-http/wire-agent.ts';
import { rows } from './rows.ts';

let rig: Rig;
let stop: () => Promise<void>;
/** Ids of the miners of the first agent, and of one of another agent. */
let ids: string[];
let otherId: string;

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const UNKNOWN = '01900000-0000-7000-8000-000000000000';
const ERROR_FIELDS = ['error', 'message', 'statusCode'];

beforeAll(async () => {
  ({ rig, stop } = await startOwnedRig());
  const nowMs = rig.clock.nowMs();
  const agent = await connect(rig);
  await agent.report(Array.from({ length: 12 }, (_, n) => minerRecord(n, nowMs)));
  const second = await connect(rig);
  await second.report([minerRecord(200, nowMs)]);
  const { body } = await rig.get(rig.farm('/miner/latest?pageSize=100'));
  ids = body.data.map(({ id }: { id: string }) => id);
  otherId = ids.pop() ?? '';
});
afterAll(() => stop());

/** Each miner is used once: a second reboot would be no change. */
const nextId = () => ids.pop() ?? '';
const create = (body: unknown, farmId = rig.farmId): Promise<Answer> =>
  rig.post(`/private-api/v1/${rig.workspaceId}/farms/${farmId}/tasks/batches`, body);
const reboot = (minerIds: readonly string[], extra: object = {}) =>
  create({ task_name: 'miner.system.reboot', miner_ids: minerIds, ...extra });

function expectRefused({ status, body }: Answer, words: string): void {
  expect([status, Object.keys(body).toSorted()]).toEqual([400, ERROR_FIELDS]);
  expect(body.message).toContain(words);
}

rows('2. Create task batch', {
  task_name: {
    'miner.system.reboot': async () => {
      const { status, body } = await reboot([nextId()]);
      expect([status, body.data[0].task_name]).toEqual([200, 'miner.system.reboot']);
    },
    'is required and nothing else': async () => {
      expectRefused(await create(undefined), 'Body');
      expectRefused(await create({}), 'task_name');
      expectRefused(await create({ miner_ids: ['a'] }), 'task_name');
      for (const task_name of ['miner.log.get', 'miner.asset.update', 'dance', null, 1])
        expectRefused(await create({ task_name, miner_ids: ['a'] }), 'miner.system.reboot');
    },
  },
  miner_ids: {
    'takes 1 to 1000 elements; the same id counts once': async () => {
      const [one, two] = [nextId(), nextId()];
      const many = Array.from({ length: 996 }, (_, n) => `none-${n}`);
      const { body } = await reboot([one, two, one, two, ...many]);
      expect(body.meta.summary).toEqual({ created_count: 2, skipped_count: 996 });
    },
    'refuses none, 1001, others than texts': async () => {
      for (const miner_ids of [undefined, [], Array(1_001).fill('a'), [1], 'a', null])
        expectRefused(await create({ task_name: 'miner.system.reboot', miner_ids }), 'miner_ids');
    },
  },
  params: {
    'is not required': async () => {
      const { body } = await reboot([nextId()]);
      expect(body.data[0].task_params).toEqual({});
    },
    'keeps force, and keys that are not shown': async () => {
      const params = { force: true, note: { why: 'not' } };
      const { body } = await reboot([nextId()], { params });
      expect(body.data[0].task_params).toEqual(params);
    },
    'refuses what is no object, and force that is no boolean': async () => {
      expectRefused(await reboot(['a'], { params: [] }), 'params');
      expectRefused(await reboot(['a'], { params: { force: 'yes' } }), 'params.force');
    },
  },
});

rows('2. Create task batch, text', {
  '`POST /private-api/v1/{workspace_id}/farms/{farm_id}/tasks/batches`': async () => {
    const { status } = await rig.post(
      `/private-api/v1/${rig.workspaceId}/farms/${rig.farmId}/tasks/batches`,
      { task_name: 'miner.system.reboot', miner_ids: [UNKNOWN] },
      { 'x-api-key': rig.key },
    );
    expect(status).toBe(200);
  },
  '`Content-Type: application/json`': async () => {
    const { status, body } = await rig.post(
      rig.farm('/tasks/batches'),
      { task_name: 'miner.system.reboot', miner_ids: [UNKNOWN] },
      { 'x-api-key': rig.key, 'content-type': 'text/plain' },
    );
    expect([status, Object.keys(body).toSorted()]).toEqual([415, ERROR_FIELDS]);
  },
  '`{success: true, data: [Created task batch], error: null, meta}`': async () => {
    const { body } = await reboot([nextId()]);
    expect(Object.keys(body).toSorted()).toEqual(['data', 'error', 'meta', 'success']);
    expect(body).toMatchObject({ success: true, error: null });
    expect(Object.keys(body.meta).toSorted()).toEqual(['skipped', 'summary']);
  },
  '`meta.summary` = `{created_count: number, skipped_count: number}`': async () => {
    const { body } = await reboot([nextId(), UNKNOWN]);
    expect(body.meta.summary).toEqual({ created_count: 1, skipped_count: 1 });
  },
  '`meta.skipped` = array of `{reason: string, message: string, miner_ids: array of string}`': async () => {
    const { body } = await reboot([UNKNOWN, 'x']);
    expect(body).toMatchObject({ success: true, data: [], error: null });
    expect(body.meta.skipped).toEqual([
      { reason: 'not_found', message: expect.stringMatching(/./), miner_ids: [UNKNOWN, 'x'] },
    ]);
  },
  'The `reason` value `no_change` is shown; other reasons: not shown': async () => {
    const id = nextId();
    await reboot([id]);
    const { body } = await reboot([id]);
    expect(body.meta.skipped).toMatchObject([{ reason: 'no_change', miner_ids: [id] }]);
  },
  'one call can create more than one batch': async () => {
    const { body } = await reboot([nextId(), otherId]);
    expect(body.data).toHaveLength(2);
    expect(new Set(body.data.map(({ batch_id }: { batch_id: string }) => batch_id)).size).toBe(2);
  },
  'Errors: 400, 401, 403, 404': async () => {
    const good = { task_name: 'miner.system.reboot', miner_ids: [UNKNOWN] };
    const path = rig.farm('/tasks/batches');
    const nobody = await rig.service.admin.createKey({ workspaceId: rig.workspaceId, name: 'no', permissions: [] });
    expect((await rig.post(path, {})).status).toBe(400);
    expect((await rig.post(path, good, {})).status).toBe(401);
    expect((await rig.post(path, good, { 'x-api-key': nobody.key })).status).toBe(403);
    expect((await create(good, UNKNOWN)).status).toBe(404);
  },
});

rows('Created task batch', {
  '`batch_id`, `task_name`, `task_count`, `task_params`, `created_by` (Actor), `created_at`': async () => {
    const { body } = await reboot([nextId()], { params: { force: false } });
    expect(body.data).toEqual([
      {
        batch_id: expect.stringMatching(UUID),
        task_name: 'miner.system.reboot',
        task_count: 1,
        task_params: { force: false },
        created_by: {
          type: 'api_key',
          id: rig.key.split('_')[1],
          name: 'test',
          avatar: expect.stringMatching(/^data:image\/svg/),
          metadata: {},
        },
        created_at: new Date(Date.parse(body.data[0].created_at)).toISOString(),
      },
    ]);
  },
  'No `status`, `succeed_count`, `failed_count` or `metadata`': async () => {
    const { body } = await reboot([nextId()]);
    for (const field of ['status', 'succeed_count', 'failed_count', 'metadata'])
      expect(Object.keys(body.data[0])).not.toContain(field);
  },
});
