// The miner list of v1: every parameter, what it selects, every form it takes, and what it refuses.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { query } from '../unit/service-http/database.ts';
import { type MinerChange, minerRecord } from '../unit/service-http/records.ts';
import { type Rig, startOwnedRig } from '../unit/service-http/rig.ts';
import { connect, enrol, type WireAgent } from '../unit/service-http/wire-agent.ts';
import { type Check, rows } from './rows.ts';

let rig: Rig;
let agents: WireAgent[];
let stop: () => Promise<void>;

/** Miner n sits at 10.0.0.n; `n` is how the tests name it. */
const FLEET: Readonly<Record<number, MinerChange>> = {
  1: {},
  2: { document: { anomaly_flags: 0b1 } },
  3: { document: { anomaly_flags: 0b10_0000_0100 } },
  4: { document: { anomaly_flags: 0b1000_0000, hashrate: 55e12 } },
  5: { document: { mining_mode: 'sleep', hashrate: 0, is_mining: false } },
  6: { document: { mining_mode: 'high', hashrate: 132e12 } },
  7: { document: { unstable_reason: 'sn_empty', serial_number: null }, sn_state: 'empty' },
  8: { document: { hashrate: null }, extras: { expected_hashrate: 100e12 } },
  9: { extras: { expected_hashrate: null } },
  10: { extras: { expected_hashrate: 0 } },
  11: { document: { last_check_succeed: false, last_updated_at: '2020-01-01T00:00:00.000Z' } },
  12: { document: { last_check_succeed: false, last_updated_at: null } },
  13: { mac_state: 'invalid', document: { mac: '01:00:00:00:00:13', unstable_reason: 'mac_invalid' } },
  14: {},
};
const ALL = Object.keys(FLEET).map(Number);

beforeAll(async () => {
  ({ rig, stop } = await startOwnedRig());
  agents = [await connect(rig), await connect(rig)];
  const records = ALL.map((n) => minerRecord(n, rig.clock.nowMs(), FLEET[n]));
  await agents[0]?.report(records.filter((_, index) => index < 13));
  await agents[1]?.report(records.filter((_, index) => index >= 13));
  const farm = await rig.service.admin.createFarm({ workspaceId: rig.workspaceId, name: 'Elsewhere' });
  const elsewhere = await connect(rig, { identity: await enrol(rig, farm.id) });
  await elsewhere.report([minerRecord(900, rig.clock.nowMs())]);
  await elsewhere.close();
  const at = (n: number) => (10 << 24) + n;
  await query(rig, "UPDATE miners SET ops_status = 'maintenance', rack = 'R1', position = 3 WHERE ip_num = ?", at(13));
  await query(rig, "UPDATE miners SET ops_status = 'retired' WHERE ip_num = ?", at(12));
});
afterAll(() => stop());

/** The last octets of what is listed. */
async function listed(parameters: string): Promise<number[]> {
  const { status, body } = await rig.get(rig.farm(`/miner/latest?pageSize=100&${parameters}`));
  expect([status, body.message ?? '']).toEqual([200, '']);
  expect(body.pagination.total).toBe(body.data.length);
  return body.data.map(({ ip }: { ip: string }) => Number(ip.split('.')[3]));
}
const without = (...numbers: number[]) => ALL.filter((n) => !numbers.includes(n));

const selects = (cases: Readonly<Record<string, readonly number[]>>): Record<string, Check> =>
  Object.fromEntries(
    Object.entries(cases).map(([parameters, expected]) => [
      parameters,
      async () => expect(await listed(parameters)).toEqual(expected),
    ]),
  );

/** Per query: what the message says that came and that is accepted; the parameter is the first of the query. */
const refuses = (cases: Readonly<Record<string, readonly [string, string]>>): Record<string, Check> =>
  Object.fromEntries(
    Object.entries(cases).map(([parameters, [received, accepted]]) => [
      `refuses ${parameters}, naming the parameter, what came and what is accepted`,
      async () => {
        const { status, body } = await rig.get(rig.farm(`/miner/latest?${parameters}`));
        expect([status, Object.keys(body).toSorted()]).toEqual([400, ['error', 'message', 'statusCode']]);
        expect(body).toMatchObject({ statusCode: 400, error: 'Bad Request' });
        for (const words of ['Invalid request parameters', `${parameters.split('=')[0]}: received`, received, accepted])
          expect(body.message).toContain(words);
      },
    ]),
  );

