// Containers and racks: made, shown with their slots, and no miner beyond the shape of its rack.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { decodeBoard } from '../../../src/wire/api/board/codec.ts';
import { boardSchema } from '../../../src/wire/api/board/messages.ts';
import { rackDetailSchema, racksSchema } from '../../../src/wire/api/farm/locations.ts';
import { callsOf, type LocationFarm, SHAPE, startLocationFarm } from './location-farm.ts';

let farm: LocationFarm;
beforeAll(async () => {
  farm = await startLocationFarm(4);
});
afterAll(() => farm.stop());

test('a rack stands in a container that is known, and its slots are shown with who stands in them', async () => {
  const { ask, place } = farm;
  const unknown = await ask('PUT', '/racks/C03', { container: '1', shape: SHAPE });
  expect([unknown.status, unknown.body.message]).toEqual([400, expect.stringContaining('no container 1')]);
  expect((await ask('PUT', '/containers/1')).body.data).toEqual({ name: '1', rack_count: 0, miner_count: 0 });
  expect((await ask('PUT', '/containers/1')).status).toBe(200);
  const made = await ask('PUT', '/racks/C03', { container: '1', shape: SHAPE });
  expect(made.body.data).toEqual({ name: 'C03', container: '1', shape: SHAPE, miner_count: 0 });

  expect(
    (await place({ miner: '10.0.0.1', rack: 'C03', position: 4 }, { miner: '10.0.0.2', rack: 'C03' })).status,
  ).toBe(200);
  const { body } = await ask('GET', '/racks/C03');
  const rack = rackDetailSchema.parse(body.data);
  expect(rack.slots.map(({ label, row, column, miner }) => [label, row, column, miner?.ip ?? null])).toEqual([
    ['C03-1', 2, 1, null],
    ['C03-2', 2, 2, null],
    ['C03-3', 2, 3, null],
    ['C03-4', 1, 3, '10.0.0.1'],
    ['C03-5', 1, 2, null],
    ['C03-6', 1, 1, null],
  ]);
  expect(rack.unplaced.map(({ ip }) => ip)).toEqual(['10.0.0.2']);
  expect((await ask('GET', '/containers')).body.data).toEqual([{ name: '1', rack_count: 1, miner_count: 2 }]);
});

test('a position beyond the shape is refused, and a shape that has no room for who stands there', async () => {
  const { ask, place } = farm;
  await ask('PUT', '/racks/C04', { shape: SHAPE });
  const beyond = await place({ miner: '10.0.0.3', rack: 'C04', position: 7 });
  const words = 'miners[0]: C04-7 does not exist: the rack C04 has 6 slots';
  expect([beyond.status, beyond.body.message]).toEqual([400, expect.stringContaining(words)]);
  const { body } = await ask('GET', '/locations');
  const { id } = body.data.find(({ ip }: { ip: string }) => ip === '10.0.0.3');
  const patched = await ask('PATCH', `/miners/${id}`, { rack: 'C04', position: 7 });
  expect([patched.status, patched.body.message]).toEqual([400, expect.stringContaining('C04-7 does not exist')]);

  await place({ miner: '10.0.0.3', rack: 'C04', position: 6 });
  const smaller = await ask('PUT', '/racks/C04', { shape: { ...SHAPE, columns: 2 } });
  expect([smaller.status, smaller.body.message]).toEqual([409, expect.stringContaining('10.0.0.3 at C04-6')]);
  expect((await ask('GET', '/racks/C04')).body.data.shape).toEqual(SHAPE);
});

