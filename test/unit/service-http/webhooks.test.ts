// Webhooks over the interface: made, changed, paused, rotated and removed by the people of their workspace, and what of
// a request is refused. That messages arrive: test/unit/service/webhooks.
import { Webhook } from 'standardwebhooks';
import { expect, onTestFinished, test } from 'vitest';
import { EVENT_TYPE_NAMES } from '../../../src/model/events/event-types.ts';
import { MOST_WEBHOOKS, openStore } from '../../../src/service/store/store.ts';
import { queryDatabase } from '../../support/database.ts';
import { type Receiver, startReceiver } from '../../support/receiver.ts';
import { type Answer, call, type Rig, startRig } from './rig.ts';
import { ABILITIES, create, fill } from './v2-batches.ts';

const URL = 'https://hooks.example/in/s3cr3t-path';
const UNKNOWN = '01900000-0000-7000-8000-000000000000';

function clientOf(rig: Rig, key = rig.key, workspaceId = rig.workspaceId) {
  return (method: string, path = '', body?: object): Promise<Answer> =>
    call(`${rig.url}/public-api/v2/workspaces/${workspaceId}/webhooks${path}`, {
      method,
      headers: { 'x-api-key': key, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
}

/** One that sends nothing. */
async function paused(rig: Rig) {
  const ask = clientOf(rig);
  const { body } = await ask('POST', '', { url: URL });
  await ask('PATCH', `/${body.data.id}`, { state: 'paused' });
  return { ask, id: String(body.data.id), secret: String(body.data.secret) };
}

test('a webhook shows its secret once, and afterwards everything but that', async () => {
  const rig = await startRig();
  const ask = clientOf(rig);
  const filter = { farm_ids: [rig.farmId.toUpperCase(), rig.farmId], event_types: ['flag_raised', 'agent_offline'] };
  const made = await ask('POST', '', { url: URL, name: '  tickets ', ...filter });
  expect(made.status).toBe(200);
  const { secret, ...shown } = made.body.data;
  expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
  expect(shown).toEqual({
    ...{ id: expect.any(String), name: 'tickets', url: URL, farm_ids: [rig.farmId] },
    ...{ event_types: filter.event_types, state: 'active', disabled_reason: null, pending_count: 0 },
    pending_is_minimum: false,
    ...{ failing_since: null, last_success_at: null, last_failure: null, next_attempt_at: null },
    secrets: [{ created_at: expect.any(String), expires_at: null }],
    ...{ created_at: expect.any(String), updated_at: expect.any(String) },
  });
  expect((await ask('GET', `/${shown.id}`)).body.data).toEqual(shown);
  const { data, pagination } = (await ask('GET')).body;
  expect([data, pagination.total]).toEqual([[shown], 1]);
});

test('without a name it has that of the host, without a filter it gets everything', async () => {
  const ask = clientOf(await startRig());
  const { body } = await ask('POST', '', { url: 'https://HOOKS.example:8443', farm_ids: null });
  const { name, url, farm_ids, event_types } = body.data;
  expect([name, url, farm_ids, event_types]).toEqual(['hooks.example', 'https://hooks.example:8443/', null, null]);
});

test('what is changed is changed, and the rest stays', async () => {
  const { ask, id } = await paused(await startRig());
  const before = (await ask('GET', `/${id}`)).body.data;
  expect(before.state).toBe('paused');
  const { status, body } = await ask('PATCH', `/${id}`, { event_types: ['moved'], name: null });
  expect([status, body.data]).toEqual([
    200,
    { ...before, event_types: ['moved'], updated_at: expect.any(String), secrets: before.secrets },
  ]);
  expect((await ask('PATCH', `/${id}`, { event_types: null })).body.data.event_types).toBeNull();
  expect((await ask('PATCH', `/${id}`, {})).status).toBe(400);
});

test('a rotated secret ends when its time is over, or at once', async () => {
  const rig = await startRig();
  const { ask, id, secret } = await paused(rig);
  const rotated = await ask('POST', `/${id}/rotate`);
  expect(rotated.body.data.secret).not.toBe(secret);
  const [newest, older] = rotated.body.data.secrets;
  expect(newest.expires_at).toBeNull();
  expect(Date.parse(older.expires_at) - Date.parse(newest.created_at)).toBe(24 * 3_600_000);
  rig.clock.step(24 * 3_600_000 + 1);
  expect((await ask('GET', `/${id}`)).body.data.secrets).toEqual([newest]);
  const atOnce = await ask('POST', `/${id}/rotate`, { overlap_hours: 0 });
  expect(atOnce.body.data.secrets).toHaveLength(1);
  expect((await ask('POST', `/${id}/rotate`, { overlap_hours: 169 })).status).toBe(400);
});

test.each([
  ['another scheme', 'ftp://hooks.example/', /: url: received "ftp:/],
  ['no URL', 'hooks.example', /: url: received "hooks\.example", accepted: an address such as https:/],
  ['plain HTTP', 'http://hooks.example/', /: url: received http:, accepted: https:/],
  ['a password', 'https://user:word@hooks.example/', /: url: .*password/],
  ['a fragment', 'https://hooks.example/#a', /: url: .*fragment/],
  ['a private address', 'https://10.1.2.3/', /: url: .*private/],
  ['a loopback address in other digits', 'https://0x7f.1/', /: url: .*private/],
  ['a link-local address', 'https://[fe80::1]/', /: url: .*private/],
  ['too long a URL', `https://hooks.example/${'x'.repeat(2_048)}`, /: url: .*at most 2048 characters/],
])('refuses %s when it is given', async (_, url, says) => {
  const ask = clientOf(await startRig());
  const { status, body } = await ask('POST', '', { url });
  expect([status, body.message]).toEqual([400, expect.stringMatching(says)]);
  expect((await ask('GET')).body.data).toEqual([]);
});

test('a network that the configuration allows is taken, by plain HTTP too, and no other', async () => {
  const rig = await startRig({ webhooks: { allowedNetworks: ['127.0.0.0/8'] } });
  const ask = clientOf(rig);
  const { body } = await ask('POST', '', { url: 'http://127.0.0.1:9/hooks', farm_ids: [rig.farmId] });
  expect(body.data.url).toBe('http://127.0.0.1:9/hooks');
  const change = await ask('PATCH', `/${body.data.id}`, { url: 'https://10.1.2.3/' });
  expect([change.status, change.body.message]).toEqual([400, expect.stringContaining('private')]);
});

test('an unknown type of event is refused with those that there are', async () => {
  const ask = clientOf(await startRig());
  const { status, body } = await ask('POST', '', { url: URL, event_types: ['moved', 'flag_raise'] });
  expect(status).toBe(400);
  expect(body.message).toContain(`event_types[1]: received "flag_raise", accepted: ${EVENT_TYPE_NAMES.join(', ')}`);
});

test('a farm of another workspace is not found, as one that does not exist', async () => {
  const rig = await startRig();
  const { admin } = rig.service;
  const other = await admin.createWorkspace({ name: 'Other', slug: 'other' });
  const foreign = await admin.createFarm({ workspaceId: other.id, name: 'North' });
  const { ask, id } = await paused(rig);
  for (const farmId of [foreign.id, UNKNOWN])
    for (const answer of [
      await ask('POST', '', { url: URL, farm_ids: [rig.farmId, farmId] }),
      await ask('PATCH', `/${id}`, { farm_ids: [farmId] }),
    ])
      expect([answer.status, answer.body.message]).toEqual([
        404,
        `Resource not found: farm_ids: the workspace has no farm ${farmId}`,
      ]);
  expect((await ask('GET')).body.data).toMatchObject([{ farm_ids: null }]);
});

test('a workspace may have so many', async () => {
  const ask = clientOf(await startRig());
  for (let n = 0; n < MOST_WEBHOOKS; n++) expect((await ask('POST', '', { url: URL })).status).toBe(200);
  const { status, body } = await ask('POST', '', { url: URL });
  expect([status, body.message]).toEqual([409, expect.stringContaining(`accepted are ${MOST_WEBHOOKS}`)]);
});

test('those of another workspace are not there, with a grant neither', async () => {
  const rig = await startRig();
  const { admin } = rig.service;
  const { id } = await paused(rig);
  const other = await admin.createWorkspace({ name: 'Other', slug: 'other' });
  const { key } = await admin.createKey({ workspaceId: other.id, name: 'other', role: 'admin' });
  const requests = [
    ['GET', `/${id}`],
    ['PATCH', `/${id}`, { state: 'active' }],
    ['DELETE', `/${id}`],
    ['POST', `/${id}/rotate`],
    ['POST', `/${id}/test`],
    ['GET', `/${id}/dead-letters`],
    ['POST', `/${id}/dead-letters/resend`],
  ] as const;
  const statuses = async (workspaceId: string) => {
    const ask = clientOf(rig, key, workspaceId);
    const answers = [];
    for (const [method, path, body] of requests) answers.push((await ask(method, path, body)).status);
    return answers;
  };
  const none = requests.map(() => 404);
  expect(await statuses(other.id)).toEqual(none);
  const grant = { grantorId: rig.workspaceId, granteeId: other.id, permissions: ['webhooks.update'] };
  await admin.createGrant(grant);
  expect(await statuses(rig.workspaceId)).toEqual(none);
  expect((await clientOf(rig)('GET', `/${id}`)).body.data.state).toBe('paused');
});

const LETTER = 'webhook_id, farm_id, position, failed_at, attempts, reason, is_to_be_sent';
const LOOPBACK = { webhooks: { allowedNetworks: ['127.0.0.0/8'] } };

async function receiving() {
  const receiver = await startReceiver();
  onTestFinished(() => receiver.stop());
  return receiver;
}

const verified = ({ headers, text }: Receiver['deliveries'][number], secret: string) =>
  new Webhook(secret).verify(text, {
    'webhook-id': String(headers['webhook-id']),
    'webhook-timestamp': String(headers['webhook-timestamp']),
    'webhook-signature': String(headers['webhook-signature']),
  });

test('a test message arrives, also of a paused one; the answer says what came of it', async () => {
  const receiver = await receiving();
  const rig = await startRig(LOOPBACK);
  const ask = clientOf(rig);
  const { body } = await ask('POST', '', { url: receiver.url });
  const { id, secret } = body.data;
  await ask('PATCH', `/${id}`, { state: 'paused' });
  const before = (await ask('GET', `/${id}`)).body.data;
  const good = await ask('POST', `/${id}/test`);
  expect(good.body.data).toEqual({ delivered: true, status: 204, error: null, duration_ms: expect.any(Number) });
  const [delivery] = receiver.deliveries;
  if (delivery === undefined) throw new Error('nothing has arrived');
  expect(verified(delivery, secret)).toMatchObject({ type: 'webhook.test', data: { webhook_id: id } });
  receiver.answer = () => 503;
  expect((await ask('POST', `/${id}/test`)).body.data).toMatchObject({
    ...{ delivered: false, status: 503, error: 'the receiver answers 503' },
  });
  await receiver.away();
  const { delivered, status, error } = (await ask('POST', `/${id}/test`)).body.data;
  expect([delivered, status, error]).toEqual([false, null, expect.stringContaining('ECONNREFUSED')]);
  expect((await ask('GET', `/${id}`)).body.data).toEqual(before);
  expect((await ask('POST', `/${UNKNOWN}/test`)).status).toBe(404);
});

test('what happens is sent, signed, by the filter; what happens during a pause is sent after it', async () => {
  const receiver = await receiving();
  const { rig, ids } = await fill(await startRig(LOOPBACK), 2, ABILITIES);
  const ask = clientOf(rig);
  const { body } = await ask('POST', '', { url: receiver.url, event_types: ['task_created'] });
  const { id, secret } = body.data;
  const order = (n: number) => create(rig, { task_name: 'miner.system.reboot', miner_ids: ids.slice(n, n + 1) });
  await order(0);
  await expect.poll(() => receiver.deliveries.length, { timeout: 5_000 }).toBe(1);
  await ask('PATCH', `/${id}`, { state: 'paused' });
  await order(1);
  await expect.poll(async () => (await ask('GET', `/${id}`)).body.data).toMatchObject({ pending_count: 1 });
  expect(receiver.deliveries).toHaveLength(1);
  await ask('PATCH', `/${id}`, { state: 'active' });
  await expect.poll(() => receiver.deliveries.length, { timeout: 5_000 }).toBe(2);
  const events = await rig.get(
    `/public-api/v2/workspaces/${rig.workspaceId}/farms/${rig.farmId}/events?since=2020-01-01T00:00:00Z&type=task_created`,
  );
  const expected = events.body.data.map((event: { type: string; at: string }) => ({
    ...{ type: event.type, timestamp: event.at },
    data: { workspace_id: rig.workspaceId, farm_id: rig.farmId, ...event },
  }));
  expect(receiver.deliveries.map((delivery) => verified(delivery, secret))).toEqual(expected);
  await expect
    .poll(async () => (await ask('GET', `/${id}`)).body.data)
    .toMatchObject({
      ...{ pending_count: 0, last_success_at: expect.any(String), failing_since: null, last_failure: null },
    });
});

test('a dead letter is listed with its event, and is sent once more when a person asks', async () => {
  const receiver = await receiving();
  const { rig, ids } = await fill(await startRig(LOOPBACK), 1, ABILITIES);
  const ask = clientOf(rig);
  await create(rig, { task_name: 'miner.system.reboot', miner_ids: ids });
  const { body } = await ask('POST', '', { url: receiver.url });
  const id: string = body.data.id;
  const { data } = (
    await rig.get(`/public-api/v2/workspaces/${rig.workspaceId}/farms/${rig.farmId}/events?type=task_created`)
  ).body;
  const letter = [
    id,
    rig.farmId,
    Number(data[0].id.split('.')[1]),
    rig.clock.nowMs(),
    7,
    'the receiver answers 503',
    0,
  ];
  await queryDatabase(
    rig.databasePath,
    `INSERT INTO webhook_dead_letters (${LETTER}) VALUES (${letter.map(() => '?')})`,
    ...letter,
  );
  const listed = await ask('GET', `/${id}/dead-letters`);
  expect(listed.body).toMatchObject({
    data: [
      { id: data[0].id, type: 'task_created', attempts: 7, reason: 'the receiver answers 503', is_to_be_sent: false },
    ],
    pagination: { total: 1 },
  });
  const resent = await ask('POST', `/${id}/dead-letters/resend`, { ids: [data[0].id] });
  expect(resent.body.data).toEqual({ resend_count: 1 });
  await expect.poll(() => receiver.deliveries.map((one) => one.body.data.id), { timeout: 5_000 }).toEqual([data[0].id]);
  await expect.poll(async () => (await ask('GET', `/${id}/dead-letters`)).body.data).toEqual([]);
});

test('of dead letters there are none at first', async () => {
  const rig = await startRig();
  const { ask, id } = await paused(rig);
  expect((await ask('GET', `/${id}/dead-letters`)).body).toMatchObject({ data: [], pagination: { total: 0 } });
  const resent = await ask('POST', `/${id}/dead-letters/resend`, { ids: [`${rig.farmId}.1`] });
  expect(resent.body.data).toEqual({ resend_count: 0 });
  expect((await ask('POST', `/${id}/dead-letters/resend`, { ids: [] })).status).toBe(400);
  expect((await ask('GET', `/${UNKNOWN}/dead-letters`)).status).toBe(404);
});

test('each act is in the audit trail, without secrets and without the path of the URL', async () => {
  const rig = await startRig();
  const { ask, id, secret } = await paused(rig);
  await ask('POST', `/${id}/rotate`, { overlap_hours: 1 });
  await ask('POST', `/${id}/dead-letters/resend`);
  expect((await ask('DELETE', `/${id}`)).body.data).toEqual({ id });
  expect((await ask('DELETE', `/${id}`)).status).toBe(404);
  expect((await ask('GET')).body.data).toEqual([]);
  const { body } = await rig.get(`/public-api/v2/workspaces/${rig.workspaceId}/audit?page_size=1000`);
  const acts = body.data.filter(({ subject }: { subject: { webhook?: string } }) => subject.webhook === id);
  const actor = { type: 'api_key', name: 'test' };
  expect(acts).toMatchObject([
    { action: 'webhook.created', actor, detail: { host: 'hooks.example', farms: null, event_types: null } },
    { action: 'webhook.changed', actor, detail: { state: 'paused' } },
    { action: 'webhook.rotated', actor, detail: { overlap_s: 3_600 } },
    { action: 'webhook.resent', actor, detail: { count: 0 } },
    { action: 'webhook.removed', actor },
  ]);
  for (const word of ['s3cr3t', 'whsec', secret.slice(6, 20)]) expect(JSON.stringify(acts)).not.toContain(word);
  const store = await openStore(rig.databasePath);
  expect(await store.checkTrail().finally(() => store.close())).toMatchObject({ problem: undefined });
});
