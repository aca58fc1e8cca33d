// Miners in v2: every field, the filters of the list, every condition of the search, the counts by kind; and what is
// refused.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ANOMALY_TYPES } from '../../src/model/flags/anomaly-types.ts';
import { type MinerExtras, minerExtrasSchema, minerV1Schema, OPS_STATUSES } from '../../src/model/miner.ts';
import { answerOf, listOf } from '../../src/wire/api/envelope.ts';
import { classificationSchema } from '../../src/wire/api/metrics.ts';
import { minerV2Schema } from '../../src/wire/api/miners.ts';
import { query } from '../unit/service-http/database.ts';
import { type MinerChange, minerRecord } from '../unit/service-http/records.ts';
import { call, type Rig, startOwnedRig } from '../unit/service-http/rig.ts';
import { connect, enrol, type WireAgent } from '../unit/service-http/wire-agent.ts';

let rig: Rig;
let agents: WireAgent[];
let stop: () => Promise<void>;
let startMs: number;

const HOUR_MS = 3_600_000;
const hoursAgo = (hours: number) => new Date(startMs - hours * HOUR_MS).toISOString();

const EVIDENCE: MinerExtras = {
  make: 'Bitmain',
  algorithm: 'sha256',
  firmware: 'antminer-stock',
  hostname: 'Tricky "temp":1 \\ name, ü',
  controller_serial_number: 'CB-X',
  expected_hashrate: 110e12,
  power_limit: 3600,
  cooling: 'air',
  light_on: true,
  fans: [
    { index: 0, rpm: 0, duty_percent: 100 },
    { index: 1, rpm: null, duty_percent: null },
  ],
  board_details: [0, 1].map((slot) => ({
    slot,
    temperatures: [61, 62.5],
    chip_temperature_max: 82,
    chip_temperature_avg: 75,
    expected_chips: 114,
    bad_chips: slot,
    expected_hashrate: 55e12,
  })),
  flags: [
    {
      type: 'fan',
      since: '2026-01-01T00:00:00.000Z',
      severity: 'major',
      value: 0,
      limit: 500,
      source: 'fans[0].rpm',
      message: 'A fan stands still',
    },
  ],
};

/** Miner n sits at 10.0.0.n. `seen` is hours ago. */
const FLEET: Readonly<Record<number, MinerChange & { seen?: number }>> = {
  1: { document: { model: 'Antminer S21', serial_number: '"temp":9' }, extras: EVIDENCE },
  2: { document: { anomaly_flags: 0b1, model: 'M50S++' }, extras: { firmware: 'whatsminer', hostname: 'Rack-B_07' } },
  3: { document: { anomaly_flags: 0b10_0000_0100, model: 'M50%' }, extras: { firmware: 'whatsminer' } },
  4: { document: { mining_mode: 'sleep', model: null }, extras: { hostname: null } },
  5: { seen: 1, document: { firmware_version: '49.0.1.3' } },
  6: { seen: 2, document: { mac: 'AA:BB:CC:0D:0E:0F' } },
  7: { seen: 3 },
  108: { document: { serial_number: 'JYZZ0042' } },
};
const ALL = Object.keys(FLEET).map(Number);

beforeAll(async () => {
  ({ rig, stop } = await startOwnedRig());
  startMs = rig.clock.nowMs();
  agents = [await connect(rig), await connect(rig)];
  const records = ALL.map((n) => {
    const { seen, ...change } = FLEET[n] ?? {};
    const record = minerRecord(n, startMs, change);
    return seen === undefined
      ? record
      : { ...record, document: { ...record.document, last_updated_at: hoursAgo(seen), last_check_succeed: false } };
  });
  await agents[0]?.report(records.filter((_, index) => index < 7));
  await agents[1]?.report(records.filter((_, index) => index >= 7));
  const farm = await rig.service.admin.createFarm({ workspaceId: rig.workspaceId, name: 'Elsewhere' });
  const elsewhere = await connect(rig, { identity: await enrol(rig, farm.id) });
  await elsewhere.report([minerRecord(900, startMs, { document: { model: 'Foreign' } })]);
  await elsewhere.close();
  const set = (n: number, text: string) => query(rig, `UPDATE miners SET ${text} WHERE ip_num = ?`, (10 << 24) + n);
  await set(1, "rack = 'R-01', position = 3");
  await set(2, "rack = 'R-02'");
  await set(6, "ops_status = 'maintenance'");
  await set(7, "ops_status = 'retired'");
});
afterAll(() => stop());

