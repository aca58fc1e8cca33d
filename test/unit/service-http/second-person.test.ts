// Pools and firmware can wait for a second person: nobody gets them before another person has confirmed them.
import { beforeEach, describe, expect, test } from 'vitest';
import { addPerson, type Browser, claimAdmin } from './browser.ts';
import { query } from './database.ts';
import { startRig } from './rig.ts';
import { ABILITIES, cancel, create, detail, fill, MINUTE_MS, type Place, path, UNKNOWN } from './v2-batches.ts';

const POOLS = { pools: [{ url: 'stratum+tcp://pool.example:3333', user: 'farm.{ip4}', password: 'x' }] };

let place: Place;
let ada: Browser;
let grace: Browser & { id: string };

beforeEach(async () => {
  place = await fill(await startRig({ secondPerson: ['pools', 'firmware'] }), 2, ABILITIES);
  ada = await claimAdmin(place.rig);
  grace = await addPerson(place.rig, 'Grace', { role: 'manager' });
});

const poolsBy = async (browser: Browser) => {
  const body = { task_name: 'miner.pool.update', miner_ids: place.ids, params: POOLS };
  const answer = await browser.post(path(place.rig), body);
  expect(answer.status).toBe(200);
  return String(answer.body.data[0].id);
};
const confirmBy = (browser: Browser, id: string) => browser.post(path(place.rig, `/${id}/confirm`), undefined);
const taskFrames = () => place.agent.frames.filter(({ type }) => type === 'task');
/** What the agent has got by the time that it has got all that was sent to it. */
async function settled() {
  const { rig, ids } = place;
  const before = taskFrames().length;
  await create(rig, { task_name: 'miner.light.update', miner_ids: [ids[0]], params: { on: true } });
  await expect.poll(() => taskFrames().length).toBeGreaterThan(before);
  return taskFrames();
}

describe('a batch of pools', () => {
  test('is sent when another person has confirmed it, and says who that was', async () => {
    const { rig, agent } = place;
    const id = await poolsBy(grace);
    expect(await detail(rig, id)).toMatchObject({ status: 'pending', metadata: { needs_second_person: true } });
    const confirmed = await confirmBy(ada, id);
    expect([confirmed.status, confirmed.body.message ?? '']).toEqual([200, '']);
    const first = await agent.frame('task', ({ name }) => name === 'miner.pool.update');
    expect(first.batch_id).toBe(id);
    const { metadata } = await detail(rig, id);
    expect(metadata).toMatchObject({ confirmed: { by: { type: 'user', name: 'Ada' } } });
    expect((await confirmBy(ada, id)).status).toBe(409);
  });

  test('waits in spite of sweeps, and of an agent that connects again', async () => {
    await poolsBy(grace);
    place.rig.clock.step(MINUTE_MS);
    const names = (await settled()).map((frame) => (frame.type === 'task' ? frame.name : ''));
    expect(new Set(names)).toEqual(new Set(['miner.light.update']));
  });

  test('has as long to be begun after it was confirmed as it had before', async () => {
    const { rig } = place;
    const id = await poolsBy(grace);
    rig.clock.step(3 * 60 * MINUTE_MS);
    const nowMs = rig.clock.nowMs();
    expect((await confirmBy(ada, id)).status).toBe(200);
    const [row] = await query(rig, 'SELECT expires_at FROM tasks WHERE batch_id = ?', id);
    expect(Number(row?.expires_at)).toBeGreaterThanOrEqual(nowMs + 4 * 60 * MINUTE_MS);
  });

  test('is not confirmed by who has ordered it, by a key, or by who may not order it', async () => {
    const { rig } = place;
    const id = await poolsBy(grace);
    const own = await confirmBy(grace, id);
    expect([own.status, own.body.message]).toEqual([403, 'Confirm the tasks: Grace has ordered them']);
    const byKey = await rig.post(path(rig, `/${id}/confirm`), undefined);
    expect([byKey.status, byKey.body.message]).toEqual([
      403,
      'Confirm the tasks: a person does that who has logged in on the page',
    ]);
    const operator = await addPerson(rig, 'Tom', { role: 'operator' });
    expect((await confirmBy(operator, id)).status).toBe(403);
    expect(await detail(rig, id)).toMatchObject({ status: 'pending', pending_count: 2 });
    expect((await confirmBy(ada, UNKNOWN)).status).toBe(404);
  });

  test('can be given up, and is not confirmed then', async () => {
    const id = await poolsBy(grace);
    expect(await cancel(place.rig, id)).toMatchObject({ status: 'cancelled', cancelled_count: 2 });
    expect((await confirmBy(ada, id)).status).toBe(409);
  });

  test('that a key has ordered waits for a person too', async () => {
    const { rig, ids, agent } = place;
    const { data } = await create(rig, { task_name: 'miner.pool.update', miner_ids: ids, params: POOLS });
    const id = data[0]?.id ?? '';
    expect(await detail(rig, id)).toMatchObject({ metadata: { needs_second_person: true } });
    expect((await confirmBy(grace, id)).status).toBe(200);
    await agent.frame('task', ({ batch_id }) => batch_id === id);
  });

  test('leaves both names in the trail', async () => {
    const { rig } = place;
    const id = await poolsBy(grace);
    await confirmBy(ada, id);
    const { body } = await ada.get(`/public-api/v2/workspaces/${rig.workspaceId}/audit`);
    const acts = body.data.filter(({ subject }: { subject: { batch?: string } }) => subject.batch === id);
    expect(acts.map(({ action, actor }: { action: string; actor: { name: string } }) => [action, actor.name])).toEqual([
      ['batch.created', 'Grace'],
      ['batch.confirmed', 'Ada'],
    ]);
  });
});

test('other tasks, and those of a service without the setting, wait for nobody', async () => {
  const { rig, ids, agent } = place;
  const { data } = await create(rig, { task_name: 'miner.system.reboot', miner_ids: [ids[0]] });
  await agent.frame('task', ({ batch_id }) => batch_id === data[0]?.id);
  expect((await confirmBy(ada, data[0]?.id ?? '')).status).toBe(409);
  const free = await fill(await startRig(), 1, ABILITIES);
  const made = await create(free.rig, { task_name: 'miner.pool.update', miner_ids: free.ids, params: POOLS });
  await free.agent.frame('task', ({ batch_id }) => batch_id === made.data[0]?.id);
});
