// A technician moves fifty miners of several makes to another pool in one request: each gets the worker of its own rack
// and position, then another account in front of it. Read back from the devices themselves.
import { request } from 'undici';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { batchDetailSchema, createdAnswerSchema, taskV2Schema } from '../../src/wire/api/tasks.ts';
import { type Site, startSite } from './site.ts';

const MINERS = 50;
const URL = 'stratum+tcp://new.example:3333';

let site: Site;
let key: string;
/** By address. */
const ids = new Map<string, string>();

beforeAll(async () => {
  site = await startSite(
    { miners: MINERS, mix: 'antminer-stock,vnish,luxos,avalon', seed: 12, noise: 0, bootS: 1, warmUpS: 1 },
    // The devices live in this process too: what asks them less lets them answer on a busy host.
    {
      poll: { interval: '5s', slowEvery: 1, staticEvery: '10s', deadline: '10s' },
      tasks: { pools: { concurrency: 10 } },
    },
  );
  ({ key } = await site.stack.service.admin.createKey({
    ...{ workspaceId: site.stack.workspaceId, name: 'integrator', role: 'admin' },
  }));
  await site.until(
    () => site.miners(),
    (miners) => miners.filter(({ pools }) => pools.length > 0).length === MINERS,
  );
  for (const { ip, id } of await site.miners()) ids.set(ip, id);
});
afterAll(() => site.stop());

async function call(method: 'GET' | 'POST' | 'PATCH' | 'PUT', path: string, body?: unknown) {
  const { url, workspaceId, farmId } = site.stack;
  const answer = await request(`${url}/public-api/v2/workspaces/${workspaceId}/farms/${farmId}${path}`, {
    method,
    headers: { 'x-api-key': key, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return { status: answer.statusCode, body: await answer.body.json() };
}

const order = (params: object) =>
  call('POST', '/task-batches', { task_name: 'miner.pool.update', miner_ids: [...ids.values()], params });

async function run(params: object) {
  const { data, meta } = createdAnswerSchema.parse((await order(params)).body);
  const batch = await site.until(
    async () => batchDetailSchema.parse(Object(Object(await call('GET', `/task-batches/${data[0]?.id}`)).body).data),
    ({ status }) => status !== 'pending' && status !== 'running',
  );
  const tasks = Object(Object(await call('GET', `/task-batches/${batch.id}/tasks?page_size=100`)).body).data;
  const failed = z
    .array(taskV2Schema)
    .parse(tasks)
    .filter(({ status }) => status !== 'succeeded');
  expect(failed.map(({ miner_id, message }) => ({ miner_id, message }))).toEqual([]);
  return { meta, batch };
}

const devices = () => site.farm.devices.toSorted((a, b) => numberOf(a.ip) - numberOf(b.ip));
const numberOf = (ip: string) => ip.split('.').reduce((sum, part) => sum * 256 + Number(part), 0);
const workers = () => devices().map((device) => device.truth().pools.map(({ url, worker_id }) => ({ url, worker_id })));

test('fifty miners get the workers of their places, then another account in front of them', async () => {
  const before = workers();
  const template = { pools: [{ url: URL, user: 'account.{rack}-{position}' }] };
  const refused = await order(template);
  expect([refused.status, Object(refused.body).message]).toEqual([
    400,
    expect.stringContaining(`${MINERS} of ${MINERS} miners lack what the pools need: ${devices()[0]?.ip} (no rack,`),
  ]);
  for (const [at, { ip }] of devices().entries())
    await call('PATCH', `/miners/${ids.get(ip)}`, { rack: `C${at % 5}`, position: Math.floor(at / 5) + 1 });
  expect(workers(), 'nothing was sent').toEqual(before);

  const first = await run(template);
  expect(first.batch).toMatchObject({ status: 'succeeded', succeed_count: MINERS });
  const place = (at: number) => `C${at % 5}-${Math.floor(at / 5) + 1}`;
  expect(workers().map(([pool]) => pool)).toEqual(
    devices().map((_, at) => ({ url: URL, worker_id: `account.${place(at)}` })),
  );
  expect(first.meta.pools_preview?.[0]).toEqual({ ip: devices()[0]?.ip, user: 'account.C0-1' });

  // A saved set: another account, the address as it is.
  const set = { pools: [{ url: { keep: true }, user: 'other.{worker}' }] };
  expect((await call('PUT', '/pool-sets/other', set)).status).toBe(200);
  const second = await run({ pool_set: 'other' });
  expect(second.batch).toMatchObject({ status: 'succeeded', succeed_count: MINERS });
  expect(workers().map(([pool]) => pool)).toEqual(
    devices().map((_, at) => ({ url: URL, worker_id: `other.${place(at)}` })),
  );
});
