// Every parameter of the miner list: what it selects, every form it takes, and what it refuses.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { query } from './database.ts';
import { type MinerChange, minerRecord } from './records.ts';
import { type Rig, startOwnedRig } from './rig.ts';
import { connect, type WireAgent } from './wire-agent.ts';

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
  const at = (n: number) => (10 << 24) + n;
  await query(rig, "UPDATE miners SET ops_status = 'maintenance', rack = 'R1', position = 3 WHERE ip_num = ?", at(13));
  await query(rig, "UPDATE miners SET ops_status = 'retired' WHERE ip_num = ?", at(12));
});
afterAll(() => stop());

const get = (parameters: string) => rig.get(rig.farm(`/miner/latest?pageSize=100&${parameters}`));

/** The last octets of what is listed. */
async function listed(parameters: string): Promise<number[]> {
  const { status, body } = await get(parameters);
  expect([status, body.message ?? '']).toEqual([200, '']);
  expect(body.pagination.total).toBe(body.data.length);
  return body.data.map(({ ip }: { ip: string }) => Number(ip.split('.')[3]));
}
const without = (...numbers: number[]) => ALL.filter((n) => !numbers.includes(n));

test('without parameters: ten per page, by address as a number, the rest on the next page', async () => {
  const { body: first } = await rig.get(rig.farm('/miner/latest'));
  expect(first.data).toHaveLength(10);
  expect(first.data.map(({ ip }: { ip: string }) => ip)).toEqual(ALL.slice(0, 10).map((n) => `10.0.0.${n}`));
  expect(first.pagination).toEqual({ total: 14, limit: 10, offset: 0, hasNext: true, hasPrevious: false });
  const { body: second } = await rig.get(rig.farm('/miner/latest?page=2'));
  expect(second.pagination).toEqual({ total: 14, limit: 10, offset: 10, hasNext: false, hasPrevious: true });
  expect(second.data).toHaveLength(4);
});

test('a full last page has no next one, a page beyond the end is empty but knows the total', async () => {
  const { body: exact } = await rig.get(rig.farm('/miner/latest?pageSize=7&page=2'));
  expect(exact.pagination).toEqual({ total: 14, limit: 7, offset: 7, hasNext: false, hasPrevious: true });
  const { status, body: beyond } = await rig.get(
    rig.farm(`/miner/latest?page=${Number.MAX_SAFE_INTEGER}&pageSize=10000`),
  );
  expect(status).toBe(200);
  expect(beyond).toMatchObject({ data: [], pagination: { total: 14, hasNext: false, hasPrevious: true } });
});

test('rack, position and ops status are served, and lifecycle_status follows the ops status', async () => {
  const { body } = await get('ip_ranges=10.0.0.13');
  expect(body.data[0]).toMatchObject({
    rack: 'R1',
    position: 3,
    ops_status: 'maintenance',
    lifecycle_status: 'maintenance',
    status: 'online',
  });
});

