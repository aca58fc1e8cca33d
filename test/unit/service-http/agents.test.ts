// Agents: how they join, when they are online, who finds them; and the uplink's door.
import { expect, test } from 'vitest';
import { ENROL_PATH, PROTOCOL_VERSION } from '../../../src/wire/protocol.ts';
import { query } from './database.ts';
import { hostRecord, minerRecord } from './records.ts';
import { call, type Rig, recordingLog, startRig } from './rig.ts';
import { connect, enrol, helloOf, identityKey, open } from './wire-agent.ts';

const search = (rig: Rig, body: unknown = {}) => rig.post(`/private-api/v1/${rig.workspaceId}/agents/search`, body);

const join = (rig: Rig, code: string, change: object = {}) =>
  call(rig.url + ENROL_PATH, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      ...{ code, name: 'a', version: '1', protocol: PROTOCOL_VERSION },
      ...{ identity_key: identityKey, ...change },
    }),
  });

test('a code works once, in any spelling, until it expires', async () => {
  const rig = await startRig();
  const { admin } = rig.service;
  const refused = { statusCode: 401, error: 'Unauthorized', message: 'Invalid, used or expired enrolment code' };
  const { code, expiresAt } = await admin.createEnrolmentCode({ farmId: rig.farmId, ttlMs: 60_000 });
  expect(Date.parse(expiresAt) - rig.clock.nowMs()).toBeLessThanOrEqual(60_000);
  const joined = await join(rig, code.toLowerCase().replaceAll('-', ' '));
  expect(joined.status).toBe(200);
  expect(joined.body).toMatchObject({ workspace_id: rig.workspaceId, farm_id: rig.farmId });
  expect((await join(rig, code)).body).toEqual(refused);
  expect((await join(rig, 'nonsense')).body).toEqual(refused);
  const late = await admin.createEnrolmentCode({ farmId: rig.farmId, ttlMs: 60_000 });
  rig.clock.step(60_001);
  expect((await join(rig, late.code)).body).toEqual(refused);
  expect(await admin.listAgents()).toMatchObject([
    { id: joined.body.agent_id, name: 'a', version: '1', lastOnlineAt: null },
  ]);
});

test('a farm that is archived takes no agents, whenever the code was made; restored it does', async () => {
  const rig = await startRig();
  const { admin } = rig.service;
  const { code } = await admin.createEnrolmentCode({ farmId: rig.farmId, ttlMs: 60_000 });
  await admin.archiveFarm(rig.farmId);
  expect((await join(rig, code)).status).toBe(401);
  expect(await admin.listAgents()).toEqual([]);
  await admin.restoreFarm(rig.farmId);
  expect((await join(rig, code)).status).toBe(200);
});

test('an agent that is revoked is found no more and gets no tasks', async () => {
  const rig = await startRig();
  const agent = await connect(rig);
  await agent.report([hostRecord(rig.clock.nowMs()), minerRecord(1, rig.clock.nowMs())]);
  const found = async () => (await search(rig)).body.data.map(({ id }: { id: string }) => id);
  expect(await found()).toEqual([agent.identity.agentId]);
  const [miner] = (await rig.get(rig.farm('/miner/latest'))).body.data;
  await rig.service.admin.revokeAgent(agent.identity.agentId);
  expect(await found()).toEqual([]);
  const order = { task_name: 'miner.system.reboot', miner_ids: [miner.id] };
  const { status, body } = await rig.post(rig.farm('/tasks/batches'), order);
  expect([status, body.data]).toEqual([200, []]);
  expect(body.meta.skipped).toMatchObject([{ reason: 'no_agent', miner_ids: [miner.id] }]);
});

test('an agent that was enrolled and never connected is in the list of v2, with nulls, and not in the search of v1', async () => {
  const rig = await startRig();
  const enrolledMs = rig.clock.nowMs();
  const silent = await enrol(rig);
  const list = async () =>
    (await rig.get(`/public-api/v2/workspaces/${rig.workspaceId}/farms/${rig.farmId}/agents`)).body;
  const row = { id: silent.agentId, status: 'offline', last_online_at: null, last_updated_at: null, uptime: null };
  const first = await list();
  expect([first.data, first.pagination.total]).toMatchObject([[row], 1]);
  expect(Math.abs(Date.parse(first.data[0].enrolled_at) - enrolledMs)).toBeLessThan(10_000);
  expect((await search(rig)).body).toMatchObject({ data: [], pagination: { total: 0 } });
  expect((await search(rig, { status: { eq: 'offline' } })).body.data).toEqual([]);

  // Connected without a word of its host.
  const quiet = await connect(rig);
  await quiet.report([]);
  const spoken = await connect(rig);
  await spoken.report([hostRecord(rig.clock.nowMs())]);
  const { data } = await list();
  expect(data.at(-1)).toMatchObject(row);
  const half = data.find(({ id }: { id: string }) => id === quiet.identity.agentId);
  expect(half).toMatchObject({ status: 'online', last_updated_at: null, uptime: null });
  expect(half.last_online_at).not.toBeNull();
  expect((await search(rig)).body.data.map(({ id }: { id: string }) => id)).toEqual([spoken.identity.agentId]);
  await rig.service.admin.revokeAgent(silent.agentId);
  expect((await list()).data).toHaveLength(2);
});

