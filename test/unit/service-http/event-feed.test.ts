// Events as a feed over HTTP: flags that were raised and cleared with their evidence, agents that went and came back,
// tasks with who ordered them; a client that goes on behind the last id gets each event once.
import { randomUUID } from 'node:crypto';
import { expect, onTestFinished, test } from 'vitest';
import { toBitmask } from '../../../src/model/flags/anomaly-types.ts';
import type { Flag } from '../../../src/model/flags/flags.ts';
import { openStore } from '../../../src/service/store/store.ts';
import type { ReportRecord } from '../../../src/wire/records.ts';
import { query } from './database.ts';
import { minerRecord } from './records.ts';
import { type Rig, startRig } from './rig.ts';
import { connect, enrol } from './wire-agent.ts';

type Event = { id: string; type: string; miner_id: string | null; agent_id: string | null; detail: object };

const path = (rig: Rig, parameters: string) =>
  `/public-api/v2/workspaces/${rig.workspaceId}/farms/${rig.farmId}/events${parameters}`;

async function feed(rig: Rig, parameters = '?since=2000-01-01T00:00:00Z'): Promise<Event[]> {
  const { status, body } = await rig.get(path(rig, parameters));
  expect([status, body.error]).toEqual([200, null]);
  return body.data;
}
const typesOf = (events: readonly Event[]) => events.map(({ type }) => type);

const flag = (type: Flag['type'], value: number): Flag => ({
  type,
  since: '2026-01-01T00:00:00.000Z',
  severity: 'major',
  value,
  limit: 10,
  source: 'fans[0].rpm',
  message: 'a fan stands still',
});

test('flags are events when they are raised and when they are cleared, each once and with its evidence', async () => {
  const rig = await startRig();
  const agent = await connect(rig);
  const key = randomUUID();
  const report = (...flags: Flag[]) => {
    const document = { anomaly_flags: toBitmask(flags.map(({ type }) => type)) };
    return agent.report([minerRecord(1, rig.clock.nowMs(), { key, document, extras: { flags } })]);
  };
  await report();
  await report(flag('fan', 3));
  await report(flag('fan', 2));
  await report(flag('fan', 1), flag('pool', 0));
  await report(flag('pool', 0));
  const [miner] = await query(rig, 'SELECT id FROM miners');
  const events = await feed(rig);
  expect(events).toMatchObject([
    { type: 'flag_raised', miner_id: miner?.id, detail: { flag: 'fan', value: 3, limit: 10, severity: 'major' } },
    { type: 'flag_raised', detail: { flag: 'pool', value: 0 } },
    { type: 'flag_cleared', miner_id: miner?.id, detail: { flag: 'fan', value: 1, since: '2026-01-01T00:00:00.000Z' } },
  ]);
});

test('within one slice each report counts, and a miner that comes with a flag has it raised', async () => {
  const rig = await startRig();
  const agent = await connect(rig);
  const key = randomUUID();
  const record = (mask: number) => minerRecord(1, rig.clock.nowMs(), { key, document: { anomaly_flags: mask } });
  await agent.report([record(1), record(0), record(2)]);
  const events = await feed(rig);
  expect(events.map(({ type, detail }) => [type, detail])).toEqual([
    ['flag_raised', { flag: 'fan' }],
    ['flag_cleared', { flag: 'fan' }],
    ['flag_raised', { flag: 'power' }],
  ]);
});

test('a miner that appeared is named, also where the event comes before its first report', async () => {
  const rig = await startRig();
  const agent = await connect(rig);
  const [early, late] = [minerRecord(1, rig.clock.nowMs()), minerRecord(2, rig.clock.nowMs())];
  const appeared = ({ key, at }: { key: string; at: string }): ReportRecord => ({
    ...{ kind: 'event', type: 'appeared', key, at, detail: { of: key } },
  });
  await agent.report([appeared(early), appeared(late)]);
  expect(await feed(rig)).toEqual([]);
  await agent.report([early]);
  await agent.report([late]);
  const miners = await query(rig, 'SELECT id, agent_key FROM miners ORDER BY agent_key');
  const events = await feed(rig);
  expect(events.map(({ detail, miner_id }) => [detail, miner_id])).toEqual([
    [{ of: early.key }, miners.find((miner) => miner.agent_key === early.key)?.id],
    [{ of: late.key }, miners.find((miner) => miner.agent_key === late.key)?.id],
  ]);
  expect(await query(rig, 'SELECT * FROM held_events')).toEqual([]);
});

