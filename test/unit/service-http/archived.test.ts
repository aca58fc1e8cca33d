// An archived farm shows what it has and takes nothing: no tasks, no changes, no agents, no reports. Restored, it goes
// on as before.
import { randomUUID } from 'node:crypto';
import { zstdCompressSync } from 'node:zlib';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { RULES, V1_FARM, V2_FARM } from '../../../src/service/auth/rules.data.ts';
import { encodeSlice } from '../../../src/wire/frames.ts';
import { query } from './database.ts';
import { minerRecord } from './records.ts';
import { call, type Rig, startRig } from './rig.ts';
import { connect, enrol, enrolBy, helloOf, type Identity, open, slice, type WireAgent } from './wire-agent.ts';

const ARCHIVED = {
  statusCode: 409,
  message: 'The farm is archived: it takes no tasks, changes or reports',
  error: 'Conflict',
};
/** What gives the farm something to do or changes it. */
const CHANGES = [
  `POST ${V1_FARM}/tasks/batches`,
  `POST ${V2_FARM}/task-batches`,
  `PATCH ${V2_FARM}/miners/:miner_id`,
  `POST ${V2_FARM}/miner-positions`,
  `PUT ${V2_FARM}/pool-sets/:name`,
  `DELETE ${V2_FARM}/pool-sets/:name`,
  `POST ${V2_FARM}/location-changes`,
  `POST ${V2_FARM}/location-changes/:location_change_id/undo`,
  `POST ${V2_FARM}/miners/:miner_id/notes`,
  `POST ${V2_FARM}/miners/:miner_id/same-chassis`,
  `PUT ${V2_FARM}/racks/:rack`,
  `DELETE ${V2_FARM}/racks/:rack`,
  `PUT ${V2_FARM}/containers/:container`,
  `DELETE ${V2_FARM}/containers/:container`,
  `POST ${V2_FARM}/task-batches/:task_batch_id/confirm`,
  `POST ${V2_FARM}/work/take`,
  `POST ${V2_FARM}/work/release`,
];
const OF_FARM = Object.keys(RULES).filter((route) => route.includes(':farm_id'));

let rig: Rig;
let agent: WireAgent;
let minerId: string;
const miner = { n: 1, key: randomUUID() };
const record = (hashrate: number) =>
  minerRecord(miner.n, rig.clock.nowMs(), { key: miner.key, document: { hashrate } });
const shown = async () => (await rig.get(rig.farm('/miner/latest'))).body.data[0];

beforeEach(async () => {
  rig = await startRig();
  agent = await connect(rig, { identity: await enrol(rig), outbox: randomUUID() });
  await agent.report([record(1e12)]);
  minerId = (await shown()).id;
});