test('one code used many times at once lets one agent in', async () => {
  const rig = await startRig();
  const { code } = await rig.service.admin.createEnrolmentCode({ farmId: rig.farmId, ttlMs: 60_000 });
  const answers = await Promise.all(Array.from({ length: 6 }, () => join(rig, code)));
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
});

test('an agent of another protocol is told which one is spoken here', async () => {
  const rig = await startRig();
  const { code } = await rig.service.admin.createEnrolmentCode({ farmId: rig.farmId, ttlMs: 60_000 });
  const { status, body } = await join(rig, code, { protocol: 99 });
  expect([status, body.message]).toEqual([400, expect.stringContaining('accepted: 1')]);
  expect((await join(rig, code)).status).toBe(200);
});

test('neither codes, tokens nor keys are in the database or the log', async () => {
  const log = recordingLog();
  const rig = await startRig({ log });
  const { code } = await rig.service.admin.createEnrolmentCode({ farmId: rig.farmId, ttlMs: 60_000 });
  const { body } = await join(rig, code);
  const agent = await connect(rig, { identity: { agentId: body.agent_id, token: body.token } });
  await agent.report([]);
  await rig.get(rig.farm('/miner/latest'));
  const names = ['enrolment_codes', 'agents', 'api_keys'];
  const tables = await Promise.all(names.map((table) => query(rig, `SELECT * FROM ${table}`)));
  const everything = JSON.stringify([tables, log.lines]);
  for (const secret of [code, code.replaceAll('-', ''), body.token, rig.key, rig.key.slice('phk_12345678_'.length)])
    expect(everything).not.toContain(secret);
});

test('an agent is online until a minute after it was last heard', async () => {
  const rig = await startRig();
  const agent = await connect(rig);
  await agent.report([hostRecord(rig.clock.nowMs())]);
  await agent.close();
  rig.clock.step(55_000);
  expect((await search(rig)).body.data[0].status).toBe('online');
  rig.clock.step(10_000);
  expect((await search(rig)).body.data[0].status).toBe('offline');
  expect((await search(rig, { status: { eq: 'online' } })).body.data).toEqual([]);
  await connect(rig, { identity: agent.identity, epoch: agent.epoch, nextSeq: 2 });
  expect((await search(rig)).body.data[0].status).toBe('online');
});

test('the door of the uplink opens to the token of the agent only, and the log names the address of others', async () => {
  const log = recordingLog();
  const rig = await startRig({ log });
  const good = await enrol(rig);
  const other = await enrol(rig);
  for (const identity of [
    { ...good, token: other.token },
    { ...good, agentId: other.agentId },
    { ...good, token: `${good.token}x` },
    { agentId: 'x', token: 'y' },
    { agentId: '01900000-0000-7000-8000-000000000000', token: good.token },
  ])
    await expect(open(rig, identity)).rejects.toThrow('401');
  const refused = log.lines.filter(({ message }) => message === 'uplink refused: no token of an agent');
  expect(refused.map(({ fields }) => fields)).toEqual(Array(5).fill({ address: '127.0.0.1' }));
  await query(rig, 'UPDATE agents SET revoked_at = 1 WHERE id = ?', good.agentId);
  await expect(open(rig, good)).rejects.toThrow('401');
  await expect(open(rig, other)).resolves.toBeDefined();
});

test('an agent of another protocol is turned away with the reason', async () => {
  const rig = await startRig();
  const agent = await open(rig, await enrol(rig));
  agent.send({ ...helloOf(agent), protocol: 7 });
  expect(await agent.closed).toMatchObject({ code: 1008, reason: expect.stringContaining('protocol 7') });
});

test('a slice before the hello is refused', async () => {
  const rig = await startRig();
  const agent = await open(rig, await enrol(rig));
  await expect(agent.report([])).rejects.toThrow('1008');
});

test('a second connection of the same agent takes over', async () => {
  const rig = await startRig();
  const first = await connect(rig);
  const second = await connect(rig, { identity: first.identity, epoch: first.epoch });
  expect(await first.closed).toMatchObject({ code: 4001 });
  await second.report([]);
});

test('when the service stops it says so, and what it acknowledged is there after a restart', async () => {
  const rig = await startRig();
  const agent = await connect(rig);
  await agent.report([hostRecord(rig.clock.nowMs())]);
  await rig.service.stop();
  expect(await agent.closed).toMatchObject({ code: 1012 });
  const next = await startRig({ databasePath: rig.databasePath });
  const back = await connect(next, { identity: agent.identity, epoch: agent.epoch, nextSeq: 2 });
  expect(await back.frame('welcome')).toMatchObject({ acked_seq: 1 });
  expect(next.workspaceId).toBe(rig.workspaceId);
});