test('a rack that only miners name has neither shape nor container; fields that are not given stay', async () => {
  const { ask, place } = farm;
  await place({ miner: '10.0.0.4', rack: 'shed', position: 900 });
  const { body } = await ask('GET', '/racks/shed');
  expect(body.data).toMatchObject({ container: null, shape: null, miner_count: 1 });
  expect(body.data.slots).toMatchObject([{ label: 'shed-900', row: null, column: null, miner: { ip: '10.0.0.4' } }]);
  const listed = racksSchema.parse((await ask('GET', '/racks')).body).data;
  expect(listed.map(({ name }) => name)).toContain('shed');

  await ask('PUT', '/containers/2');
  await ask('PUT', '/racks/C05', { shape: SHAPE });
  expect((await ask('PUT', '/racks/C05', { container: '2' })).body.data).toMatchObject({ shape: SHAPE });
  expect((await ask('PUT', '/racks/C05', { shape: null })).body.data).toMatchObject({ container: '2', shape: null });
  const held = await ask('DELETE', '/containers/2');
  expect([held.status, held.body.message]).toEqual([409, 'Racks stand in the container 2: C05']);
  expect((await ask('DELETE', '/racks/C05')).body.data).toEqual({ name: 'C05' });
  expect([(await ask('DELETE', '/racks/C05')).status, (await ask('GET', '/racks/C05')).status]).toEqual([404, 404]);
  expect((await ask('DELETE', '/containers/2')).status).toBe(200);
  expect((await ask('DELETE', '/containers/2')).status).toBe(404);
});

test('the board says in which container a miner stands, at once', async () => {
  const { ask } = farm;
  const containers = async () => {
    const { body } = await ask('POST', '/board/search', { select: 'container:1' });
    return decodeBoard(boardSchema.parse(body.data)).miners.map(({ ip, container }) => [ip, container]);
  };
  const inside = [
    ['10.0.0.1', '1'],
    ['10.0.0.2', '1'],
  ];
  expect(await containers()).toEqual(inside);
  await ask('PUT', '/racks/C03', { container: null });
  expect(await containers()).toEqual([]);
  await ask('PUT', '/racks/C03', { container: '1' });
  expect(await containers()).toEqual(inside);
});

test('racks are listed as people count', async () => {
  const { ask } = farm;
  for (const name of ['N10', 'N2']) await ask('PUT', `/racks/${name}`, { shape: SHAPE });
  const { body } = await ask('GET', '/racks');
  const names = body.data.map(({ name }: { name: string }) => name).filter((name: string) => name.startsWith('N'));
  expect(names).toEqual(['N2', 'N10']);
});

test.each([
  [{}],
  [{ shape: { ...SHAPE, rows: 0 } }],
  [{ shape: { ...SHAPE, first: 'middle' } }],
  [{ shape: { rows: 2, columns: 3 } }],
  [{ container: '' }],
  [{ rows: 3 }],
])('%j is no rack', async (body) => {
  expect((await farm.ask('PUT', '/racks/X', body)).status).toBe(400);
  expect((await farm.ask('GET', '/racks/X')).status).toBe(404);
});

test('reading takes miners.read, changing miners.update, and the trail names who changed what', async () => {
  const { rig } = farm;
  const reader = await rig.service.admin.createKey({
    ...{ workspaceId: rig.workspaceId, name: 'reader', permissions: ['miners.read'] },
  });
  const read = callsOf(rig, reader.key);
  expect((await read.ask('GET', '/racks')).status).toBe(200);
  for (const [method, path, body] of [
    ['PUT', '/racks/C03', { shape: null }],
    ['DELETE', '/racks/C03', undefined],
    ['PUT', '/containers/9', undefined],
    ['DELETE', '/containers/1', undefined],
    ['POST', '/location-changes', { miners: [{ miner: '10.0.0.1', rack: null }] }],
  ] as const)
    expect((await read.ask(method, path, body)).status, `${method} ${path}`).toBe(403);
  const trail = await rig.get(`/public-api/v2/workspaces/${rig.workspaceId}/audit?page_size=100`);
  const acts = trail.body.data.map(({ action, actor, subject }: Record<string, Record<string, string>>) => [
    ...[action, actor?.name, subject?.name],
  ]);
  expect(acts).toContainEqual(['rack.changed', 'test', 'C03']);
  expect(acts).toContainEqual(['rack.removed', 'test', 'C05']);
  expect(acts).toContainEqual(['container.added', 'test', '1']);
  expect(acts).toContainEqual(['container.removed', 'test', '2']);
});