rows('1. List miners', {
  page: {
    'is 1 when not given': async () => {
      const { body } = await rig.get(rig.farm('/miner/latest'));
      expect(body.data.map(({ ip }: { ip: string }) => ip)).toEqual(ALL.slice(0, 10).map((n) => `10.0.0.${n}`));
      expect(body.pagination).toEqual({ total: 14, limit: 10, offset: 0, hasNext: true, hasPrevious: false });
    },
    'page=2 has the rest': async () => {
      const { body } = await rig.get(rig.farm('/miner/latest?page=2'));
      expect(body.data).toHaveLength(4);
      expect(body.pagination).toEqual({ total: 14, limit: 10, offset: 10, hasNext: false, hasPrevious: true });
    },
    'a page beyond the end is empty but knows the total': async () => {
      for (const parameters of ['page=3', `page=${Number.MAX_SAFE_INTEGER}&pageSize=10000`]) {
        const { status, body } = await rig.get(rig.farm(`/miner/latest?${parameters}`));
        expect(status).toBe(200);
        expect(body).toMatchObject({ data: [], pagination: { total: 14, hasNext: false, hasPrevious: true } });
      }
    },
    ...refuses({
      'page=0': ['"0"', 'whole number from 1'],
      'page=-1': ['"-1"', 'whole number'],
      'page=1.5': ['"1.5"', 'whole number'],
      'page=one': ['"one"', 'whole number'],
      'page=1&page=2': ['["1","2"]', 'whole number'],
      'page=9007199254740993': ['"9007199254740993"', 'whole number'],
    }),
  },
  pageSize: {
    'is 10 when not given': async () => {
      expect((await rig.get(rig.farm('/miner/latest'))).body.data).toHaveLength(10);
    },
    'a full last page has no next one': async () => {
      const { body } = await rig.get(rig.farm('/miner/latest?pageSize=7&page=2'));
      expect(body.pagination).toEqual({ total: 14, limit: 7, offset: 7, hasNext: false, hasPrevious: true });
    },
    'takes 1 and 10000': async () => {
      for (const [size, count] of [
        [1, 1],
        [10_000, 14],
      ]) {
        const { status, body } = await rig.get(rig.farm(`/miner/latest?pageSize=${size}`));
        expect([status, body.data.length, body.pagination.limit]).toEqual([200, count, size]);
      }
    },
    ...refuses({
      'pageSize=0': ['"0"', 'from 1 to 10000'],
      'pageSize=10001': ['"10001"', 'from 1 to 10000'],
      'pageSize=1e2': ['"1e2"', 'from 1 to 10000'],
    }),
  },
  agent_id: {
    'selects what the agent serves, in any case of its letters': async () => {
      expect(await listed(`agent_id=${agents[1]?.identity.agentId}`)).toEqual([14]);
      expect(await listed(`agent_id=${agents[0]?.identity.agentId.toUpperCase()}`)).toEqual(without(14));
    },
    ...selects({ 'agent_id=00000000-0000-4000-8000-000000000000': [], 'agent_id=': ALL }),
    ...refuses({ 'agent_id=abc': ['"abc"', 'uuid'] }),
  },
  sn: {
    ...selects({
      'sn=SN-0003': [3],
      'sn=sn-0003': [3],
      'sn=HB-0003-1': [3],
      'sn=PSU-0003': [3],
      'sn=CB-0003': [3],
      'sn=SN-000': [],
      'sn=SN-0384': [],
      'sn=': ALL,
    }),
    ...refuses({ 'sn=a&sn=b': ['["a","b"]', 'one value'] }),
  },
  mac: {
    ...selects({
      'mac=02:00:00:00:00:03': [3],
      'mac=02-00-00-00-00-03': [3],
      'mac=020000000003': [3],
      'mac=0200.0000.0003': [3],
      'mac=01:00:00:00:00:13': [13],
      'mac=02:00:00:00:00:ff': [],
      'mac=': ALL,
    }),
    ...refuses({ 'mac=zz': ['"zz"', 'AA:BB:CC:DD:EE:FF'], 'mac=a&mac=b': ['["a","b"]', 'one value'] }),
  },
  status: {
    ...selects({
      'status=online': without(11, 12),
      'status=stale': [11, 12],
      'status=maintenance,retired': [12, 13],
      'status=stale,maintenance': [11, 12, 13],
      'status=stale&status=maintenance': [11, 12, 13],
      'status[]=stale&status[]=maintenance': [11, 12, 13],
      'status=online,stale': ALL,
      'status=': ALL,
    }),
    ...refuses({
      'status=asleep': ['"asleep"', 'online, stale'],
      'status=online,asleep': ['"asleep"', 'online, stale'],
    }),
  },
  status_exclude: {
    ...selects({
      'status_exclude=stale': without(11, 12),
      'status_exclude=offline': without(11, 12),
      'status_exclude=online': [11, 12],
      'status_exclude=maintenance': without(13),
      'status_exclude=stale,maintenance': without(11, 12, 13),
      'status_exclude=stale&status_exclude=maintenance': without(11, 12, 13),
      'status_exclude=overheated': ALL,
      'status=online&status_exclude=maintenance': without(11, 12, 13),
      'status_exclude=maintenance&status=maintenance': [],
    }),
    ...refuses({ 'status_exclude=asleep': ['"asleep"', 'online, stale'] }),
  },
  ops_status: {
    ...selects({
      'ops_status=maintenance': [13],
      'ops_status=maintenance,retired': [12, 13],
      'ops_status=maintenance&ops_status=retired': [12, 13],
      'ops_status=off_rack': [],
      'ops_status=transit': [],
      'ops_status=archived': [],
    }),
    ...refuses({ 'ops_status=online': ['"online"', 'maintenance'] }),
  },
  unstable: {
    ...selects({ 'unstable=true': [7, 13], 'unstable=false': ALL, 'unstable=null': ALL, 'unstable=': ALL }),
    ...refuses({ 'unstable=yes': ['"yes"', 'true, false'] }),
  },
  has_anomaly: {
    ...selects({ 'has_anomaly=true': [2, 3, 4], 'has_anomaly=false': without(2, 3, 4), 'has_anomaly=': ALL }),
    ...refuses({ 'has_anomaly=1': ['"1"', 'true or false'] }),
  },
  anomaly_filters: {
    ...selects({
      'anomaly_filters=fan': [2],
      'anomaly_filters=temperature': [3],
      'anomaly_filters=pool': [3],
      'anomaly_filters=low_hashrate': [4],
      'anomaly_filters=power,hashboard,network,firmware,unknown,control_board': [],
      'anomaly_filters=fan,low_hashrate': [2, 4],
      'anomaly_filters=fan&anomaly_filters=pool': [2, 3],
      'anomaly_filters[]=fan&anomaly_filters[]=pool': [2, 3],
      'anomaly_filters%5B%5D=fan': [2],
      'anomaly_filters=fan&anomaly_filters[]=pool,low_hashrate': [2, 3, 4],
      'has_anomaly=true&anomaly_filters=fan,pool&ip_ranges=10.0.0.3-9': [3],
    }),
    ...refuses({ 'anomaly_filters=fans': ['"fans"', 'fan, power'] }),
  },
  hashrate_realization_min: {
    ...selects({
      'hashrate_realization_min=1': [1, 2, 3, 6, 7, 11, 12, 13, 14],
      'hashrate_realization_min=1.2': [6],
      'hashrate_realization_min=0': without(8, 9, 10),
    }),
    ...refuses({ 'hashrate_realization_min=high': ['"high"', 'decimal'] }),
  },
  hashrate_realization_max: {
    ...selects({
      'hashrate_realization_max=0.5': [4, 5],
      'hashrate_realization_min=0.4&hashrate_realization_max=0.6': [4],
      'hashrate_realization_max=2.5': without(8, 9, 10),
    }),
    ...refuses({
      'hashrate_realization_max=-1': ['"-1"', 'decimal'],
      'hashrate_realization_max=1e400': ['"1e400"', 'decimal'],
    }),
  },
  mining_modes_in: selects({
    'mining_modes_in=sleep': [5],
    'mining_modes_in=sleep,high': [5, 6],
    'mining_modes_in=sleep&mining_modes_in=high': [5, 6],
    'mining_modes_in[]=sleep&mining_modes_in[]=high': [5, 6],
    'mining_modes_in=power_tuning,hashrate_tuning': [],
  }),
  mining_modes_not_in: selects({
    'mining_modes_not_in=sleep': without(5),
    'mining_modes_not_in=sleep,high': without(5, 6),
    'mining_modes_not_in=sleep&mining_modes_not_in=high': without(5, 6),
    'mining_modes_not_in[]=sleep': without(5),
  }),
  ip_ranges: {
    ...selects({
      'ip_ranges=10.0.0.3': [3],
      'ip_ranges=10.0.0.3,10.0.0.5': [3, 5],
      'ip_ranges=10.0.0.3&ip_ranges=10.0.0.5': [3, 5],
      'ip_ranges=10.0.0.4/30': [4, 5, 6, 7],
      'ip_ranges=10.0.0.3-10.0.0.5': [3, 4, 5],
      'ip_ranges=10.0.0.3-5': [3, 4, 5],
      'ip_ranges=10.0.0.3-5,10.0.0.4-10.0.0.6,,10.0.0.14': [3, 4, 5, 6, 14],
      'ip_ranges=,': ALL,
      'ip_ranges=192.168.0.0/16': [],
    }),
    'takes a thousand addresses and ranges at once': async () => {
      const many = Array.from({ length: 600 }, (_, n) => `10.${1 + (n % 200)}.${n >> 8}.${n & 255}`);
      const ranges = Array.from({ length: 150 }, (_, n) => `172.16.${n}.1-9`);
      expect(await listed(`ip_ranges=${[...many, ...ranges, '10.0.0.7'].join(',')}`)).toEqual([7]);
    },
    ...refuses({
      'ip_ranges=10.0.0.300': ['10.0.0.300', 'CIDR'],
      'ip_ranges=10.0.0.1,nonsense': ['nonsense', 'CIDR'],
      'ip_ranges=10.0.0.0/33': ['10.0.0.0/33', 'CIDR'],
      'ip_ranges=10.0.0.9-10.0.0.3': ['10.0.0.9-10.0.0.3', 'downwards'],
    }),
  },
});