function ask(route: string, body: unknown = {}, type = 'application/json') {
  const [method = '', path = ''] = route.split(' ');
  const place = { workspace_id: rig.workspaceId, farm_id: rig.farmId, miner_id: minerId };
  const url = path.replaceAll(/:(\w+)/g, (_, name: string) => Reflect.get(place, name) ?? randomUUID());
  return call(rig.url + url, {
    method,
    // A stream would not end: it is refused for this.
    headers: { 'x-api-key': rig.key, 'last-event-id': 'none', ...(method === 'GET' ? {} : { 'content-type': type }) },
    ...(method === 'GET' ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
}

/** Says hello as the agent does; the service ends the connection. */
async function greetAgain(identity: Identity) {
  const again = await open(rig, identity);
  onTestFinished(() => again.close());
  again.send(helloOf(again));
  return again;
}

test('of the routes of a farm exactly these change it', async () => {
  const { admin } = rig.service;
  await admin.archiveFarm(rig.farmId);
  const refused: string[] = [];
  for (const route of OF_FARM) {
    const { status, body } = await ask(route);
    if (status !== 409) continue;
    expect(body).toEqual(ARCHIVED);
    refused.push(route);
  }
  expect(refused.toSorted()).toEqual(CHANGES.toSorted());
  await admin.restoreFarm(rig.farmId);
  for (const route of OF_FARM) expect([route, (await ask(route)).status]).not.toContain(409);
});

describe('requests that would be carried out', () => {
  const reboot = () => ({ task_name: 'miner.system.reboot', miner_ids: [minerId] });
  const requests = [
    ['a reboot by v1', CHANGES[0], reboot],
    ['a reboot by v2', CHANGES[1], reboot],
    ['a rack', CHANGES[2], () => ({ rack: 'R1', position: 1 })],
    ['positions', CHANGES[3], () => `id,rack,position\n${minerId},R1,1\n`],
  ] as const;

  test.each(requests)('%s is refused until the farm is restored', async (_, route = '', body) => {
    const { admin } = rig.service;
    const send = () => ask(route, body(), typeof body() === 'string' ? 'text/csv' : 'application/json');
    await admin.archiveFarm(rig.farmId);
    expect((await send()).body).toEqual(ARCHIVED);
    expect(await query(rig, 'SELECT id FROM task_batches')).toEqual([]);
    expect(await shown()).toMatchObject({ rack: null, position: null });
    await admin.restoreFarm(rig.farmId);
    expect((await send()).status).toBe(200);
  });

  test('a key that may not is told so, not that the farm is archived', async () => {
    const { admin } = rig.service;
    await admin.archiveFarm(rig.farmId);
    const { key } = await admin.createKey({ workspaceId: rig.workspaceId, name: 'viewer', role: 'viewer' });
    expect((await rig.post(rig.farm('/tasks/batches'), reboot(), { 'x-api-key': key })).status).toBe(403);
  });
});

test('the service of a host starts although the farm of its own agent is archived, and makes no other', async () => {
  const { admin } = rig.service;
  await admin.archiveFarm(rig.farmId);
  const known = { workspaceId: rig.workspaceId, farmId: rig.farmId };
  expect(await admin.ensureDefaults(known)).toEqual(known);
  expect(await admin.listFarms()).toMatchObject([{ id: rig.farmId, archivedAt: expect.any(String) }]);
  const { farmId } = await admin.ensureDefaults();
  expect(farmId).not.toBe(rig.farmId);
});

describe('reports', () => {
  test('a slice is not stored, the agent is told why, and it is stored when the farm is restored', async () => {
    const { admin } = rig.service;
    await admin.archiveFarm(rig.farmId);
    agent.sendBytes(slice(agent.epoch, 2, [record(2e12)], undefined, { order: 2, age_ms: 0 }));
    expect(await agent.closed).toEqual({ code: 1008, reason: ARCHIVED.message });
    expect(await shown()).toMatchObject({ hashrate: 1e12 });

    const refused = await greetAgain(agent.identity);
    expect(await refused.closed).toEqual({ code: 1008, reason: ARCHIVED.message });
    expect(refused.frames).toEqual([]);

    await admin.restoreFarm(rig.farmId);
    const { identity, epoch } = agent;
    const again = await connect(rig, { identity, epoch, nextSeq: 2, outbox: randomUUID() });
    await again.report([record(2e12)]);
    expect(await shown()).toMatchObject({ hashrate: 2e12 });
  });

  test('live states are not shown', async () => {
    await rig.service.admin.archiveFarm(rig.farmId);
    const header = {
      live: true as const,
      produced_at: new Date(rig.clock.nowMs()).toISOString(),
      order: 2,
      through: 3,
    };
    const body = zstdCompressSync(Buffer.from(JSON.stringify({ v: 1, records: [record(2e12)] })));
    agent.sendBytes(encodeSlice({ ...header, fault: 'the disk is full' }, body));
    expect(await agent.closed).toEqual({ code: 1008, reason: ARCHIVED.message });
    expect(await shown()).toMatchObject({ hashrate: 1e12 });
  });

  test('a silent agent is let go with the next round of pings', async () => {
    await rig.service.admin.archiveFarm(rig.farmId);
    expect(await agent.closed).toEqual({ code: 1008, reason: ARCHIVED.message });
  });

  test('a task that was created before is not sent to an agent that comes back', async () => {
    const { admin } = rig.service;
    await agent.close();
    const { body } = await ask(CHANGES[0] ?? '', { task_name: 'miner.system.reboot', miner_ids: [minerId] });
    expect(body.meta.summary).toEqual({ created_count: 1, skipped_count: 0 });
    await admin.archiveFarm(rig.farmId);
    const refused = await greetAgain(agent.identity);
    expect(await refused.closed).toEqual({ code: 1008, reason: ARCHIVED.message });
    expect(refused.frames).toEqual([]);
    const cancel = await ask(`POST ${V2_FARM}/task-batches/${body.data[0].batch_id}/cancel`);
    expect(cancel.body.data).toMatchObject({ status: 'cancelled', cancelled_count: 1 });
  });

  test('no agent joins with a code that was made before', async () => {
    const { admin } = rig.service;
    const { code } = await admin.createEnrolmentCode({ farmId: rig.farmId, ttlMs: 60_000 });
    await admin.archiveFarm(rig.farmId);
    expect((await enrolBy(rig, code)).status).toBe(401);
  });
});
