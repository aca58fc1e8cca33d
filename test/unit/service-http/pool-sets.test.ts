// Pools over the interface: workers from what the service knows of each miner, kept parts, and saved sets with who may
// read, save and use them.
import { expect, test } from 'vitest';
import { MOST_POOL_SETS, openStore } from '../../../src/service/store/store.ts';
import { query } from './database.ts';
import { type Answer, call, type Rig, startRig } from './rig.ts';
import { create, order, type Place, withMiners } from './v2-batches.ts';

const URL = 'stratum+tcp://pool.example:3333';
const KEEP = { keep: true };
const SECRET = 'canary-of-a-set';
const SET = {
  pools: [
    { url: URL, user: 'account.{ip4}', password: SECRET },
    { url: KEEP, user: KEEP, password: KEEP },
  ],
};

const update = (ids: readonly string[], params: object) => ({ task_name: 'miner.pool.update', miner_ids: ids, params });
const worker = (user: unknown) => ({ pools: [{ url: URL, user }] });

function sets(rig: Rig, key = rig.key) {
  return (method: string, name = '', body?: object): Promise<Answer> =>
    call(`${rig.url}/public-api/v2/workspaces/${rig.workspaceId}/farms/${rig.farmId}/pool-sets${name}`, {
      method,
      headers: { 'x-api-key': key, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
}
const keyWith = async (rig: Rig, ...permissions: string[]) =>
  (await rig.service.admin.createKey({ workspaceId: rig.workspaceId, name: permissions.join(), permissions })).key;

const place = ({ rig, ids }: Place, n: number, rack: string | null, position: number | null) =>
  query(rig, 'UPDATE miners SET rack = ?, position = ? WHERE id = ?', rack, position, ids[n] ?? '');

test('each miner gets its own location, and the workers of three of them are shown', async () => {
  const farm = await withMiners(3);
  const { rig, agent, ids } = farm;
  for (const [n] of ids.entries()) await place(farm, n, 'C.03', n + 1);
  const params = worker('account.{rack}-{position}-{ip4}');
  const { data, meta } = await create(rig, update(ids, params));
  expect(meta.pools_preview).toEqual([1, 2, 3].map((n) => ({ ip: `10.0.0.${n}`, user: `account.C-03-${n}-${n}` })));
  expect(data[0]?.task_params).toEqual(params);
  const sent = await Promise.all(farm.keys.map((key) => agent.frame('task', ({ miner_key }) => miner_key === key)));
  expect(sent.map((task) => task.params)).toEqual(
    [1, 2, 3].map((position) => ({ ...params, location: { rack: 'C.03', position } })),
  );
});

test('a miner that lacks what its worker is made of: nothing is created, and the message names it by address', async () => {
  const farm = await withMiners(3);
  const { rig, ids } = farm;
  await place(farm, 0, 'C03', 1);
  await place(farm, 1, 'C03', null);
  const { status, body } = await order(rig, update(ids, worker('account.{rack}-{position}')));
  expect([status, body.message]).toEqual([
    400,
    'Invalid request parameters: body.params.pools: 2 of 3 miners lack what the pools need: 10.0.0.2 (no position), 10.0.0.3 (no rack, no position)',
  ]);
  expect((await order(rig, update(ids, worker('account.{rack}')))).body.message).toContain('10.0.0.3 (no rack)');
  expect(await query(rig, 'SELECT id FROM task_batches')).toEqual([]);
  const { meta } = await create(rig, update([ids[0] ?? ''], worker('account.{rack}-{position}')));
  expect(meta.pools_preview).toEqual([{ ip: '10.0.0.1', user: 'account.C03-1' }]);
});

test('miners that get no task are not asked for', async () => {
  const farm = await withMiners(2);
  const { rig, ids } = farm;
  await place(farm, 0, 'C03', 1);
  await query(rig, "UPDATE miners SET ops_status = 'retired' WHERE id = ?", ids[1] ?? '');
  const { meta } = await create(rig, update(ids, worker('account.{rack}')));
  expect([meta.summary, meta.pools_preview]).toEqual([
    { created_count: 1, skipped_count: 1 },
    [{ ip: '10.0.0.1', user: 'account.C03' }],
  ]);
});

test('every other fact is that of the stored state; what the agent fills in travels as it was written', async () => {
  const { rig, agent, ids } = await withMiners(1);
  const params = worker('{{a}}.{mac}-{serial}-{model}-{ip}');
  const { meta } = await create(rig, update(ids, params));
  expect(meta.pools_preview).toEqual([{ ip: '10.0.0.1', user: '{a}.020000000001-SN-0001-Antminer-S19-Pro-10x0x0x1' }]);
  expect((await agent.frame('task')).params).toEqual(params);
});

test('kept parts are shown as the miner has them; one without such a pool is refused', async () => {
  const { rig, ids } = await withMiners(1);
  const second = {
    pools: [
      { url: URL, user: 'a' },
      { url: KEEP, user: KEEP },
    ],
  };
  expect((await order(rig, update(ids, second))).body.message).toContain('10.0.0.1 (no pool 2)');
  const { meta } = await create(rig, update(ids, { pools: [{ url: URL, user: KEEP, password: KEEP }] }));
  expect(meta.pools_preview).toEqual([{ ip: '10.0.0.1', user: 'farm.1' }]);
});

test('a set is saved, shown without its passwords, replaced and removed', async () => {
  const rig = await startRig();
  const ask = sets(rig);
  const saved = await ask('PUT', '/main', SET);
  const by = expect.objectContaining({ type: 'api_key', name: 'test' });
  const item = {
    name: 'main',
    pools: [
      { url: URL, user: 'account.{ip4}', password: 'given' },
      { url: KEEP, user: KEEP, password: 'kept' },
    ],
    ...{ created_by: by, created_at: expect.any(String), updated_by: by, updated_at: expect.any(String) },
  };
  expect([saved.status, saved.body.data]).toEqual([200, item]);
  expect((await ask('GET', '/main')).body.data).toEqual(saved.body.data);
  rig.clock.step(60_000);
  const login = { pools: [{ url: 'stratum+tcp://me@pool.example:1', user: 'a' }] };
  const replaced = (await ask('PUT', '/main', login)).body.data;
  expect(replaced.pools).toEqual([{ url: 'stratum+tcp://***@pool.example:1', user: 'a', password: 'usual' }]);
  expect(replaced.created_at).toBe(saved.body.data.created_at);
  expect(Date.parse(replaced.updated_at)).toBeGreaterThan(Date.parse(replaced.created_at));
  await ask('PUT', '/B-side', SET);
  const { data, pagination } = (await ask('GET', '?page_size=1')).body;
  expect([data.map(({ name }: { name: string }) => name), pagination.total]).toEqual([['B-side'], 2]);
  expect((await ask('DELETE', '/main')).body.data).toEqual({ name: 'main' });
  expect([(await ask('DELETE', '/main')).status, (await ask('GET', '/main')).status]).toEqual([404, 404]);
});

test.each([
  ['a b', SET, 'name: received'],
  ['.main', SET, 'name: received'],
  ['x'.repeat(65), SET, 'name: received'],
  ['main', {}, 'pools'],
  ['main', { pools: [] }, 'pools'],
  ['main', { pools: [{ url: URL, user: 'a.{}' }] }, 'pools[0].user'],
])('no set %s is made of %j', async (name, body, words) => {
  const answer = await sets(await startRig())('PUT', `/${encodeURIComponent(name)}`, body);
  expect([answer.status, answer.body.message]).toEqual([400, expect.stringContaining(words)]);
});

test('a farm has a bounded number of sets', async () => {
  const rig = await startRig();
  const ask = sets(rig);
  const store = await openStore(rig.databasePath, undefined, undefined, undefined, { isBeside: true });
  const actor = { type: 'system', id: 's', name: 's', avatar: '', metadata: {} } as const;
  for (let n = 0; n < MOST_POOL_SETS; n++)
    await store.poolSets.save({ farmId: rig.farmId, name: `s${n}`, pools: [{ url: URL, user: 'a' }], actor, nowMs: 1 });
  await store.close();
  const refused = await ask('PUT', '/more', SET);
  expect([refused.status, refused.body.message]).toEqual([409, expect.stringContaining('remove one first')]);
  expect((await ask('PUT', '/s7', SET)).status).toBe(200);
});

test('an operator gives miners a saved set and no other pools; only those who may set all pools save sets', async () => {
  const farm = await withMiners(1);
  const { rig, agent, ids } = farm;
  const operator = await keyWith(rig, 'tasks.pools_saved', 'tasks.read');
  const all = await keyWith(rig, 'tasks.pools');
  const reboots = await keyWith(rig, 'tasks.reboot');
  const lacks = (permission: string) => `Access denied: the key lacks the permission ${permission}`;
  const first = { pools: [{ url: URL, user: 'account.{ip4}', password: SECRET }] };
  expect((await sets(rig, operator)('PUT', '/main', first)).body.message).toBe(lacks('tasks.pools'));
  expect((await sets(rig, all)('PUT', '/main', first)).status).toBe(200);
  expect((await sets(rig, operator)('GET', '/main')).status).toBe(200);
  expect((await sets(rig, reboots)('GET', '/main')).body.message).toBe(lacks('tasks.pools_saved'));

  const saved = update(ids, { pool_set: 'main' });
  expect((await order(rig, saved, { 'x-api-key': reboots })).body.message).toBe(lacks('tasks.pools_saved'));
  expect((await order(rig, update(ids, first), { 'x-api-key': operator })).body.message).toBe(lacks('tasks.pools'));
  const made = await order(rig, saved, { 'x-api-key': operator, 'idempotency-key': 'once' });
  expect(made.body.data[0].task_params).toEqual({
    pool_set: 'main',
    pools: [{ ...first.pools[0], password: '***' }],
  });
  expect(made.body.meta.pools_preview).toEqual([{ ip: '10.0.0.1', user: 'account.1' }]);
  expect((await agent.frame('task')).params).toEqual({ pool_set: 'main', ...first });

  await sets(rig)('PUT', '/main', { pools: [{ url: URL, user: 'other' }] });
  const again = await order(rig, saved, { 'x-api-key': operator, 'idempotency-key': 'once' });
  expect(again.body, 'the same request, whatever the set is by now').toEqual(made.body);
  expect((await order(rig, update(ids, { pool_set: 'none' }))).body.message).toContain('accepted: main');
});

test('no password of a set is in the database, in an answer or in the trail', async () => {
  const { rig, ids } = await withMiners(1);
  const ask = sets(rig);
  const single = { pools: [{ url: URL, user: 'a', password: SECRET }] };
  const answers = [await ask('PUT', '/main', single), await ask('GET', '/main'), await ask('GET')];
  answers.push(await order(rig, update(ids, { pool_set: 'main' })), await ask('DELETE', '/main'));
  expect(answers.map(({ status }) => status)).toEqual(Array(5).fill(200));
  expect(JSON.stringify(answers.map(({ body }) => body))).not.toContain(SECRET);
  const entries = await query(
    rig,
    "SELECT action, detail FROM audit_entries WHERE action LIKE 'pool_set.%' ORDER BY seq",
  );
  expect(entries.map(({ action }) => action)).toEqual(['pool_set.saved', 'pool_set.removed']);
  expect(JSON.stringify(entries)).toContain('pool.example');
  expect(JSON.stringify(entries)).not.toContain(SECRET);
});
