// Agents of v1: every field, and the search with each filter, each operator and what it refuses.
import { afterAll, beforeAll, expect } from 'vitest';
import { hostRecord } from '../unit/service-http/records.ts';
import { type Rig, startOwnedRig } from '../unit/service-http/rig.ts';
import { connect, enrol } from '../unit/service-http/wire-agent.ts';
import { type Check, rows } from './rows.ts';

const ISO_UTC = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?Z$/;
const UNKNOWN = '01900000-0000-7000-8000-000000000000';

let rig: Rig;
let stop: () => Promise<void>;
let reportedMs: number;
/** Of the agent that is online, in the farm of the rig; and of the one that is not, in the other farm. */
let onlineId: string;
let offlineId: string;
let secondFarmId: string;
/** As JSON came. */
let online: ReturnType<typeof JSON.parse>;

const search = (body: unknown = {}) => rig.post(`/private-api/v1/${rig.workspaceId}/agents/search`, body);

beforeAll(async () => {
  ({ rig, stop } = await startOwnedRig());
  secondFarmId = (await rig.service.admin.createFarm({ workspaceId: rig.workspaceId, name: null })).id;
  const gone = await connect(rig, { identity: await enrol(rig, secondFarmId) });
  await gone.report([hostRecord(rig.clock.nowMs())]);
  await gone.close();
  rig.clock.step(120_000);
  const here = await connect(rig);
  reportedMs = rig.clock.nowMs();
  await here.report([hostRecord(reportedMs - 60_000, { uptime: 1 }), hostRecord(reportedMs)]);
  // One that has not said yet what it runs on.
  await connect(rig);
  [onlineId, offlineId] = [here.identity.agentId, gone.identity.agentId];
  online = (await search()).body.data[0];
});
afterAll(() => stop());

const ids = async (body: unknown) => (await search(body)).body.data.map(({ id }: { id: string }) => id);
const refuses =
  (...cases: (readonly [object, string])[]): Check =>
  async () => {
    for (const [body, words] of cases) {
      const answer = await search(body);
      expect([answer.status, Object.keys(answer.body).toSorted()]).toEqual([400, ['error', 'message', 'statusCode']]);
      expect(answer.body.message).toContain(words);
    }
  };
const is = (field: string, value: unknown) => (): void => expect(online[field]).toEqual(value);

rows('Agent', {
  id: () => is('id', onlineId)(),
  farm_id: () => is('farm_id', rig.farmId)(),
  farm: async () => {
    is('farm', { id: rig.farmId, name: 'Default' })();
    const { body } = await search({ farm_id: { eq: secondFarmId } });
    expect(body.data[0].farm).toEqual({ id: secondFarmId, name: null });
  },
  workspace_id: () => is('workspace_id', rig.workspaceId)(),
  status: is('status', 'online'),
  last_updated_at: () => is('last_updated_at', new Date(reportedMs).toISOString())(),
  last_online_at: () => {
    expect(online.last_online_at).toMatch(ISO_UTC);
    expect(Date.parse(online.last_online_at)).toBeGreaterThanOrEqual(reportedMs - 1_000);
  },
  version: is('version', '1.2.3'),
  uptime: is('uptime', 42),
  host: () => {
    is('host', hostRecord(reportedMs).host)();
    expect(Object.keys(online)).toHaveLength(10);
  },
});

rows('Agent, host', {
  '`platform` (string)': () => expect(online.host.platform).toBe('linux'),
  '`os` (string)': () => expect(online.host.os).toBe('Debian GNU/Linux 12'),
  '`cpu_count` (number)': () => expect(online.host.cpu_count).toBe(4),
  '`uptime` (number)': () => expect(online.host.uptime).toBe(1000),
  '`timestamp` (number, epoch seconds in the sample)': () =>
    expect(online.host.timestamp).toBe(Math.floor(reportedMs / 1000)),
  '`load_average` (array of 3 numbers)': () => expect(online.host.load_average).toEqual([0.1, 0.2, 0.3]),
  '`total`, `free`, `used`, `swap_total`, `swap_free`, `swap_used`, all numbers, bytes in the sample': () =>
    expect(online.host.memory).toEqual({
      total: 8e9,
      free: 4e9,
      used: 4e9,
      swap_total: 0,
      swap_free: 0,
      swap_used: 0,
    }),
  '`ip` (string)': () => expect(online.host.ip).toBe('10.0.0.2'),
  '`hostname` (string)': () => {
    expect(online.host.hostname).toBe('agent-host');
    expect(Object.keys(online.host)).toHaveLength(9);
  },
});