test('tasks are events when they are ordered and when they end, and name who ordered them', async () => {
  const rig = await startRig();
  const agent = await connect(rig);
  const record = minerRecord(1, rig.clock.nowMs());
  await agent.report([record]);
  const [miner] = await query(rig, 'SELECT id FROM miners');
  await rig.post(rig.farm('/tasks/batches'), { task_name: 'miner.system.reboot', miner_ids: [miner?.id] });
  const { task_id } = await agent.frame('task');
  const at = new Date(rig.clock.nowMs()).toISOString();
  const step = (status: 'running' | 'succeeded'): ReportRecord => ({
    ...{ kind: 'task', task_id, status, at, message: 'it restarted', evidence: {} },
  });
  await agent.report([step('running')]);
  await agent.report([step('succeeded')]);
  const [created, ended, ...more] = await feed(rig);
  const actor = { type: 'api_key', name: 'test', id: expect.any(String) };
  expect(created).toMatchObject({
    type: 'task_created',
    detail: { name: 'miner.system.reboot', task_count: 1, actor },
  });
  expect(ended).toMatchObject({
    ...{ type: 'task_ended', miner_id: miner?.id },
    detail: { task_id, status: 'succeeded', message: 'it restarted', actor },
  });
  expect(more).toEqual([]);
});

test('an agent that goes is an event once, and one when it is back; one that never came is noticed too', async () => {
  const rig = await startRig();
  const { agentId: absent } = await enrol(rig);
  const agent = await connect(rig);
  await agent.report([]);
  await agent.close();
  const { agentId } = agent.identity;
  const store = await openStore(rig.databasePath);
  onTestFinished(() => store.close());
  const beganMs = rig.clock.nowMs();
  const lookAfter = (ms: number) => store.events.notePresence(beganMs + ms);
  await lookAfter(100_000);
  expect(await feed(rig)).toEqual([]);
  await lookAfter(150_000);
  await lookAfter(160_000);
  expect(await feed(rig)).toMatchObject([
    { type: 'agent_offline', agent_id: agentId, detail: { name: 'test agent', last_seen_at: expect.any(String) } },
  ]);
  await lookAfter(700_000);
  await store.agents.touch([agentId], beganMs + 800_000);
  await lookAfter(801_000);
  const [, never, back, ...more] = await feed(rig);
  expect(never).toMatchObject({ type: 'agent_offline', agent_id: absent, detail: { last_seen_at: null } });
  expect(back).toMatchObject({ type: 'agent_online', agent_id: agentId, detail: { name: 'test agent' } });
  expect(more).toEqual([]);
});

test('a client that goes on behind the last id gets every event once, in pages of any size', async () => {
  const rig = await startRig();
  const agent = await connect(rig);
  const at = new Date(rig.clock.nowMs()).toISOString();
  const event = (n: number): ReportRecord => ({
    ...{ kind: 'event', type: n % 2 ? 'odd' : 'even', key: agent.identity.agentId, at, detail: { n } },
  });
  const got: unknown[] = [];
  let after = '';
  for (let n = 0; n < 12; n++) {
    await agent.report([event(n), event(n + 100)]);
    const parameters = after === '' ? '?since=2000-01-01T00:00:00%2B00:00' : `?after=${after}`;
    for (const { id, detail } of await feed(rig, `${parameters}&page_size=1`)) {
      got.push(detail);
      after = id;
    }
  }
  for (const { detail } of await feed(rig, `?after=${after}&page_size=100`)) got.push(detail);
  expect(got).toEqual(Array.from({ length: 12 }, (_, n) => [{ n }, { n: n + 100 }]).flat());
  expect(typesOf(await feed(rig, `?after=${after}&type=odd&page_size=3`))).toEqual(['odd', 'odd', 'odd']);
});

test('an id of another farm, one that was never given and a page in a feed are refused with a reason', async () => {
  const rig = await startRig();
  const refused = async (parameters: string) => {
    const { status, body } = await rig.get(path(rig, parameters));
    return [status, body.message];
  };
  expect(await refused(`?after=${randomUUID()}.1`)).toEqual([400, expect.stringContaining('no event of this farm')]);
  expect(await refused(`?after=${rig.farmId}.1`)).toEqual([400, expect.stringContaining('restored')]);
  expect(await refused('?after=17')).toEqual([400, expect.stringContaining('after')]);
  expect(await refused('?since=yesterday')).toEqual([400, expect.stringContaining('ISO 8601')]);
  expect(await refused('?since=2026-01-01T00:00:00Z&page=2')).toEqual([400, expect.stringContaining('page')]);
});

test('an agent that reports no end of events is cut off, and an event says so', async () => {
  const rig = await startRig();
  const agent = await connect(rig);
  const at = new Date(rig.clock.nowMs()).toISOString();
  const flood = Array.from({ length: 450 }, (_, n): ReportRecord => {
    return { kind: 'event', type: 'noise', key: agent.identity.agentId, at, detail: { n } };
  });
  for (let n = 0; n < 6; n++) await agent.report(flood);
  const counts = await query(rig, 'SELECT type, count(*) AS n FROM events GROUP BY type ORDER BY type');
  expect(counts).toEqual([
    { type: 'events_refused', n: 1 },
    { type: 'noise', n: 2_000 },
  ]);
  const gaps = await query(rig, "SELECT count FROM gaps WHERE reason = 'events_refused' ORDER BY count");
  expect(gaps).toEqual([{ count: 250 }, { count: 450 }]);
});
