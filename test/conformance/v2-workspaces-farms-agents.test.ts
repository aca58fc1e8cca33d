// v2 workspaces, farms and agents: what a key sees of its own workspace and of granted ones, page by page.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { PERMISSIONS } from '../../src/model/permissions/permissions.ts';
import { listOf } from '../../src/wire/api/envelope.ts';
import { agentV2Schema, farmV2Schema, workspacesSchema } from '../../src/wire/api/tenants.ts';
import { query } from '../unit/service-http/database.ts';
import { hostRecord } from '../unit/service-http/records.ts';
import { type Rig, startOwnedRig } from '../unit/service-http/rig.ts';
import { connect, enrol } from '../unit/service-http/wire-agent.ts';

const V2 = '/public-api/v2/workspaces';

let rig: Rig;
let stop: () => Promise<void>;
let host: { id: string; farmId: string; secondFarmId: string };
let guestKey: string;
let guestId: string;

beforeAll(async () => {
  ({ rig, stop } = await startOwnedRig());
  const { admin } = rig.service;
  const workspace = await admin.createWorkspace({ name: 'Host', slug: 'host' });
  const farm = await admin.createFarm({ workspaceId: workspace.id, name: 'North' });
  const second = await admin.createFarm({ workspaceId: workspace.id, name: null });
  host = { id: workspace.id, farmId: farm.id, secondFarmId: second.id };
  const guest = await admin.createWorkspace({ name: 'Guest', slug: 'guest' });
  guestId = guest.id;
  guestKey = (await admin.createKey({ workspaceId: guest.id, name: 'guest', role: 'admin' })).key;
  const grant = { grantorId: host.id, granteeId: guest.id };
  await admin.createGrant({ ...grant, permissions: ['miners.read', 'tasks.read', 'farms.read'], farmIds: [second.id] });
  await admin.createGrant({ ...grant, permissions: ['miners.read', 'agents.read'], farmIds: [second.id] });
});
afterAll(() => stop());

describe('workspaces', () => {
  const list = async (key: string) => workspacesSchema.parse((await rig.get(V2, { 'x-api-key': key })).body).data;

  test('the own one, with everything that the key may do', async () => {
    expect(await list(rig.key)).toEqual([
      { id: rig.workspaceId, name: 'Default', slug: 'default', relations: ['member'], permissions: [...PERMISSIONS] },
    ]);
    const { key } = await rig.service.admin.createKey({
      workspaceId: rig.workspaceId,
      name: 'narrow',
      permissions: ['tasks.read'],
    });
    expect(await list(key)).toMatchObject([{ relations: ['member'], permissions: ['tasks.read'] }]);
  });

  test('a granted one once, however many grants, with what they allow together', async () => {
    expect(await list(guestKey)).toEqual([
      expect.objectContaining({ slug: 'guest', relations: ['member'] }),
      {
        id: host.id,
        name: 'Host',
        slug: 'host',
        relations: ['grantee'],
        permissions: ['farms.read', 'miners.read', 'agents.read', 'tasks.read'],
      },
    ]);
  });

  test('a grant gives a narrow key no more than the key has', async () => {
    const { key } = await rig.service.admin.createKey({
      workspaceId: guestId,
      name: 'narrow',
      permissions: ['miners.read', 'tasks.create'],
    });
    expect(await list(key)).toMatchObject([
      { slug: 'guest', permissions: ['miners.read', 'tasks.reboot'] },
      { slug: 'host', permissions: ['miners.read'] },
    ]);
  });

  test('one that was granted to itself, as older versions allowed, once and as both', async () => {
    const { admin } = rig.service;
    const self = await admin.createWorkspace({ name: 'Self', slug: 'self' });
    const { key } = await admin.createKey({ workspaceId: self.id, name: 'self', permissions: ['tasks.read'] });
    const { id } = await admin.createGrant({ grantorId: host.id, granteeId: self.id, permissions: ['tasks.read'] });
    await query(rig, 'UPDATE grants SET grantor_id = ? WHERE id = ?', self.id, id);
    expect(await list(key)).toEqual([
      { id: self.id, name: 'Self', slug: 'self', relations: ['member', 'grantee'], permissions: ['tasks.read'] },
    ]);
  });

  test('neither expired nor revoked grants show', async () => {
    const { admin } = rig.service;
    const other = await admin.createWorkspace({ name: 'Other', slug: 'other' });
    const grant = { grantorId: host.id, granteeId: other.id, permissions: ['miners.read'] as const };
    const { key } = await admin.createKey({ workspaceId: other.id, name: 'other', role: 'admin' });
    await admin.createGrant({ ...grant, expiresAt: new Date(rig.clock.nowMs() - 1).toISOString() });
    const revoked = await admin.createGrant(grant);
    expect(await list(key)).toHaveLength(2);
    await admin.revokeGrant(revoked.id);
    expect(await list(key)).toMatchObject([{ slug: 'other' }]);
  });
});

