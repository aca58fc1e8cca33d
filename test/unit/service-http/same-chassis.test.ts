// A new unit where another one stood: id, location and history of the old miner go on with the facts of the new one.
import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import type { MinerRecord } from '../../../src/wire/records.ts';
import { callsOf } from './location-farm.ts';
import { type MinerChange, minerRecord, SILENT } from './records.ts';
import { type Rig, startRig } from './rig.ts';
import { connect } from './wire-agent.ts';

const HOUR_MS = 3_600_000;
const OLD_KEY = randomUUID();
const NEW_KEY = randomUUID();
const ABLE = ['miner.system.reboot', 'miner.light.update'];

const read = (rig: Rig, n: number, change: MinerChange = {}) => minerRecord(n, rig.clock.nowMs(), change);

/** The old unit as its agent reports it while it is away. */
const away = (rig: Rig, seenAt: string | null, change: MinerChange = {}): MinerRecord =>
  read(rig, 1, {
    key: OLD_KEY,
    ...change,
    document: { last_check_succeed: false, last_updated_at: seenAt, anomaly_flags: 1, hashrate: null },
    extras: { flags: [SILENT] },
  });

/** The unit 1 stood at C03-12 and is silent since; the unit 2 is new. */
async function startScene() {
  const rig = await startRig();
  const agent = await connect(rig);
  const calls = callsOf(rig);
  await agent.report([read(rig, 1, { key: OLD_KEY })]);
  await calls.place({ miner: '10.0.0.1', rack: 'C03', position: 12 });
  const [old] = await listMiners(calls);
  const seenAt = old?.last_updated_at ?? null;
  rig.clock.step(HOUR_MS);
  await agent.report([
    away(rig, seenAt),
    read(rig, 2, { key: NEW_KEY, document: { ip: '10.0.0.1' }, abilities: ABLE }),
  ]);
  const unit = (await listMiners(calls)).find(({ mac }) => mac.endsWith(':02'));
  const keep = (id = unit?.id, replaces = old?.id) => calls.ask('POST', `/miners/${id}/same-chassis`, { replaces });
  return { rig, agent, ...calls, seenAt, oldId: old?.id ?? '', unitId: unit?.id ?? '', keep };
}

type Shown = Readonly<
  Record<'id' | 'ip' | 'mac' | 'serial_number' | 'created_at' | 'status' | 'last_updated_at', string> & {
    rack: string | null;
    position: number | null;
    anomaly_flags: number;
  }
>;
const listMiners = async ({ ask }: Pick<ReturnType<typeof callsOf>, 'ask'>): Promise<readonly Shown[]> =>
  (await ask('GET', '/miners?page_size=100')).body.data;

test('the miner that stood there goes on with the facts of the new unit', async () => {
  const scene = await startScene();
  const { rig, agent, ask, oldId, unitId, keep, seenAt } = scene;
  const before = (await listMiners(scene)).find(({ id }) => id === oldId);
  const kept = await keep();
  expect([kept.status, kept.body.data]).toEqual([
    200,
    {
      ...{ id: oldId, ip: '10.0.0.1', mac: '02:00:00:00:00:02', serial_number: 'SN-0002', model: 'Antminer S19 Pro' },
      ...{ rack: 'C03', position: 12 },
    },
  ]);
  const one = { id: oldId, mac: '02:00:00:00:00:02', rack: 'C03', position: 12, status: 'online', anomaly_flags: 0 };
  expect(await listMiners(scene)).toMatchObject([{ ...one, created_at: before?.created_at }]);
  // By its serial numbers, and no longer by those of the old unit.
  const search = (value: string) => ask('POST', '/miners/search', { search: { field: 'serial_number', value } });
  expect((await search('HB-0002')).body.data).toHaveLength(1);
  expect((await search('HB-0001')).body.data).toEqual([]);

  // Reports of the new unit go on there; those of the silent old one change nothing.
  rig.clock.step(60_000);
  await agent.report([away(rig, seenAt), read(rig, 2, { key: NEW_KEY, document: { ip: '10.0.0.7' } })]);
  await agent.report([away(rig, seenAt)]);
  expect(await listMiners(scene)).toMatchObject([{ ...one, ip: '10.0.0.7' }]);

  const { body } = await ask('GET', `/events?page_size=100&miner_id=${oldId}`);
  const types = body.data.map(({ type }: { type: string }) => type);
  expect(types).toEqual(expect.arrayContaining(['chassis_kept', 'flag_cleared', 'flag_raised']));
  expect(body.data.find(({ type }: { type: string }) => type === 'chassis_kept').detail).toMatchObject({
    actor: { type: 'api_key', name: 'test' },
    replaced: { mac: '02:00:00:00:00:01', ip: '10.0.0.1' },
    unit: { mac: '02:00:00:00:00:02' },
  });
  const trail = await rig.get(`/public-api/v2/workspaces/${rig.workspaceId}/audit?page_size=20`);
  const act = trail.body.data.find(({ action }: { action: string }) => action === 'miners.joined');
  expect(act).toMatchObject({ actor: { name: 'test' }, subject: { miner: oldId, joined: unitId } });
  // What was done to the new one is done to the miner, and the old change of locations can still be undone.
  expect((await ask('PATCH', `/miners/${unitId}`, { rack: 'C04' })).status).toBe(404);
  const [change] = (await ask('GET', '/location-changes')).body.data;
  expect((await ask('POST', `/location-changes/${change.id}/undo`)).status).toBe(200);
});

