// Large pages of every list, which a thread of their own makes: what small pages have, in their order. A client that
// does not read its answers gets no more of them, and costs no other workspace anything.
import { randomUUID } from 'node:crypto';
import { connect as connectSocket } from 'node:net';
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { systemClock } from '../../../src/base/clock.ts';
import { DEFAULT_LIMITS } from '../../../src/service/http/server.ts';
import type { ReportRecord } from '../../../src/wire/records.ts';
import { minerRecord } from './records.ts';
import { type Rig, startOwnedRig, startRig } from './rig.ts';
import { ABILITIES, path as batchPath, create } from './v2-batches.ts';
import { connect, type WireAgent } from './wire-agent.ts';

const MINERS = 450;
const SMALL = 150;

async function fill(rig: Rig, miners: number): Promise<{ agent: WireAgent; ids: string[] }> {
  const agent = await connect(rig);
  const nowMs = rig.clock.nowMs();
  const keys = Array.from({ length: miners }, () => randomUUID());
  const records = keys.map((key, n) => minerRecord(n, nowMs, { key, abilities: ABILITIES }));
  for (let n = 0; n < miners; n += 100) await agent.report(records.slice(n, n + 100));
  const events = keys.map(
    (key, n): ReportRecord => ({
      ...{ kind: 'event', type: 'appeared', key, detail: { n, text: 'naïve ☃' } },
      at: new Date(nowMs - 60_000 + Math.floor(n / 3)).toISOString(),
    }),
  );
  for (let n = 0; n < miners; n += 100) await agent.report(events.slice(n, n + 100));
  const { body } = await rig.get(`${farmPath(rig)}/miners?page_size=10000`);
  return { agent, ids: body.data.map(({ id }: { id: string }) => id) };
}
const farmPath = ({ workspaceId, farmId }: Rig) => `/public-api/v2/workspaces/${workspaceId}/farms/${farmId}`;

let rig: Rig;
let lists: Readonly<Record<string, (size: number, page: number) => Promise<{ data: unknown[]; pagination: unknown }>>>;

beforeAll(async () => {
  const owned = await startOwnedRig();
  rig = owned.rig;
  const { ids } = await fill(rig, MINERS);
  const batch = await create(rig, { task_name: 'miner.system.reboot', miner_ids: ids });
  const id = batch.data[0]?.id ?? '';
  const get = (path: string) => async (size: number, page: number) => {
    const { status, body } = await rig.get(`${path}page_size=${size}&page=${page}`);
    expect([status, body.error]).toEqual([200, null]);
    return body;
  };
  lists = {
    'miners of v1': async (size, page) => (await rig.get(rig.farm(`/miner/latest?pageSize=${size}&page=${page}`))).body,
    'miners of v2': get(`${farmPath(rig)}/miners?mining_modes_not_in=none&`),
    'a search for miners': async (size, page) =>
      (
        await rig.post(`${farmPath(rig)}/miners/search`, {
          search: { field: 'ip', value: '.1' },
          page_size: size,
          page,
        })
      ).body,
    events: get(`${farmPath(rig)}/events?type=appeared&`),
    tasks: get(`${batchPath(rig, `/${id}/tasks`)}?`),
  };
  return owned.stop;
});

test.each(['miners of v1', 'miners of v2', 'a search for miners', 'events', 'tasks'])(
  'a large page of %s has what the small ones have',
  async (name) => {
    const list = lists[name];
    if (list === undefined) throw new Error(`there is no list of ${name}`);
    const small: unknown[] = [];
    for (let page = 1; page <= Math.ceil(MINERS / SMALL); page++) small.push(...(await list(SMALL, page)).data);
    expect(small.length).toBeGreaterThan(SMALL);
    const large = await list(10_000, 1);
    expect(large.data).toEqual(small);
    const total = small.length;
    expect(large.pagination).toMatchObject({ total });
    expect((await list(200, 2)).data).toEqual(small.slice(200, 400));
    expect(await list(10_000, 3)).toMatchObject({ data: [], pagination: { total } });
  },
);

test('the feed too, and it goes on behind the last one', async () => {
  const feed = async (more: string) =>
    (await rig.get(`${farmPath(rig)}/events?type=appeared&since=2000-01-01T00:00:00Z${more}`)).body;
  const { data, pagination } = await feed('&page_size=300');
  expect(pagination).toEqual({ total: MINERS, page: 1, page_size: 300, total_pages: 2 });
  const rest = await feed(`&page_size=10000&after=${data[299].id}`);
  expect([...data, ...rest.data]).toEqual((await feed('&page_size=10000')).data);
  expect(data[0].detail).toEqual({ n: 0, text: 'naïve ☃' });
});

test('a large list of what does not exist is not found', async () => {
  const { status } = await rig.get(`${batchPath(rig, `/${randomUUID()}/tasks`)}?page_size=10000`);
  expect(status).toBe(404);
});

test('who does not read its answers gets no more until it is cut off; others are served meanwhile', async () => {
  const bounds = { perWorkspace: 100_000, total: 1e9 };
  const unsent = { large: bounds, all: bounds, sendMs: 3_000 };
  const slow = await startRig({ limits: { ...DEFAULT_LIMITS, unsent } });
  await fill(slow, 2_000);
  const url = `${farmPath(slow)}/miners?page_size=10000`;
  const socket = connectSocket({ host: '127.0.0.1', port: Number(new URL(slow.url).port) });
  onTestFinished(() => void socket.destroy());
  socket.on('error', () => {});
  // More than the operating system takes on the way to a client that does not read, which it has taken after a while.
  socket.write(`GET ${url} HTTP/1.1\r\nHost: x\r\nx-api-key: ${slow.key}\r\n\r\n`.repeat(8));
  await systemClock.sleep(1_500);
  const { id } = await slow.service.admin.createWorkspace({ name: 'Other', slug: 'other' });
  const { key } = await slow.service.admin.createKey({ workspaceId: id, name: 'other', role: 'admin' });
  const [own, others] = await Promise.all([
    slow.get(`${farmPath(slow)}/miners?page_size=10`),
    slow.get('/public-api/v2/workspaces', { 'x-api-key': key }),
  ]);
  expect([own.status, own.body.message, others.status]).toEqual([429, expect.stringContaining('wait for their'), 200]);
  // It still reads nothing: its connection is gone.
  await expect.poll(async () => (await slow.get(`${farmPath(slow)}/miners?page_size=10`)).status).toBe(200);
});