describe('farms', () => {
  const farms = async (path: string, key = rig.key) =>
    listOf(farmV2Schema).parse((await rig.get(`${V2}/${path}`, { 'x-api-key': key })).body);

  test('all of the own workspace, oldest first, in pages', async () => {
    const second = await rig.service.admin.createFarm({ workspaceId: rig.workspaceId, name: 'Second' });
    const { data, pagination } = await farms(`${rig.workspaceId}/farms`);
    expect(data).toEqual([
      { id: rig.farmId, name: 'Default', workspace_id: rig.workspaceId, archived_at: null },
      { id: second.id, name: 'Second', workspace_id: rig.workspaceId, archived_at: null },
    ]);
    expect(pagination).toEqual({ total: 2, page: 1, page_size: 20, total_pages: 1 });
    const page = await farms(`${rig.workspaceId}/farms?page=2&page_size=1`);
    expect(page.data).toEqual([data[1]]);
    expect(page.pagination).toEqual({ total: 2, page: 2, page_size: 1, total_pages: 2 });
    const beyond = await farms(`${rig.workspaceId}/farms?page=9`);
    expect(beyond).toMatchObject({ data: [], pagination: { total: 2, page: 9, total_pages: 1 } });
  });

  test('of a granted workspace those that the grant names', async () => {
    expect((await farms(`${host.id}/farms`, guestKey)).data).toEqual([
      { id: host.secondFarmId, name: null, workspace_id: host.id, archived_at: null },
    ]);
  });

  test('of a workspace without farms none', async () => {
    const { pagination } = await farms(`${guestId}/farms`, guestKey);
    expect(pagination).toEqual({ total: 0, page: 1, page_size: 20, total_pages: 0 });
  });
});

describe('agents', () => {
  const agents = async (farmId: string, parameters = '') => {
    const { status, body } = await rig.get(`${V2}/${rig.workspaceId}/farms/${farmId}/agents${parameters}`);
    expect(status).toBe(200);
    return listOf(agentV2Schema).parse(body);
  };

  test('of the farm only, last online first, without host', async () => {
    const farm = await rig.service.admin.createFarm({ workspaceId: rig.workspaceId, name: 'Agents' });
    const elsewhere = await connect(rig);
    await elsewhere.report([hostRecord(rig.clock.nowMs())]);
    const old = await connect(rig, { identity: await enrol(rig, farm.id) });
    const nowMs = rig.clock.nowMs();
    await old.report([hostRecord(nowMs)]);
    await old.close();
    rig.clock.step(120_000);
    const fresh = await connect(rig, { identity: await enrol(rig, farm.id) });
    await fresh.report([hostRecord(rig.clock.nowMs(), { uptime: 7 })]);
    const { data, pagination } = await agents(farm.id);
    expect(data.map(({ id }) => id)).toEqual([fresh.identity.agentId, old.identity.agentId]);
    expect(data[1]).toEqual({
      id: old.identity.agentId,
      farm_id: farm.id,
      workspace_id: rig.workspaceId,
      status: 'offline',
      last_updated_at: new Date(nowMs).toISOString(),
      last_online_at: expect.any(String),
      version: '1.2.3',
      uptime: 42,
      enrolled_at: expect.any(String),
      clock_ahead_ms: null,
      storage_fault: null,
    });
    expect(data[0]).toMatchObject({ status: 'online', uptime: 7 });
    expect(pagination).toEqual({ total: 2, page: 1, page_size: 20, total_pages: 1 });
    const page = await agents(farm.id, '?page=2&page_size=1');
    expect(page.data.map(({ id }) => id)).toEqual([old.identity.agentId]);
    expect(page.pagination).toEqual({ total: 2, page: 2, page_size: 1, total_pages: 2 });
  });
});

test.each(['farms', 'farms/FARM/agents', 'farms/FARM/miners', 'farms/FARM/task-batches'])(
  'the pages of %s are bounded, their default is 20, and unknown parameters are refused',
  async (path) => {
    const url = `${V2}/${rig.workspaceId}/${path.replace('FARM', rig.farmId)}`;
    for (const wrong of ['page=0', 'page=x', 'page=1.5', 'page_size=0', 'page_size=10001', 'page=1&page=2']) {
      const { status, body } = await rig.get(`${url}?${wrong}`);
      expect([wrong, status]).toEqual([wrong, 400]);
      expect(Object.keys(body).toSorted()).toEqual(['error', 'message', 'statusCode']);
      expect(body.message).toContain(wrong.split('=')[0]);
    }
    for (const unknown of ['pageSize=5', 'limit=5', 'rack=NOPE', 'x=1']) {
      const { status, body } = await rig.get(`${url}?${unknown}`);
      expect([unknown, status]).toEqual([unknown, 400]);
      expect(body.message).toContain('page_size');
    }
    const { status, body } = await rig.get(`${url}?page=&page_size=&_=1`);
    expect([status, body.pagination.page_size]).toEqual([200, 20]);
    expect((await rig.get(`${url}?page=${Number.MAX_SAFE_INTEGER}&page_size=10000`)).body.data).toEqual([]);
  },
);