const farm = (path: string) => `/public-api/v2/workspaces/${rig.workspaceId}/farms/${rig.farmId}${path}`;
const last = (data: readonly { ip: string }[]) => data.map(({ ip }) => Number(ip.split('.')[3]));
const without = (...numbers: number[]) => ALL.filter((n) => !numbers.includes(n));

async function list(parameters = '') {
  const { status, body } = await rig.get(farm(`/miners${parameters}`));
  expect([status, body.message ?? '']).toEqual([200, '']);
  return listOf(minerV2Schema).parse(body);
}

async function search(body: unknown) {
  const answer = await rig.post(farm('/miners/search'), body);
  expect([answer.status, answer.body.message ?? '']).toEqual([200, '']);
  return listOf(minerV2Schema).parse(answer.body);
}

async function found(body: object): Promise<number[]> {
  const { data, pagination } = await search(body);
  expect(pagination).toMatchObject({ total: data.length, page: 1, page_size: 20 });
  return last(data);
}

describe('a miner', () => {
  test('has the fields of v1 with the differences, and what the agent knows beside them', async () => {
    const [first] = (await list()).data;
    const { body } = await rig.get(rig.farm('/miner/latest'));
    const { farm: _farm, stale: _stale, temp, ...same } = minerV1Schema.parse(body.data[0]);
    expect(first).toEqual({ ...same, temperature: temp, ...EVIDENCE });
    expect(first).toMatchObject({
      farm_id: rig.farmId,
      workspace_id: rig.workspaceId,
      temperature: 71.5,
      serial_number: '"temp":9',
      rack: 'R-01',
      position: 3,
    });
    const { mining_mode_reported: _mode, ...extras } = minerExtrasSchema.shape;
    expect(Object.keys(minerV2Schema.shape).toSorted()).toEqual(
      [...Object.keys(same), 'temperature', ...Object.keys(extras)].toSorted(),
    );
  });

  test('is stale by its status', async () => {
    const { data } = await list();
    expect(last(data.filter(({ status }) => status === 'stale'))).toEqual([5, 6, 7]);
  });
});

describe('the list', () => {
  test('by address as a number, twenty by default, in pages', async () => {
    const { data, pagination } = await list();
    expect(last(data)).toEqual(ALL);
    expect(pagination).toEqual({ total: 8, page: 1, page_size: 20, total_pages: 1 });
    const second = await list('?page=2&page_size=3');
    expect(last(second.data)).toEqual([4, 5, 6]);
    expect(second.pagination).toEqual({ total: 8, page: 2, page_size: 3, total_pages: 3 });
    const full = await list('?page=2&page_size=4');
    expect(full.pagination).toEqual({ total: 8, page: 2, page_size: 4, total_pages: 2 });
    expect(await list('?page=9')).toMatchObject({ data: [], pagination: { total: 8, page: 9, total_pages: 1 } });
  });

  test.each<[string, number[]]>([
    ['status=stale', [5, 6, 7]],
    ['status=offline', [5, 6, 7]],
    ['status_exclude=stale', without(5, 6, 7)],
    ['ops_status=retired', [7]],
    ['sn=jyzz0042', [108]],
    ['mac=aabbcc0d0e0f', [6]],
    ['has_anomaly=true', [2, 3]],
    ['anomaly_filters=temperature', [3]],
    ['mining_modes_in[]=sleep', [4]],
    ['mining_modes_not_in=sleep', without(4)],
    ['ip_ranges=10.0.0.0/30', [1, 2, 3]],
    ['hashrate_realization_min=0.5&unstable=null', ALL],
    ['unstable=true', []],
    ['page=&page_size=&_=1', ALL],
  ])('%s', async (parameters, expected) => {
    expect(last((await list(`?${parameters}`)).data)).toEqual(expected);
  });

  test('agent_id', async () => {
    expect(last((await list(`?agent_id=${agents[1]?.identity.agentId}`)).data)).toEqual([108]);
  });

  test.each([
    ['status=dancing', 'status'],
    ['agent_id=x', 'agent_id'],
    ['ip_ranges=10.0.0.9-10.0.0.1', 'downwards'],
    ['has_anomaly=yes', 'has_anomaly'],
    ['hashrate_realization_min=-1', 'hashrate_realization_min'],
    ['page_size=10001', 'page_size'],
  ])('refuses %s', async (parameters, words) => {
    const { status, body } = await rig.get(farm(`/miners?${parameters}`));
    expect(status).toBe(400);
    expect(body.message).toContain(words);
  });
});

