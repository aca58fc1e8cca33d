// What happened to miners, over HTTP: as their agents said it, newest first, of one miner or of some types, and of
// one's own farms only.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { eventSchema } from '../../../src/wire/api/tenants.ts';
import type { ReportRecord } from '../../../src/wire/records.ts';
import { minerRecord } from './records.ts';
import { type Rig, startOwnedRig } from './rig.ts';
import { connect } from './wire-agent.ts';

let rig: Rig;
let stop: () => Promise<void>;
let ids: string[];
let agentId: string;

const TASK = { task_id: '0198c0de-0000-4000-8000-0000000000a1', name: 'miner.system.reboot', status: 'succeeded' };

beforeAll(async () => {
  ({ rig, stop } = await startOwnedRig());
  const agent = await connect(rig);
  agentId = agent.identity.agentId;
  const event = (minute: number, key: string, type: string, detail: Record<string, unknown> = {}): ReportRecord => ({
    ...{ kind: 'event', type, key, detail },
    at: new Date(rig.clock.nowMs() - 3_600_000 + minute * 60_000).toISOString(),
  });
  const [one, two] = [minerRecord(1, rig.clock.nowMs()), minerRecord(2, rig.clock.nowMs())];
  await agent.report([
    ...[one, two],
    event(1, one.key, 'appeared'),
    event(2, two.key, 'moved', { from: '10.0.0.1', to: '10.0.0.2' }),
    event(3, one.key, 'task_on_site', TASK),
    event(4, agentId, 'orders_refused', { count: 3 }),
    event(5, two.key, 'repainted_by_a_newer_agent'),
  ]);
  const { body } = await rig.get(rig.farm('/miner/latest'));
  ids = body.data.map(({ id }: { id: string }) => id);
});
afterAll(() => stop());

async function events(parameters = '') {
  const { status, body } = await rig.get(
    `/public-api/v2/workspaces/${rig.workspaceId}/farms/${rig.farmId}/events${parameters}`,
  );
  expect([status, body.error]).toEqual([200, null]);
  for (const item of body.data) expect(eventSchema.parse(item)).toEqual(item);
  return body;
}
const types = async (parameters: string) => (await events(parameters)).data.map(({ type }: { type: string }) => type);

test('all of a farm, newest first, in pages', async () => {
  const all = ['repainted_by_a_newer_agent', 'orders_refused', 'task_on_site', 'moved', 'appeared'];
  expect(await types('')).toEqual(all);
  const { data, pagination } = await events('?page=2&page_size=2');
  expect(data.map(({ type }: { type: string }) => type)).toEqual(all.slice(2, 4));
  expect(pagination).toEqual({ total: 5, page: 2, page_size: 2, total_pages: 3 });
});

test('what a person on site had a miner do stands in the events of that miner', async () => {
  const { data } = await events(`?miner_id=${ids[0]}&type=task_on_site`);
  expect(data).toMatchObject([{ type: 'task_on_site', miner_id: ids[0], agent_id: agentId, detail: TASK }]);
});

test('of one miner, of several types, of nobody', async () => {
  expect(await types(`?miner_id=${ids[1]}`)).toEqual(['repainted_by_a_newer_agent', 'moved']);
  expect(await types('?type=moved,appeared')).toEqual(['moved', 'appeared']);
  expect(await types(`?miner_id=${TASK.task_id}`)).toEqual([]);
});
