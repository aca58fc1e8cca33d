// An integrator sets the pools of a miner and locks them: what somebody changes on the device is set again by the
// agent, with the password that only the order held. Miners whose pools the agent did not set cannot be locked.
import { DatabaseSync } from 'node:sqlite';
import { request } from 'undici';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { drivers } from '../../drivers/index.ts';
import type { Device } from '../../fixtures/farm/farm.ts';
import { suitablePortMap } from '../../fixtures/farm/ports.ts';
import { systemClock } from '../../src/base/clock.ts';
import { silentLog } from '../../src/base/log.ts';
import { Secret } from '../../src/base/secrets.ts';
import { databaseOf } from '../../src/cli/run/local-service.ts';
import { createTransport } from '../../src/transport/transport.ts';
import { taskV2Schema } from '../../src/wire/api/tasks.ts';
import { type Site, startSite } from './site.ts';

const OURS = { url: 'stratum+tcp://ours.example:3333', user: 'farm.1', password: 'canary-pool-password' };
const THIEF = { url: 'stratum+tcp://thief.example:3333', user: 'thief', password: 'x' };

let site: Site;
let key: string;
let answers = '';

beforeAll(async () => {
  site = await startSite({
    miners: 2,
    mix: 'antminer-stock',
    seed: 4,
    noise: 0,
    noiseStepS: 3_600,
  });
  ({ key } = await site.stack.service.admin.createKey({
    workspaceId: site.stack.workspaceId,
    name: 'integrator',
    role: 'admin',
  }));
  await site.until(
    () => site.miners(),
    (miners) => miners.length === 2,
  );
});
afterAll(() => site.stop());

async function call(method: 'GET' | 'POST', path: string, body?: unknown): Promise<unknown> {
  const { url, workspaceId, farmId } = site.stack;
  const answer = await request(`${url}/public-api/v2/workspaces/${workspaceId}/farms/${farmId}/task-batches${path}`, {
    method,
    headers: { 'x-api-key': key, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await answer.body.text();
  answers += text;
  return JSON.parse(text);
}

const created = z.object({ data: z.tuple([z.object({ id: z.string() })]) });
const listed = z.object({ data: z.tuple([taskV2Schema]) });

async function run(task_name: string, ip: string, params: unknown) {
  const { id } = await site.miner(ip);
  const batch = created.parse(await call('POST', '', { task_name, miner_ids: [id], params })).data[0].id;
  return site.until(
    async () => listed.parse(await call('GET', `/${batch}/tasks`)).data[0],
    ({ status }) => status !== 'pending' && status !== 'running',
  );
}

/** Somebody who knows the login of the device, beside the agent. */
async function byHand(device: Device) {
  const portMap = new Map(Object.entries(await suitablePortMap()).map(([from, to]) => [Number(from), to]));
  const transport = createTransport({ clock: systemClock, log: silentLog, portMap });
  const { login } = device;
  const link = transport.link(device.ip, login && { user: login.user, password: new Secret(login.password) });
  const ability = antminer?.abilities.pools;
  return {
    set: (pool: typeof THIEF) => ability?.act(link, ability.params.parse({ pools: [pool] }), {}),
    conf: async () => JSON.stringify(antminer?.asks.conf && (await link.send(antminer.asks.conf))),
    close: () => transport.close(),
  };
}
const antminer = drivers.find(({ id }) => id === 'antminer-stock');
const first = (device: Device) => device.truth().pools[0]?.url;

const eventsOf = () => {
  const database = new DatabaseSync(databaseOf(site.stateDir), { readOnly: true });
  try {
    return database.prepare("SELECT type, detail FROM events WHERE type LIKE 'pools%' ORDER BY at, type").all();
  } finally {
    database.close();
  }
};

test('locked pools come back, and what was done is on record', async () => {
  const [device, other] = site.farm.devices;
  if (device === undefined || other === undefined) throw new Error('the farm is too small');
  expect(await run('miner.pool.lock', other.ip, { locked: true })).toMatchObject({
    status: 'failed',
    message: expect.stringContaining('set them with miner.pool.update, then lock them'),
  });
  expect(await run('miner.pool.update', device.ip, { pools: [OURS] })).toMatchObject({ status: 'succeeded' });
  expect(await run('miner.pool.lock', device.ip, { locked: true })).toMatchObject({
    status: 'succeeded',
    evidence: { locked: true, pools: [{ url: OURS.url, user: OURS.user }] },
  });

  const hand = await byHand(device);
  // They may be back before this process looks: the record says that they were others.
  expect(await hand.set(THIEF)).toMatchObject({ kind: 'accepted' });
  await site.until(
    () => first(device),
    (url) => url === OURS.url,
  );
  expect(await hand.conf()).toContain(OURS.password);
  const events = await site.until(eventsOf, (found) => found.some(({ type }) => type === 'pools_restored'));
  expect(events.map(({ type }) => type)).toEqual(['pools_changed', 'pools_restored']);
  expect(JSON.stringify(events)).toContain('thief.example');
  expect(answers + JSON.stringify(events)).not.toContain(OURS.password);

  expect(await run('miner.pool.lock', device.ip, { locked: false })).toMatchObject({ status: 'succeeded' });
  await hand.set(THIEF);
  await site.until(
    () => site.miner(device.ip),
    ({ pools }) => pools[0]?.url === THIEF.url,
  );
  await new Promise((resolve) => setTimeout(resolve, 5_000));
  expect(first(device)).toBe(THIEF.url);
  await hand.close();
});