describe('the search', () => {
  test('without conditions finds all, also without a body', async () => {
    expect(await found({})).toEqual(ALL);
    expect((await rig.post(farm('/miners/search'), undefined, { 'x-api-key': rig.key })).status).toBe(400);
    const bare = await call(rig.url + farm('/miners/search'), { method: 'POST', headers: { 'x-api-key': rig.key } });
    expect(last(bare.body.data)).toEqual(ALL);
  });

  test('pages', async () => {
    const { data, pagination } = await search({ page: 2, page_size: 5 });
    expect(last(data)).toEqual([6, 7, 108]);
    expect(pagination).toEqual({ total: 8, page: 2, page_size: 5, total_pages: 2 });
    expect((await search({ page: Number.MAX_SAFE_INTEGER, page_size: 10_000 })).data).toEqual([]);
  });

  test.each<[object, number[]]>([
    [{ status: { eq: 'stale' } }, [5, 6, 7]],
    [{ status: { ne: 'stale' } }, without(5, 6, 7)],
    [{ status: { in: ['online', 'stale'] } }, ALL],
    [{ status: { nin: ['online'] } }, [5, 6, 7]],
    [{ status: { eq: 'online', ne: 'online' } }, []],
    [{ ops_status: { eq: 'retired' } }, [7]],
    [{ ops_status: { in: ['retired', 'maintenance'] } }, [6, 7]],
    [{ ops_status: { ne: 'retired' } }, without(7)],
    [{ ops_status: { nin: ['retired', 'maintenance'] } }, without(6, 7)],
    [{ anomaly_flags: { in: ['fan'] } }, [2]],
    [{ anomaly_flags: { in: ['fan', 'pool'] } }, [2, 3]],
    [{ anomaly_flags: { in: ['power'] } }, []],
    [{ mining_mode: { eq: 'sleep' } }, [4]],
    [{ mining_mode: { nin: ['sleep'] } }, without(4)],
    [{ model: { eq: 'M50%' } }, [3]],
    [{ model: { in: ['M50%', 'M50S++'] } }, [2, 3]],
    [{ model: { ne: 'Antminer S19 Pro' } }, [1, 2, 3, 4]],
    [{ firmware: { eq: 'whatsminer' } }, [2, 3]],
    [{ rack: { eq: 'R-01' } }, [1]],
    [{ rack: { nin: ['R-01'] } }, without(1)],
    [{ firmware: { eq: 'whatsminer' }, anomaly_flags: { in: ['temperature'] } }, [3]],
    [{ status: { eq: 'stale' }, ops_status: { eq: 'retired' }, mining_mode: { eq: 'sleep' } }, []],
    [{ search: { field: 'ip', value: '.10' } }, [108]],
    [{ search: { field: 'ip', value: '10.0.0.10' } }, [108]],
    [{ search: { field: 'ip', value: '10.0.0.1' } }, [1, 108]],
    [{ search: { field: 'mac', value: 'aa:bb:cc' } }, [6]],
    [{ search: { field: 'mac', value: 'BBCC0d' } }, [6]],
    [{ search: { field: 'mac', value: 'aa-bb' } }, [6]],
    [{ search: { field: 'serial_number', value: 'yzz00' } }, [108]],
    [{ search: { field: 'serial_number', value: 'hb-0006-1' } }, [6]],
    [{ search: { field: 'serial_number', value: 'psu-0005' } }, [5]],
    [{ search: { field: 'model', value: 'm50' } }, [2, 3]],
    [{ search: { field: 'model', value: '50%' } }, [3]],
    [{ search: { field: 'model', value: '50_' } }, []],
    [{ search: { field: 'model', value: 's++' } }, [2]],
    [{ search: { field: 'firmware_version', value: '9.0.1' } }, [5]],
    [{ search: { field: 'hostname', value: 'b_07' } }, [2]],
    [{ search: { field: 'hostname', value: '\\ NAME' } }, [1]],
    [{ search: { field: 'hostname', value: '!' } }, []],
    [{ search: { field: 'rack', value: 'r-0' } }, [1, 2]],
    [{ search: { field: 'model', value: "' OR 1=1 --" } }, []],
    [{ search: { field: 'model', value: 'Foreign' } }, []],
  ])('%j', async (body, expected) => {
    expect(await found(body)).toEqual(expected);
  });

  test('agent_id', async () => {
    const agentId = agents[1]?.identity.agentId;
    expect(await found({ agent_id: { eq: agentId } })).toEqual([108]);
    expect(await found({ agent_id: { nin: [agentId] } })).toEqual(without(108));
  });

  test('last_updated_at, where gt and lt are strict', async () => {
    const at = (operator: string, hours: number) => found({ last_updated_at: { [operator]: hoursAgo(hours) } });
    expect(await at('gt', 2)).toEqual(without(6, 7));
    expect(await at('gte', 2)).toEqual(without(7));
    expect(await at('lt', 2)).toEqual([7]);
    expect(await at('lte', 2)).toEqual([6, 7]);
    expect(await at('eq', 2)).toEqual([6]);
    expect(await at('ne', 2)).toEqual(without(6));
    expect(await found({ last_updated_at: { gt: hoursAgo(3), lt: hoursAgo(1) } })).toEqual([6]);
  });

  test.each<[object, string]>([
    [{ status: { eq: 'offline' } }, 'status.eq'],
    [{ status: { in: ['retired'] } }, 'status.in'],
    [{ status: 'online' }, 'status'],
    [{ status: {} }, 'status'],
    [{ status: { gt: 'online' } }, '"gt"'],
    [{ status: { in: [] } }, 'status.in'],
    [{ ops_status: { eq: 'online' } }, 'ops_status.eq'],
    [{ anomaly_flags: {} }, 'anomaly_flags.in'],
    [{ anomaly_flags: { eq: 'fan' } }, '"eq"'],
    [{ anomaly_flags: { in: ['noise'] } }, 'anomaly_flags.in'],
    [{ anomaly_flags: { in: [1] } }, 'anomaly_flags.in'],
    [{ anomaly_flags: { in: [] } }, 'anomaly_flags.in'],
    [{ mining_mode: { eq: 1 } }, 'mining_mode.eq'],
    [{ model: { eq: 'x'.repeat(257) } }, 'model.eq'],
    [{ search: { field: 'id', value: 'x' } }, 'search.field'],
    [{ search: { field: 'model' } }, 'search.value'],
    [{ search: { field: 'model', value: '' } }, 'search.value'],
    [{ search: { value: 'x' } }, 'search.field'],
    [{ search: 'x' }, 'search'],
    [{ last_updated_at: { gt: 'yesterday' } }, 'last_updated_at.gt'],
    [{ last_updated_at: { gt: '2026-01-01T00:00:00+02:00' } }, 'last_updated_at.gt'],
    [{ last_updated_at: {} }, 'last_updated_at'],
    [{ last_updated_at: { in: [] } }, '"in"'],
    [{ workspace_id: { eq: 'x' } }, '"workspace_id"'],
    [{ limit: 10 }, '"limit"'],
    [{ page: 0 }, 'page'],
    [{ page: '1' }, 'page'],
    [{ page_size: 0 }, 'page_size'],
    [{ page_size: 10_001 }, 'page_size'],
  ])('refuses %j', async (body, words) => {
    const answer = await rig.post(farm('/miners/search'), body);
    expect(answer.status).toBe(400);
    expect(Object.keys(answer.body).toSorted()).toEqual(['error', 'message', 'statusCode']);
    expect(answer.body.message).toContain(words);
  });
});