describe('selects', () => {
  test.each<[string, number[]]>([
    ['status=online', without(11, 12)],
    ['status=stale', [11, 12]],
    ['status=offline', [11, 12]],
    ['status=maintenance', [13]],
    ['status=maintenance,retired', [12, 13]],
    ['status=stale,maintenance', [11, 12, 13]],
    ['status=stale&status=maintenance', [11, 12, 13]],
    ['status[]=stale&status[]=maintenance', [11, 12, 13]],
    ['status=online,stale', ALL],
    ['status=overheated', ALL],
    ['status=error,low_hashrate,overpower,underpower,overclocking', ALL],
    ['status=overheated,stale', [11, 12]],
    ['status=', ALL],
    ['status_exclude=stale', without(11, 12)],
    ['status_exclude=offline', without(11, 12)],
    ['status_exclude=online', [11, 12]],
    ['status_exclude=maintenance', without(13)],
    ['status_exclude=stale,maintenance', without(11, 12, 13)],
    ['status_exclude=overheated', ALL],
    ['status=online&status_exclude=maintenance', without(11, 12, 13)],
    ['status=archived', []],
    ['ops_status=maintenance', [13]],
    ['ops_status=maintenance,retired', [12, 13]],
    ['ops_status=maintenance&ops_status=retired', [12, 13]],
    ['ops_status=transit', []],
    ['unstable=true', [7, 13]],
    ['unstable=false', ALL],
    ['unstable=null', ALL],
    ['unstable=', ALL],
    ['has_anomaly=true', [2, 3, 4]],
    ['has_anomaly=false', without(2, 3, 4)],
    ['has_anomaly=', ALL],
    ['anomaly_filters=fan', [2]],
    ['anomaly_filters=temperature', [3]],
    ['anomaly_filters=pool', [3]],
    ['anomaly_filters=low_hashrate', [4]],
    ['anomaly_filters=fan,low_hashrate', [2, 4]],
    ['anomaly_filters=fan&anomaly_filters=pool', [2, 3]],
    ['anomaly_filters[]=fan&anomaly_filters[]=pool', [2, 3]],
    ['anomaly_filters%5B%5D=fan', [2]],
    ['anomaly_filters=fan&anomaly_filters[]=pool,low_hashrate', [2, 3, 4]],
    ['anomaly_filters=control_board', []],
    ['hashrate_realization_min=1', [1, 2, 3, 6, 7, 11, 12, 13, 14]],
    ['hashrate_realization_min=1.2', [6]],
    ['hashrate_realization_max=0.5', [4, 5]],
    ['hashrate_realization_min=0.4&hashrate_realization_max=0.6', [4]],
    ['hashrate_realization_min=0', without(8, 9, 10)],
    ['mining_modes_in=sleep', [5]],
    ['mining_modes_in=sleep,high', [5, 6]],
    ['mining_modes_in[]=sleep&mining_modes_in[]=high', [5, 6]],
    ['mining_modes_in=power_tuning', []],
    ['mining_modes_not_in=sleep', without(5)],
    ['mining_modes_not_in=sleep&mining_modes_not_in=high', without(5, 6)],
    ['ip_ranges=10.0.0.3', [3]],
    ['ip_ranges=10.0.0.3,10.0.0.5', [3, 5]],
    ['ip_ranges=10.0.0.3&ip_ranges=10.0.0.5', [3, 5]],
    ['ip_ranges=10.0.0.4/30', [4, 5, 6, 7]],
    ['ip_ranges=10.0.0.3-10.0.0.5', [3, 4, 5]],
    ['ip_ranges=10.0.0.3-5', [3, 4, 5]],
    ['ip_ranges=10.0.0.3-5,10.0.0.4-10.0.0.6,,10.0.0.14', [3, 4, 5, 6, 14]],
    ['ip_ranges=,', ALL],
    ['ip_ranges=192.168.0.0/16', []],
    ['mac=02:00:00:00:00:03', [3]],
    ['mac=02-00-00-00-00-03', [3]],
    ['mac=020000000003', [3]],
    ['mac=0200.0000.0003', [3]],
    ['mac=01:00:00:00:00:13', [13]],
    ['mac=02:00:00:00:00:ff', []],
    ['mac=', ALL],
    ['sn=SN-0003', [3]],
    ['sn=sn-0003', [3]],
    ['sn=HB-0003-1', [3]],
    ['sn=PSU-0003', [3]],
    ['sn=CB-0003', [3]],
    ['sn=SN-000', []],
    ['sn=', ALL],
    ['has_anomaly=true&anomaly_filters=fan,pool&ip_ranges=10.0.0.3-9', [3]],
    ['some_other_parameter=1', ALL],
  ])('%s', async (parameters, expected) => {
    expect(await listed(parameters)).toEqual(expected);
  });

  test('agent_id', async () => {
    expect(await listed(`agent_id=${agents[1]?.identity.agentId}`)).toEqual([14]);
    expect(await listed(`agent_id=${agents[0]?.identity.agentId.toUpperCase()}`)).toEqual(without(14));
    expect(await listed('agent_id=00000000-0000-4000-8000-000000000000')).toEqual([]);
  });

  test('a thousand addresses and ranges at once', async () => {
    const many = Array.from({ length: 600 }, (_, n) => `10.${1 + (n % 200)}.${n >> 8}.${n & 255}`);
    const ranges = Array.from({ length: 150 }, (_, n) => `172.16.${n}.1-9`);
    const parameters = `ip_ranges=${[...many, ...ranges, '10.0.0.7'].join(',')}`;
    expect(parameters.length).toBeLessThan(15_000);
    expect(await listed(parameters)).toEqual([7]);
  });
});

