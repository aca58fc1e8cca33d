// Requests of people of this host: who they are to the service, what admits them, and what they leave behind.
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { personOfHost } from '../../../src/model/task.ts';
import { createVouchers, VOUCHER_HEADER } from '../../../src/service/auth/vouchers.ts';
import { DEFAULT_LIMITS } from '../../../src/service/http/server.ts';
import { minerRecord } from './records.ts';
import { call, type Rig, startRig } from './rig.ts';
import { connect } from './wire-agent.ts';

type LocalRequest = Parameters<Rig['service']['local']['request']>[0];

async function ask({ service }: Rig, request: LocalRequest) {
  const { status, contentType, body } = await service.local.request(request);
  const said = await text(body);
  return { status, body: contentType.startsWith('application/json') ? JSON.parse(said) : said };
}

test('a person of this host is asked for no key, may all that an administrator may, and is named in the trail', async () => {
  const rig = await startRig();
  const own = `/public-api/v2/workspaces/${rig.workspaceId}`;
  const listed = await ask(rig, { method: 'GET', url: '/public-api/v2/workspaces', user: 'ana' });
  expect(listed).toMatchObject({ status: 200, body: { data: [{ id: rig.workspaceId }] } });
  const webhook = { name: 'x', url: 'https://example.com/x' };
  const made = await ask(rig, { method: 'POST', url: `${own}/webhooks`, body: JSON.stringify(webhook), user: 'ana' });
  expect(made.status).toBe(200);
  const trail = await ask(rig, { method: 'GET', url: `${own}/audit`, user: 'ben' });
  expect(trail.body.data).toContainEqual(
    expect.objectContaining({ action: 'webhook.created', actor: { type: 'user', id: 'host:ana', name: 'ana' } }),
  );
});

test('another workspace is as unknown to them as to a key, and a wrong body is refused with the same words', async () => {
  const rig = await startRig();
  const { id } = await rig.service.admin.createWorkspace({ name: 'Other', slug: 'other' });
  const user = 'ana';
  expect((await ask(rig, { method: 'GET', url: `/public-api/v2/workspaces/${id}/farms`, user })).status).toBe(404);
  const path = `/public-api/v2/workspaces/${rig.workspaceId}/farms/${rig.farmId}/miners/search`;
  const overHttp = await rig.post(path, { pages: 1 });
  const local = await ask(rig, { method: 'POST', url: path, body: '{"pages":1}', user });
  expect(local).toEqual({ status: 400, body: overHttp.body });
});

test('what admits them ends with the request, and no text of a client does the same', async () => {
  const vouchers = createVouchers();
  const caller = { actor: personOfHost('ana'), workspaceId: 'w', permissions: [] };
  const [first, second] = [vouchers.issue(caller), vouchers.issue(caller)];
  expect(vouchers.callerOf({ [VOUCHER_HEADER]: first.text })).toBe(caller);
  first.end();
  expect(vouchers.callerOf({ [VOUCHER_HEADER]: first.text })).toBeUndefined();
  expect(vouchers.callerOf({ [VOUCHER_HEADER]: second.text })).toBe(caller);
  const rig = await startRig();
  const url = `${rig.url}/public-api/v2/workspaces`;
  for (const voucher of ['', 'x', 'undefined', '__proto__', 'A'.repeat(43)])
    expect((await call(url, { headers: { [VOUCHER_HEADER]: voucher } })).status).toBe(401);
});

test('their requests count against the budget of the workspace', async () => {
  const rates = { ...DEFAULT_LIMITS.rates, perWorkspace: 3 };
  const rig = await startRig({ limits: { ...DEFAULT_LIMITS, rates } });
  const statuses: number[] = [];
  for (let i = 0; i < 4; i++)
    statuses.push((await ask(rig, { method: 'GET', url: '/public-api/v2/workspaces', user: 'ana' })).status);
  expect(statuses).toEqual([200, 200, 200, 429]);
});

test('tasks name the person who ordered and who cancelled them, in the batch, its events and the trail', async () => {
  const rig = await startRig();
  const agent = await connect(rig);
  await agent.report([minerRecord(1, rig.clock.nowMs())]);
  const farm = `/public-api/v2/workspaces/${rig.workspaceId}/farms/${rig.farmId}`;
  const [{ id }] = (await ask(rig, { method: 'GET', url: `${farm}/miners`, user: 'ana' })).body.data;
  const order = JSON.stringify({ task_name: 'miner.system.reboot', miner_ids: [id] });
  await agent.close();
  const made = await ask(rig, { method: 'POST', url: `${farm}/task-batches`, user: 'ana', body: order });
  const [batch] = made.body.data;
  expect(batch.created_by).toMatchObject({
    type: 'user',
    id: 'host:ana',
    name: 'ana',
    metadata: { via: 'control-socket' },
  });
  await ask(rig, { method: 'POST', url: `${farm}/task-batches/${batch.id}/cancel`, user: 'ben' });
  const found = await ask(rig, { method: 'GET', url: `${farm}/task-batches/${batch.id}`, user: 'ana' });
  expect(found.body.data.metadata.cancelled.by).toEqual({
    type: 'user',
    id: 'host:ben',
    name: 'ben',
    via: 'control-socket',
  });
  const { data } = (await ask(rig, { method: 'GET', url: `${farm}/events?type=task_created,task_ended`, user: 'ana' }))
    .body;
  expect(
    data.map(({ type, detail }: { type: string; detail: Record<string, { name?: string }> }) => [
      ...[type, detail.actor?.name, detail.ordered_by?.name],
    ]),
  ).toEqual([
    ['task_ended', 'ben', 'ana'],
    ['task_created', 'ana', undefined],
  ]);
  const trail = await ask(rig, {
    method: 'GET',
    url: `/public-api/v2/workspaces/${rig.workspaceId}/audit`,
    user: 'ana',
  });
  const acts = trail.body.data.map(
    ({ action, actor }: { action: string; actor: { name: string } }) => `${action} ${actor.name}`,
  );
  expect(acts).toEqual(expect.arrayContaining(['batch.created ana', 'batch.cancelled ben']));
});

test('a stream is refused, and an idempotency key counts per person', async () => {
  const rig = await startRig();
  const farm = `/public-api/v2/workspaces/${rig.workspaceId}/farms/${rig.farmId}`;
  const stream = ask(rig, { method: 'GET', url: `${farm}/events/stream`, user: 'ana' });
  await expect(stream).rejects.toMatchObject({ code: 'service.stream' });
  const batch = (ids: string[], user: string) =>
    ask(rig, {
      ...{ method: 'POST', url: `${farm}/task-batches`, user, idempotencyKey: 'once' },
      body: JSON.stringify({ task_name: 'miner.system.reboot', miner_ids: ids }),
    });
  const [one, two] = ['01900000-0000-7000-8000-000000000001', '01900000-0000-7000-8000-000000000002'];
  expect((await batch([one], 'ana')).status).toBe(200);
  expect((await batch([two], 'ana')).status).toBe(409);
  expect((await batch([two], 'ben')).status).toBe(200);
});