rows('Agent status', {
  '`online`, `offline`': async () => {
    const { body } = await search();
    expect(body.data.map(({ status }: { status: string }) => status)).toEqual(['online', 'offline']);
  },
});

rows('5. Search agents', {
  '`POST /private-api/v1/{workspace_id}/agents/search`, JSON body, all fields optional': {
    'without conditions all that have said what they run on': async () => {
      expect(await ids({})).toEqual([onlineId, offlineId]);
    },
    'refuses fields that it does not have': refuses([{ name: 'x' }, '"name"'], [{ pageSize: 1 }, '"pageSize"']),
  },
  '`farm_id` (filter object, enum or id operators, at least one)': {
    'eq, ne, in, nin': async () => {
      expect(await ids({ farm_id: { eq: secondFarmId } })).toEqual([offlineId]);
      expect(await ids({ farm_id: { ne: secondFarmId } })).toEqual([onlineId]);
      expect(await ids({ farm_id: { in: [secondFarmId, rig.farmId] } })).toEqual([onlineId, offlineId]);
      expect(await ids({ farm_id: { nin: [rig.farmId] } })).toEqual([offlineId]);
      expect(await ids({ farm_id: { eq: secondFarmId }, status: { eq: 'online' } })).toEqual([]);
    },
    refuses: refuses([{ farm_id: {} }, 'farm_id'], [{ farm_id: 'x' }, 'farm_id'], [{ farm_id: { gt: 'x' } }, '"gt"']),
    'a farm that the key may not use is denied': async () => {
      for (const farm_id of [{ eq: UNKNOWN }, { in: ['nonsense'] }]) {
        const { status, body } = await search({ farm_id });
        expect([status, body]).toEqual([
          403,
          { statusCode: 403, message: 'Access denied to farm', error: 'Forbidden' },
        ]);
      }
    },
  },
  '`status` (filter object, same rule)': {
    'eq, ne, in, nin': async () => {
      expect(await ids({ status: { eq: 'online' } })).toEqual([onlineId]);
      expect(await ids({ status: { ne: 'online' } })).toEqual([offlineId]);
      expect(await ids({ status: { in: ['online', 'offline'] } })).toEqual([onlineId, offlineId]);
      expect(await ids({ status: { nin: ['offline'] } })).toEqual([onlineId]);
    },
    refuses: refuses([{ status: { eq: 'asleep' } }, 'status.eq'], [{ status: {} }, 'status']),
  },
  '`page` (integer 1 to 9007199254740991)': {
    'the second page has the rest, one beyond the end is empty': async () => {
      const { body } = await search({ page: 2, limit: 1 });
      expect(body.data).toMatchObject([{ id: offlineId }]);
      expect(body.pagination).toEqual({ total: 2, limit: 1, offset: 1, hasNext: false, hasPrevious: true });
      const far = await search({ page: 9007199254740991 });
      expect([far.status, far.body.data, far.body.pagination.total]).toEqual([200, [], 2]);
    },
    refuses: refuses([{ page: 0 }, 'page'], [{ page: '1' }, 'page'], [{ page: 1.5 }, 'page']),
  },
  '`limit` (integer 1 to 10000)': {
    'is 10 when not given': async () => expect((await search()).body.pagination.limit).toBe(10),
    'takes 1 and 10000': async () => {
      expect(await ids({ limit: 1 })).toEqual([onlineId]);
      expect(await ids({ limit: 10_000 })).toHaveLength(2);
    },
    refuses: refuses([{ limit: 0 }, 'limit'], [{ limit: 10_001 }, 'limit']),
  },
  '`{success, data: [Agent], pagination, error: null}`': async () => {
    const { body } = await search();
    expect(Object.keys(body).toSorted()).toEqual(['data', 'error', 'pagination', 'success']);
    expect(body).toMatchObject({ success: true, error: null });
  },
});