describe('the classification', () => {
  const classify = async (init: RequestInit = {}, farmId = rig.farmId) => {
    const url = `${rig.url}/public-api/v2/workspaces/${rig.workspaceId}/farms/${farmId}/miner-metrics/query`;
    const { status, body } = await call(url, { method: 'POST', headers: { 'x-api-key': rig.key }, ...init });
    expect([status, body.message ?? '']).toEqual([200, '']);
    return answerOf(classificationSchema).parse(body).data;
  };

  test('counts by every kind, most frequent first', async () => {
    const counts = await classify();
    expect(counts.total).toBe(8);
    expect(counts.status).toEqual([
      { value: 'online', count: 5 },
      { value: 'stale', count: 3 },
    ]);
    expect(counts.ops_status[0]).toEqual({ value: null, count: 6 });
    expect(Object.fromEntries(counts.ops_status.map(({ value, count }) => [value, count]))).toEqual({
      ...Object.fromEntries(OPS_STATUSES.map((word) => [word, 0])),
      null: 6,
      maintenance: 1,
      retired: 1,
    });
    expect(Object.fromEntries(counts.anomaly_type.map(({ value, count }) => [value, count]))).toEqual({
      ...Object.fromEntries(ANOMALY_TYPES.map((word) => [word, 0])),
      fan: 1,
      temperature: 1,
      pool: 1,
    });
    expect(counts.mining_mode).toEqual([
      { value: 'normal', count: 7 },
      { value: 'sleep', count: 1 },
    ]);
    expect(counts.model).toEqual([
      { value: 'Antminer S19 Pro', count: 4 },
      { value: null, count: 1 },
      { value: 'Antminer S21', count: 1 },
      { value: 'M50%', count: 1 },
      { value: 'M50S++', count: 1 },
    ]);
    expect(counts.firmware).toEqual([
      { value: 'antminer-stock', count: 6 },
      { value: 'whatsminer', count: 2 },
    ]);
    expect(counts.rack).toEqual([
      { value: null, count: 6 },
      { value: 'R-01', count: 1 },
      { value: 'R-02', count: 1 },
    ]);
  });

  test('takes no body, also from a client that announces JSON', async () => {
    const headers = { 'x-api-key': rig.key, 'content-type': 'application/json' };
    expect((await classify({ headers })).total).toBe(8);
    expect((await classify({ headers, body: '{}' })).total).toBe(8);
  });

  test('of an empty farm is zero', async () => {
    const empty = await rig.service.admin.createFarm({ workspaceId: rig.workspaceId, name: 'Empty' });
    const counts = await classify({}, empty.id);
    expect(counts).toMatchObject({ total: 0, model: [], rack: [], mining_mode: [] });
    expect(counts.status).toEqual([
      { value: 'online', count: 0 },
      { value: 'stale', count: 0 },
    ]);
  });
});

test('what an agent says of a miner later is what is searched and counted', async () => {
  const key = '01900000-0000-7000-8000-0000000000aa';
  const farmOf = await rig.service.admin.createFarm({ workspaceId: rig.workspaceId, name: 'Later' });
  const agent = await connect(rig, { identity: await enrol(rig, farmOf.id) });
  const path = `/public-api/v2/workspaces/${rig.workspaceId}/farms/${farmOf.id}/miners/search`;
  const count = async (field: string, value: string) =>
    (await rig.post(path, { search: { field, value } })).body.pagination.total;
  await agent.report([minerRecord(1_000, rig.clock.nowMs(), { key, extras: { hostname: 'before\u0000x' } })]);
  expect([await count('hostname', 'before'), await count('hostname', 'after')]).toEqual([1, 0]);
  const change = { key, document: { model: 'M60', firmware_version: 'new' }, extras: { hostname: 'after' } };
  await agent.report([minerRecord(1_000, rig.clock.nowMs() + 1, change)]);
  expect([await count('hostname', 'before'), await count('hostname', 'after')]).toEqual([0, 1]);
  expect([await count('model', 'm60'), await count('firmware_version', 'NEW')]).toEqual([1, 1]);
});