rows('1. List miners, text', {
  '`GET /private-api/v1/{workspace_id}/farms/{farm_id}/miner/latest`': async () => {
    const { status } = await rig.get(`/private-api/v1/${rig.workspaceId}/farms/${rig.farmId}/miner/latest`);
    expect(status).toBe(200);
  },
  'Returns the latest status of the miners of the farm': selects({ '': ALL }),
  'Query parameters (all optional)': {
    'parameters that nobody knows are ignored, and named': async () => {
      const { headers } = await rig.get(`${rig.farm('/miner/latest')}?some_other_parameter=1&_=2`);
      expect(headers.get('x-ignored-parameters')).toBe('some_other_parameter');
      expect(await listed('some_other_parameter=1')).toEqual(ALL);
    },
    'a misspelt filter is refused, and so are filters that only v2 has': async () => {
      for (const query of ['stauts=stale', 'has_anomalie=true', 'rack=NOPE', 'model=S19', 'page_size=5', 'limit=5']) {
        const { status, body } = await rig.get(`${rig.farm('/miner/latest')}?${query}`);
        expect([query, status, body.error]).toEqual([query, 400, 'Bad Request']);
        expect(body.message).toContain(query.split('=')[0]);
      }
    },
    'what people type cannot become part of a statement': async () => {
      for (const text of ["' OR 1=1 --", '"; DROP TABLE miners; --', '%', '_', '\u0000', '\\'])
        expect(await listed(`sn=${encodeURIComponent(text)}&mining_modes_in=${encodeURIComponent(text)}`)).toEqual([]);
      expect(await listed('')).toEqual(ALL);
    },
  },
  '`online` (actively mining and connected), `offline`, `stale`, `archived`, `off_rack`, `transit`, `maintenance`, `retired`':
    selects({
      'status=online': without(11, 12),
      'status=offline': [11, 12],
      'status=stale': [11, 12],
      'status=archived': [],
      'status=off_rack': [],
      'status=transit': [],
      'status=maintenance': [13],
      'status=retired': [12],
    }),
  'Run status values and ops status values are both accepted': selects({
    'status=stale,maintenance': [11, 12, 13],
    'status=online,retired': without(11),
  }),
  'filtering by `online` does not exclude miners that have an ops status': async () => {
    expect(await listed('status=online')).toContain(13);
  },
  '`error` (use anomaly_filters), `low_hashrate` (use hashrate realization range), `overheated`': selects({
    'status=error': ALL,
    'status=low_hashrate': ALL,
    'status=overheated': ALL,
    'status=overpower': ALL,
    'status=underpower': ALL,
    'status=overclocking': ALL,
  }),
  'Deprecated health values are ignored by the service': selects({
    'status=error,low_hashrate,overpower,underpower,overclocking': ALL,
    'status=overheated,stale': [11, 12],
  }),
  '`offline` is treated as `stale`': selects({
    'status=offline': [11, 12],
    'status=offline,maintenance': [11, 12, 13],
  }),
  '`{success: true, data: [Miner], pagination, error: null}`': async () => {
    const { body } = await rig.get(rig.farm('/miner/latest'));
    expect(Object.keys(body).toSorted()).toEqual(['data', 'error', 'pagination', 'success']);
    expect(body).toMatchObject({ success: true, error: null });
  },
});

