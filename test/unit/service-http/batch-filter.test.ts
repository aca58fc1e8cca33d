// Task batches for the miners that a filter means, and what is only tried: the same answers as for ids, the number that
// was expected, and nothing created where it is another one.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createdAnswerSchema } from '../../../src/wire/api/tasks.ts';
import { query } from './database.ts';
import { minerRecord } from './records.ts';
import { startOwnedRig } from './rig.ts';
import { fill, order, type Place } from './v2-batches.ts';

let place: Place;
let stop: () => Promise<void>;
beforeAll(async () => {
  const owned = await startOwnedRig();
  stop = owned.stop;
  place = await fill(owned.rig, 5, ['miner.light.update', 'miner.system.reboot']);
  const [first = '', , third = ''] = place.keys;
  const nowMs = owned.rig.clock.nowMs();
  const abilities = ['miner.light.update', 'miner.system.reboot'];
  await place.agent.report([
    minerRecord(1, nowMs, { key: first, abilities, document: { anomaly_flags: 1 } }),
    minerRecord(3, nowMs, { key: third, document: { anomaly_flags: 1 }, abilities: ['miner.system.reboot'] }),
  ]);
});
afterAll(() => stop());

const LIGHT = { task_name: 'miner.light.update', params: { on: true } };
const FANS = { filter: { select: 'flag:fan' } };
const batches = async () => Number((await query(place.rig, 'SELECT count(*) AS count FROM task_batches'))[0]?.count);
const search = async (body: object) => {
  const path = `/public-api/v2/workspaces/${place.rig.workspaceId}/farms/${place.rig.farmId}/miners/search`;
  const { body: answer } = await place.rig.post(path, body);
  return answer.data.map(({ ip }: { ip: string }) => ip);
};

it('finds by a selector in the list and in the search, together with other filters', async () => {
  expect(await search({ select: 'flag:fan' })).toEqual(['10.0.0.1', '10.0.0.3']);
  expect(await search({ select: 'flag:fan', search: { field: 'ip', value: '.3' } })).toEqual(['10.0.0.3']);
  expect(await search({ select: '10.9.9.9' })).toEqual([]);
  const list = `/public-api/v2/workspaces/${place.rig.workspaceId}/farms/${place.rig.farmId}/miners`;
  const { body } = await place.rig.get(`${list}?select=not%20flag:fan&page_size=2`);
  expect([body.data.map(({ ip }: { ip: string }) => ip), body.pagination.total]).toEqual([['10.0.0.2', '10.0.0.4'], 3]);
  const wrong = await place.rig.get(`${list}?select=flag:fam`);
  expect([wrong.status, wrong.body.message]).toEqual([400, expect.stringContaining('select: flag:fam')]);
});

it('says who would get the task and who not, and creates nothing', async () => {
  const before = await batches();
  const { status, body } = await order(place.rig, { ...LIGHT, ...FANS, dry_run: true });
  expect(status).toBe(200);
  const { data, meta } = createdAnswerSchema.parse(body);
  const [first, , third] = place.ids;
  expect([data, meta.targets]).toEqual([
    [],
    [
      { miner_id: first, ip: '10.0.0.1', reason: null },
      { miner_id: third, ip: '10.0.0.3', reason: 'unsupported' },
    ],
  ]);
  expect(meta.skipped).toMatchObject([{ reason: 'unsupported', miner_ids: [third] }]);
  // The same by their ids.
  const byIds = await order(place.rig, { ...LIGHT, miner_ids: [first, third], dry_run: true });
  expect(byIds.body).toEqual(body);
  expect(await batches()).toBe(before);
});

it('creates nothing where another number is meant than was expected', async () => {
  const before = await batches();
  const { status, body } = await order(place.rig, { ...LIGHT, ...FANS, expect_count: 3 });
  expect([status, body.message]).toEqual([409, expect.stringContaining('received 3, and 2 are meant now')]);
  expect(await batches()).toBe(before);
});

it('creates the same by a filter as by ids, once for an idempotency key whatever the filter means then', async () => {
  const body = { ...LIGHT, ...FANS, expect_count: 2 };
  const once = await order(place.rig, body, { 'idempotency-key': 'fans' });
  const { data, meta } = createdAnswerSchema.parse(once.body);
  expect([data.length, data[0]?.task_count, meta.summary]).toEqual([1, 1, { created_count: 1, skipped_count: 1 }]);
  await place.agent.report([minerRecord(1, place.rig.clock.nowMs(), { key: place.keys[0] ?? '' })]);
  place.rig.clock.step(2_000);
  expect(await search({ select: 'flag:fan' })).toEqual(['10.0.0.3']);
  const again = await order(place.rig, body, { 'idempotency-key': 'fans' });
  expect([again.status, again.body]).toEqual([200, once.body]);
});

it('takes either ids or a filter with a condition, and needs leave to read miners', async () => {
  for (const wrong of [{}, { ...FANS, miner_ids: place.ids }, { filter: {} }, { filter: { page: 1 } }]) {
    const { status } = await order(place.rig, { ...LIGHT, ...wrong });
    expect([wrong, status]).toEqual([wrong, 400]);
  }
  const { key } = await place.rig.service.admin.createKey({
    ...{ workspaceId: place.rig.workspaceId, name: 'light', permissions: ['tasks.light'] },
  });
  const refused = await order(place.rig, { ...LIGHT, ...FANS, dry_run: true }, { 'x-api-key': key });
  expect([refused.status, refused.body.message]).toEqual([403, expect.stringContaining('miners.read')]);
  const allowed = await order(place.rig, { ...LIGHT, miner_ids: place.ids.slice(1, 2) }, { 'x-api-key': key });
  expect(allowed.status).toBe(200);
});
