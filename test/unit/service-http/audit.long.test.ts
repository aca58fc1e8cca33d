// The audit trail of a service: what is done is in it, refusals are counted, and each workspace reads its own.
import { expect, test } from 'vitest';
import { openStore } from '../../../src/service/store/store.ts';
import { query } from './database.ts';
import { call, type Rig, startRig } from './rig.ts';
import { cancel, create, outcome, withMiners } from './v2-batches.ts';

type Entry = {
  readonly seq: number;
  readonly action: string;
  readonly actor: { readonly type: string; readonly id: string; readonly name: string };
  readonly subject: Readonly<Record<string, string>>;
  readonly detail: Readonly<Record<string, unknown>>;
};

const trailPath = (rig: Rig, query = '') => `/public-api/v2/workspaces/${rig.workspaceId}/audit${query}`;

async function trailOf(rig: Rig): Promise<Entry[]> {
  const { status, body } = await rig.get(trailPath(rig, '?page_size=1000'));
  expect(status).toBe(200);
  return body.data;
}

/** Page by page, each of one entry. */
async function pagesOf(rig: Rig, more: string): Promise<Entry[]> {
  const paged: Entry[] = [];
  for (let after = ''; ; ) {
    const { body } = await rig.get(trailPath(rig, `?page_size=1${more}${after}`));
    paged.push(...body.data);
    if (body.pagination.next === null) return paged;
    after = `&after=${body.pagination.next}`;
  }
}

const verdict = async (rig: Rig) => {
  const store = await openStore(rig.databasePath);
  try {
    return await store.checkTrail();
  } finally {
    await store.close();
  }
};

test('tasks are in the trail from the order to their end, with who ordered them', async () => {
  const { rig, agent, ids } = await withMiners(2);
  const { data } = await create(rig, { task_name: 'miner.system.reboot', miner_ids: ids });
  const batch = data[0]?.id ?? '';
  const { task_id } = await agent.frame('task');
  await agent.report([outcome(rig, task_id, 'succeeded')]);
  await agent.report([outcome(rig, task_id, 'succeeded')]);
  await cancel(rig, batch);
  const [keyId] = rig.key.replace('phk_', '').split('_');
  const entries = (await trailOf(rig)).filter(({ subject }) => subject.batch === batch);
  expect(entries).toMatchObject([
    {
      action: 'batch.created',
      actor: { type: 'api_key', id: keyId },
      subject: { farm: rig.farmId },
      detail: { tasks: 2 },
    },
    { action: 'tasks.ended', actor: { type: 'agent' }, detail: { status: 'succeeded', tasks: [task_id] } },
    { action: 'batch.cancelled', actor: { type: 'api_key', id: keyId }, detail: { open: 1 } },
  ]);
  expect(await verdict(rig)).toMatchObject({ problem: undefined });
});

test('passwords in the params of a task are not in the trail', async () => {
  const { rig, ids } = await withMiners(1);
  const secret = 'correct-horse-battery';
  const pools = [{ url: 'stratum+tcp://pool.example:3333', user: 'farm.1', password: secret }];
  await create(rig, { task_name: 'miner.pool.update', miner_ids: ids, params: { pools } });
  const entries = await trailOf(rig);
  expect(entries.some(({ action }) => action === 'batch.created')).toBe(true);
  expect(JSON.stringify(entries)).not.toContain(secret);
});

test('a refused request has an entry at once, and those that repeat it are counted', async () => {
  const rig = await startRig();
  const { key } = await rig.service.admin.createKey({
    workspaceId: rig.workspaceId,
    name: 'weak',
    permissions: ['miners.read'],
  });
  for (let time = 0; time < 5; time++) expect((await rig.get(trailPath(rig), { 'x-api-key': key })).status).toBe(403);
  const refused = async () => (await trailOf(rig)).filter(({ action }) => action === 'request.refused');
  await expect.poll(refused).toHaveLength(2);
  expect(await refused()).toMatchObject([
    { actor: { name: 'weak' }, detail: { status: 403, code: 'auth.permission' } },
    { actor: { name: 'weak' }, detail: { status: 403, count: 4 } },
  ]);
});

test('keys that are not good are counted per address and minute', async () => {
  const rig = await startRig();
  for (let time = 0; time < 30; time++)
    await call(`${rig.url}${trailPath(rig)}`, { headers: { 'x-api-key': `phk_0000000${time % 10}_wrong` } });
  const counted = () =>
    query(rig, `SELECT detail FROM audit_entries WHERE action = 'login.refused' ORDER BY seq`).then((rows) =>
      rows.map(({ detail }) => JSON.parse(String(detail))),
    );
  await expect.poll(counted).not.toEqual([]);
  const entries = await counted();
  expect(entries.length).toBeLessThanOrEqual(2);
  expect(entries.reduce((sum, { count }) => sum + count, 0)).toBe(30);
});

test('a workspace reads its own entries in pages, and no grant opens those of another', async () => {
  const rig = await startRig();
  const { admin } = rig.service;
  const guest = await admin.createWorkspace({ name: 'Guest', slug: 'guest' });
  const { key } = await admin.createKey({ workspaceId: guest.id, name: 'guest', role: 'admin' });
  await admin.createGrant({
    grantorId: rig.workspaceId,
    granteeId: guest.id,
    permissions: ['audit.read', 'miners.read'],
  });
  expect((await rig.get(trailPath(rig), { 'x-api-key': key })).status).toBe(404);
  const all = await trailOf(rig);
  expect(all.map(({ action }) => action)).toEqual(expect.arrayContaining(['key.created', 'grant.created']));
  expect(JSON.stringify(all)).not.toContain('Guest');
  expect(await pagesOf(rig, '')).toEqual(all);
  expect(await pagesOf(rig, '&order=oldest')).toEqual(all);
  expect(await pagesOf(rig, '&order=newest')).toEqual(all.toReversed());
  expect((await rig.get(trailPath(rig, '?order=best'))).status).toBe(400);
  const { body } = await rig.get(trailPath(rig, `?since=${new Date(Date.now() + 3_600_000).toISOString()}`));
  expect(body.data).toEqual([]);
  expect((await rig.get(trailPath(rig, '?since=yesterday'))).status).toBe(400);
});

test('what is older than 400 days goes, and the rest is still a whole trail', async () => {
  const rig = await startRig();
  const store = await openStore(rig.databasePath);
  try {
    const before = (await store.checkTrail()).entries;
    await rig.service.admin.createFarm({ workspaceId: rig.workspaceId, name: 'later' });
    await store.prune(Date.now() + 401 * 86_400_000);
    expect(await store.checkTrail()).toMatchObject({ problem: undefined, entries: 1, last: { seq: before + 2 } });
    await rig.service.admin.createFarm({ workspaceId: rig.workspaceId, name: 'last' });
    expect(await store.checkTrail()).toMatchObject({ problem: undefined, entries: 2 });
    await query(rig, `DELETE FROM audit_entries WHERE action = 'trail.pruned'`);
    expect((await store.checkTrail()).problem).toMatchObject({ fault: 'missing' });
  } finally {
    await store.close();
  }
});

test('acts of many at once are one chain', async () => {
  const rig = await startRig();
  const { admin } = rig.service;
  await Promise.all(
    Array.from({ length: 40 }, (_, index) => admin.createFarm({ workspaceId: rig.workspaceId, name: `farm ${index}` })),
  );
  expect(await verdict(rig)).toMatchObject({ problem: undefined });
  expect((await trailOf(rig)).filter(({ action }) => action === 'farm.created')).toHaveLength(40);
});