describe('refuses, naming the parameter, what came and what is accepted', () => {
  test.each([
    ['page=0', 'page', '"0"', 'whole number from 1'],
    ['page=-1', 'page', '"-1"', 'whole number'],
    ['page=1.5', 'page', '"1.5"', 'whole number'],
    ['page=one', 'page', '"one"', 'whole number'],
    ['page=', 'page', '""', 'whole number'],
    ['page=1&page=2', 'page', '["1","2"]', 'whole number'],
    ['page=9007199254740993', 'page', '"9007199254740993"', 'whole number'],
    ['pageSize=0', 'pageSize', '"0"', 'from 1 to 10000'],
    ['pageSize=10001', 'pageSize', '"10001"', 'from 1 to 10000'],
    ['pageSize=1e2', 'pageSize', '"1e2"', 'from 1 to 10000'],
    ['agent_id=abc', 'agent_id', '"abc"', 'uuid'],
    ['mac=zz', 'mac', '"zz"', 'AA:BB:CC:DD:EE:FF'],
    ['mac=a&mac=b', 'mac', '["a","b"]', 'one value'],
    ['sn=a&sn=b', 'sn', '["a","b"]', 'one value'],
    ['status=asleep', 'status', '"asleep"', 'online, stale'],
    ['status=online,asleep', 'status', '"asleep"', 'online, stale'],
    ['status_exclude=asleep', 'status_exclude', '"asleep"', 'online, stale'],
    ['ops_status=online', 'ops_status', '"online"', 'maintenance'],
    ['unstable=yes', 'unstable', '"yes"', 'true, false'],
    ['has_anomaly=1', 'has_anomaly', '"1"', 'true or false'],
    ['anomaly_filters=fans', 'anomaly_filters', '"fans"', 'fan, power'],
    ['hashrate_realization_min=high', 'hashrate_realization_min', '"high"', 'decimal'],
    ['hashrate_realization_max=-1', 'hashrate_realization_max', '"-1"', 'decimal'],
    ['hashrate_realization_max=1e400', 'hashrate_realization_max', '"1e400"', 'decimal'],
    ['ip_ranges=10.0.0.300', 'ip_ranges', '10.0.0.300', 'CIDR'],
    ['ip_ranges=10.0.0.1,nonsense', 'ip_ranges', 'nonsense', 'CIDR'],
    ['ip_ranges=10.0.0.0/33', 'ip_ranges', '10.0.0.0/33', 'CIDR'],
    ['ip_ranges=10.0.0.9-10.0.0.3', 'ip_ranges', '10.0.0.9-10.0.0.3', 'downwards'],
  ])('%s', async (parameters, name, received, accepted) => {
    const { status, body } = await rig.get(rig.farm(`/miner/latest?${parameters}`));
    expect(status).toBe(400);
    expect(Object.keys(body).toSorted()).toEqual(['error', 'message', 'statusCode']);
    expect(body).toMatchObject({ statusCode: 400, error: 'Bad Request' });
    expect(body.message).toContain('Invalid request parameters');
    expect(body.message).toContain(`${name}: received`);
    expect(body.message).toContain(received);
    expect(body.message).toContain(accepted);
  });
});

test('what people type cannot become part of a statement', async () => {
  for (const text of ["' OR 1=1 --", '"; DROP TABLE miners; --', '%', '_', '\u0000', '\\'])
    expect(await listed(`sn=${encodeURIComponent(text)}&mining_modes_in=${encodeURIComponent(text)}`)).toEqual([]);
  expect(await listed('')).toEqual(ALL);
});