rows('Miner run status', {
  online: async () => {
    const { body } = await rig.get(rig.farm('/miner/latest?ip_ranges=10.0.0.1'));
    expect(body.data[0]).toMatchObject({ status: 'online', stale: false });
  },
  stale: {
    'after three intervals without a good reading, and back with the next one': async () => {
      const read = async () => (await rig.get(rig.farm('/miner/latest?ip_ranges=10.0.0.14'))).body.data[0].status;
      // They were read some time ago: as long as the tests before this one took.
      rig.clock.step(120_000);
      expect(await read()).toBe('online');
      rig.clock.step(61_000);
      expect(await read()).toBe('stale');
      rig.clock.step(-181_000);
      expect(await read()).toBe('online');
    },
    'when no reading ever succeeded': async () => {
      const { body } = await rig.get(rig.farm('/miner/latest?ip_ranges=10.0.0.12'));
      expect(body.data[0]).toMatchObject({ status: 'stale', stale: true, last_updated_at: null });
    },
  },
});

rows('Miner run status, text', {
  'The list filter `status` also accepts the value `offline`': selects({ 'status=offline': [11, 12] }),
  'not a value of the returned `status` field': async () => {
    const { body } = await rig.get(rig.farm('/miner/latest?pageSize=100'));
    const seen = new Set(body.data.map(({ status }: { status: string }) => status));
    expect([...seen].toSorted()).toEqual(['online', 'stale']);
  },
});