test('the old unit is another miner when it is read again', async () => {
  const scene = await startScene();
  const { rig, agent, oldId, keep } = scene;
  expect((await keep()).status).toBe(200);
  rig.clock.step(60_000);
  await agent.report([read(rig, 1, { key: OLD_KEY, document: { ip: '10.0.0.9' } }), read(rig, 2, { key: NEW_KEY })]);
  const shown = (await listMiners(scene)).map(({ id, mac, rack }) => [id === oldId, mac, rack]);
  expect(shown).toEqual([
    [true, '02:00:00:00:00:02', 'C03'],
    [false, '02:00:00:00:00:01', null],
  ]);
  await agent.report([read(rig, 1, { key: OLD_KEY, document: { ip: '10.0.0.9' } })]);
  expect(await listMiners(scene)).toHaveLength(2);
});

test('tasks and events of the new unit are those of the miner', async () => {
  const scene = await startScene();
  const { ask, oldId, unitId, keep, agent, rig } = scene;
  const created = await ask('POST', '/task-batches', { task_name: 'miner.system.reboot', miner_ids: [unitId] });
  expect(created.status).toBe(200);
  expect((await ask('POST', `/miners/${unitId}/notes`, { text: 'new board' })).status).toBe(200);
  expect((await keep()).status).toBe(200);
  expect((await ask('GET', `/miners/${oldId}/notes`)).body.data).toMatchObject([{ text: 'new board' }]);
  const [{ id }] = created.body.data;
  expect((await ask('GET', `/task-batches/${id}/tasks`)).body.data).toMatchObject([{ miner_id: oldId }]);
  const light = { task_name: 'miner.light.update', params: { on: true }, miner_ids: [oldId] };
  expect((await ask('POST', '/task-batches', light)).status).toBe(200);
  expect(await agent.frame('task', ({ name }) => name === 'miner.light.update')).toMatchObject({
    miner_key: NEW_KEY,
  });
  await agent.report([
    { kind: 'event', key: NEW_KEY, type: 'ip_reported', at: new Date(rig.clock.nowMs()).toISOString(), detail: {} },
  ]);
  const events = await ask('GET', `/events?type=ip_reported`);
  expect(events.body.data).toMatchObject([{ miner_id: oldId }]);
});

test('a unit that still answers is not replaced, and neither is one of another farm', async () => {
  const { rig, keep, oldId, unitId, ask } = await startScene();
  const turned = await keep(oldId, unitId);
  expect([turned.status, turned.body.message]).toEqual([
    409,
    expect.stringMatching(/^10\.0\.0\.1 \(02:00:00:00:00:02\) still answers: it was read \d+s ago/),
  ]);
  expect((await keep(unitId, unitId)).status).toBe(400);
  expect((await keep('0198c0de-0000-7000-8000-000000000000')).status).toBe(404);
  const farm = await rig.service.admin.createFarm({ workspaceId: rig.workspaceId, name: 'Other' });
  const elsewhere = await connect({ ...rig, farmId: farm.id });
  await elsewhere.report([read(rig, 5)]);
  const other = await callsOf({ ...rig, farmId: farm.id }).ask('GET', '/miners');
  const foreign = await keep(unitId, other.body.data[0].id);
  expect([foreign.status, foreign.body.message]).toEqual([400, expect.stringContaining('has no such miner')]);
  expect((await ask('GET', '/miners')).body.data).toHaveLength(2);
  const { key } = await rig.service.admin.createKey({
    ...{ workspaceId: rig.workspaceId, name: 'reader', permissions: ['miners.read'] },
  });
  const body = { replaces: oldId };
  expect((await callsOf(rig, key).ask('POST', `/miners/${unitId}/same-chassis`, body)).status).toBe(403);
});

test('a unit that two agents claim is not joined', async () => {
  const { rig, keep } = await startScene();
  const second = await connect(rig);
  await second.report([read(rig, 2, { document: { ip: '10.0.9.9' } })]);
  const refused = await keep();
  expect([refused.status, refused.body.message]).toEqual([409, expect.stringContaining('reported by two agents')]);
});

test('a location of the new unit stays where the old one had none', async () => {
  const scene = await startScene();
  const { ask, place, oldId, unitId, keep } = scene;
  await ask('PATCH', `/miners/${oldId}`, { rack: null });
  await place({ miner: '02:00:00:00:00:02', rack: 'C03', position: 12 });
  await ask('PATCH', `/miners/${unitId}`, { ops_status: 'maintenance' });
  expect((await keep()).status).toBe(200);
  expect(await listMiners(scene)).toMatchObject([{ id: oldId, rack: 'C03', position: 12, ops_status: 'maintenance' }]);
});

test('reports that come meanwhile make no third miner, and none is lost', async () => {
  const scene = await startScene();
  const { rig, agent, keep, oldId, seenAt } = scene;
  const third = read(rig, 3);
  await agent.report([third]);
  const reports = (async () => {
    for (let round = 0; round < 20; round++) {
      rig.clock.step(1_000);
      await agent.report([away(rig, seenAt), read(rig, 2, { key: NEW_KEY }), read(rig, 3, { key: third.key })]);
    }
  })();
  expect((await keep()).status).toBe(200);
  await reports;
  const shown = (await listMiners(scene)).map(({ id, mac, rack }) => [id === oldId, mac, rack]);
  expect(shown.toSorted()).toEqual([
    [false, '02:00:00:00:00:03', null],
    [true, '02:00:00:00:00:02', 'C03'],
  ]);
  const newest = (await listMiners(scene)).find(({ id }) => id === oldId);
  expect(newest?.status).toBe('online');
});

test('of two that join at once one is refused', async () => {
  const scene = await startScene();
  const answers = await Promise.all([scene.keep(), scene.keep()]);
  expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 404]);
  expect(await listMiners(scene)).toHaveLength(1);
});