rows('Miner ops status', {
  '`maintenance`, `retired`, `off_rack`, `transit`, `archived`, or null (no ops intervention)': async () => {
    const words = ['maintenance', 'retired', 'off_rack', 'transit', 'archived', null];
    for (const word of words) {
      await query(rig, 'UPDATE miners SET ops_status = ? WHERE ip_num = ?', word, (10 << 24) + 1);
      const { body } = await rig.get(rig.farm(`/miner/latest?ip_ranges=10.0.0.1${word ? `&ops_status=${word}` : ''}`));
      expect(body.data).toMatchObject([{ ops_status: word, lifecycle_status: word ?? 'online' }]);
    }
  },
  'Run status and ops status are independent: a miner with an ops status keeps its run status': async () => {
    const { body } = await rig.get(rig.farm('/miner/latest?ip_ranges=10.0.0.12-13'));
    expect(body.data).toMatchObject([
      { status: 'stale', ops_status: 'retired', lifecycle_status: 'retired' },
      { status: 'online', ops_status: 'maintenance', lifecycle_status: 'maintenance' },
    ]);
  },
});

test('the page of a farm without miners is empty', async () => {
  const farm = await rig.service.admin.createFarm({ workspaceId: rig.workspaceId, name: 'Empty' });
  const { body } = await rig.get(`/private-api/v1/${rig.workspaceId}/farms/${farm.id}/miner/latest?page=3`);
  const pagination = { total: 0, limit: 10, offset: 20, hasNext: false, hasPrevious: false };
  expect(body).toEqual({ success: true, data: [], pagination, error: null });
});
