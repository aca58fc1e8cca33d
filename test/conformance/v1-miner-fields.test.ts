// Every field of a miner, with a miner that says everything and one that says nothing: type, value, null; the parts and
// the flags of a miner.
import { afterAll, beforeAll, expect } from 'vitest';
import { query } from '../unit/service-http/database.ts';
import { minerRecord } from '../unit/service-http/records.ts';
import { type Rig, startOwnedRig } from '../unit/service-http/rig.ts';
import { connect } from '../unit/service-http/wire-agent.ts';
import { type Check, rows } from './rows.ts';

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const ISO_UTC = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?Z$/;
/** What is always there, but may be null. */
const NOTHING = {
  serial_number: null,
  model: null,
  firmware_version: null,
  mining_mode_preset: null,
  hashrate: null,
  hashrate_24h: null,
  power: null,
  temp: null,
  temperature_inlet_avg: null,
  temperature_outlet_avg: null,
  efficiency: null,
  last_updated_at: null,
  total_chips: null,
  expected_chips: null,
} as const;
const FLAGS = ['fan', 'power', 'temperature', 'hashboard', 'network', 'firmware', 'unknown', 'low_hashrate'];

let rig: Rig;
let stop: () => Promise<void>;
/** As JSON came: nothing of our own schemas is between the answer and the tests. */
let full: ReturnType<typeof JSON.parse>;
let bare: typeof full;

beforeAll(async () => {
  ({ rig, stop } = await startOwnedRig());
  const nowMs = rig.clock.nowMs();
  const agent = await connect(rig);
  const hashboards = [
    { serial_number: 'HB-1', hashrate: 55e12, chips: 114, chip_frequency: 545.5 },
    { serial_number: null, hashrate: null, chips: null, chip_frequency: null },
  ];
  const amounts = { difficulty_accepted: 1e15, difficulty_rejected: 2, difficulty_stale: 0 };
  const noAmounts = { difficulty_accepted: null, difficulty_rejected: null, difficulty_stale: null };
  await agent.report([
    minerRecord(1, nowMs, {
      document: {
        mining_mode_preset: '3068 watt',
        errors: [
          { code: 'FAN_LOST', message: 'A fan stands still' },
          { code: '2310', message: null },
        ],
        hashboards,
        pools: [
          { url: 'stratum+tcp://pool.example:3333', worker_id: 'farm.1', ...amounts },
          { url: 'stratum+ssl://other.example:443', worker_id: '', ...noAmounts },
        ],
        psus: [
          { serial_number: 'PSU-1', temperature: 45.5 },
          { serial_number: null, temperature: null },
        ],
        anomaly_flags: 0b1,
      },
    }),
    minerRecord(2, nowMs, {
      sn_state: 'empty',
      mac_state: 'empty',
      document: {
        ...NOTHING,
        ...{ mac: '', unstable_reason: 'ip_only', is_mining: false, last_check_succeed: false, uptime: 0 },
        ...{ errors: [], hashboards: [], pools: [], psus: [] },
      },
    }),
    ...FLAGS.map((_, bit) => minerRecord(100 + bit, nowMs, { document: { anomaly_flags: 1 << bit } })),
    minerRecord(108, nowMs, { document: { anomaly_flags: 1 << 8 } }),
    minerRecord(109, nowMs, { document: { anomaly_flags: 1 << 9 } }),
  ]);
  await query(rig, "UPDATE miners SET rack = 'R1', position = 3 WHERE ip_num = ?", (10 << 24) + 1);
  const { body } = await rig.get(rig.farm('/miner/latest?pageSize=100'));
  [full, bare] = body.data;
});
afterAll(() => stop());

/** The field of the one that says everything, and of the one that says nothing. */
const values =
  (field: string, whole: unknown, nothing: unknown = null): Check =>
  () => {
    expect(Object.keys(full)).toContain(field);
    expect(full[field]).toEqual(whole);
    expect(Object.keys(bare)).toContain(field);
    expect(bare[field]).toEqual(nothing);
  };
const always =
  (field: string, value: unknown): Check =>
  () => {
    for (const miner of [full, bare]) expect([Object.keys(miner).includes(field), miner[field]]).toEqual([true, value]);
  };

rows('Miner', {
  id: () => {
    for (const { id } of [full, bare]) expect(id).toMatch(UUID);
    expect(full.id).not.toBe(bare.id);
  },
  farm_id: () => values('farm_id', rig.farmId, rig.farmId)(),
  farm: () => values('farm', { id: rig.farmId, name: 'Default' }, { id: rig.farmId, name: 'Default' })(),
  workspace_id: () => values('workspace_id', rig.workspaceId, rig.workspaceId)(),
  serial_number: values('serial_number', 'SN-0001'),
  model: values('model', 'Antminer S19 Pro'),
  ip: values('ip', '10.0.0.1', '10.0.0.2'),
  mac: values('mac', '02:00:00:00:00:01', ''),
  firmware_version: values('firmware_version', '2022-06-08'),
  rack: values('rack', 'R1'),
  position: values('position', 3),
  is_mining: values('is_mining', true, false),
  last_check_succeed: values('last_check_succeed', true, false),
  stale: values('stale', false, true),
  overheat: always('overheat', false),
  low_hashrate: always('low_hashrate', false),
  overpower: always('overpower', false),
  underpower: always('underpower', false),
  status: values('status', 'online', 'stale'),
  ops_status: always('ops_status', null),
  unstable_reason: {
    'null, or why': values('unstable_reason', null, 'ip_only'),
    'every reason of the document': async () => {
      const agent = await connect(rig);
      const reasons = ['mac_invalid', 'mac_duplicate', 'sn_invalid', 'sn_duplicate', 'mac_empty', 'sn_empty'] as const;
      for (const [n, unstable_reason] of [...reasons, 'all_invalid' as const, 'ip_only' as const].entries()) {
        await agent.report([minerRecord(500 + n, rig.clock.nowMs(), { document: { unstable_reason } })]);
        const { body } = await rig.get(rig.farm(`/miner/latest?sn=SN-${(500 + n).toString(16).padStart(4, '0')}`));
        expect(body.data).toMatchObject([{ unstable_reason }]);
      }
    },
  },
  lifecycle_status: {
    'is the run status': values('lifecycle_status', 'online', 'stale'),
    'is the ops status where there is one': async () => {
      await query(rig, "UPDATE miners SET ops_status = 'transit' WHERE ip_num = ?", (10 << 24) + 109);
      const { body } = await rig.get(rig.farm('/miner/latest?ip_ranges=10.0.0.109'));
      expect(body.data).toMatchObject([{ ops_status: 'transit', status: 'online', lifecycle_status: 'transit' }]);
    },
  },
  health_status: always('health_status', null),
  mining_mode: {
    'is a word': always('mining_mode', 'normal'),
    'every mode of the document': async () => {
      const agent = await connect(rig);
      for (const mode of ['sleep', 'low', 'normal', 'high', 'power_tuning', 'hashrate_tuning']) {
        await agent.report([minerRecord(600, rig.clock.nowMs(), { document: { mining_mode: mode } })]);
        const { body } = await rig.get(rig.farm(`/miner/latest?sn=SN-0258&mining_modes_in=${mode}`));
        expect(body.data).toMatchObject([{ mining_mode: mode }]);
      }
    },
  },
  mining_mode_preset: values('mining_mode_preset', '3068 watt'),
  hashrate: values('hashrate', 110e12),
  hashrate_24h: values('hashrate_24h', 109e12),
  power: values('power', 3250),
  temp: values('temp', 71.5),
  temperature_inlet_avg: values('temperature_inlet_avg', 31),
  temperature_outlet_avg: values('temperature_outlet_avg', 64),
  efficiency: values('efficiency', 29.5),
  uptime: values('uptime', 86_400, 0),
  last_updated_at: () => {
    expect(full.last_updated_at).toMatch(ISO_UTC);
    expect(bare.last_updated_at).toBeNull();
  },
  created_at: () => {
    for (const { created_at } of [full, bare]) {
      expect(created_at).toMatch(ISO_UTC);
      expect(Math.abs(Date.parse(created_at) - rig.clock.nowMs())).toBeLessThan(60_000);
    }
  },
  errors: () => {
    const errors = [
      { code: 'FAN_LOST', message: 'A fan stands still' },
      { code: '2310', message: null },
    ];
    return values('errors', errors, [])();
  },
  hashboards: () => {
    expect(full.hashboards).toHaveLength(2);
    expect(bare.hashboards).toEqual([]);
  },
  total_chips: values('total_chips', 228),
  expected_chips: values('expected_chips', 228),
});

rows('Miner, optional fields', {
  anomaly_flags: values('anomaly_flags', 1, 0),
  pools: () => {
    expect(full.pools).toHaveLength(2);
    expect(bare.pools).toEqual([]);
  },
  psus: () => {
    expect(full.psus).toHaveLength(2);
    expect(bare.psus).toEqual([]);
  },
});

rows('Miner, parts', {
  'Required (always present)': () => {
    expect(Object.keys(full)).toHaveLength(39 + 3);
    expect(Object.keys(bare).toSorted()).toEqual(Object.keys(full).toSorted());
  },
  'Optional with defaults (present in the sample response)': () => {
    expect(bare).toMatchObject({ anomaly_flags: 0, pools: [], psus: [] });
  },
  '`code` (string, required), `message` (string or null, required)': () => {
    expect(full.errors[0]).toEqual({ code: 'FAN_LOST', message: 'A fan stands still' });
    expect(full.errors[1]).toEqual({ code: '2310', message: null });
  },
  '`serial_number` (string or null), `hashrate` (number or null, H/s), `chips` (number or null), `chip_frequency` (number or null, MHz)':
    () => {
      expect(full.hashboards[0]).toEqual({ serial_number: 'HB-1', hashrate: 55e12, chips: 114, chip_frequency: 545.5 });
      expect(full.hashboards[1]).toEqual({ serial_number: null, hashrate: null, chips: null, chip_frequency: null });
    },
  '`url` (string), `worker_id` (string), `difficulty_accepted`, `difficulty_rejected`, `difficulty_stale` (each number or null)':
    () => {
      expect(full.pools).toEqual([
        {
          url: 'stratum+tcp://pool.example:3333',
          worker_id: 'farm.1',
          difficulty_accepted: 1e15,
          difficulty_rejected: 2,
          difficulty_stale: 0,
        },
        {
          url: 'stratum+ssl://other.example:443',
          worker_id: '',
          difficulty_accepted: null,
          difficulty_rejected: null,
          difficulty_stale: null,
        },
      ]);
    },
  '`serial_number` (string or null), `temperature` (number or null, Celsius)': () => {
    expect(full.psus).toEqual([
      { serial_number: 'PSU-1', temperature: 45.5 },
      { serial_number: null, temperature: null },
    ]);
  },
});

/** The filter by the name and the bit of the answer mean the same. */
const isBit =
  (bit: number, name: string): Check =>
  async () => {
    const { body } = await rig.get(rig.farm(`/miner/latest?anomaly_filters=${name}&ip_ranges=10.0.0.100-109`));
    expect(body.data).toMatchObject([{ ip: `10.0.0.${100 + bit}`, anomaly_flags: 2 ** bit }]);
  };

rows('Miner, anomaly_flags bits', {
  '0 fan': isBit(0, 'fan'),
  '1 power': isBit(1, 'power'),
  '2 temperature': isBit(2, 'temperature'),
  '3 hashboard': isBit(3, 'hashboard'),
  '4 network': isBit(4, 'network'),
  '5 firmware': isBit(5, 'firmware'),
  '6 unknown': isBit(6, 'unknown'),
  '8 control_board': isBit(8, 'control_board'),
  '9 pool': isBit(9, 'pool'),
  'Bit 7 and the bit for the filter value `low_hashrate`': isBit(7, 'low_hashrate'),
});

rows('Farm reference', {
  id: () => {
    expect(full.farm.id).toMatch(UUID);
    expect(full.farm.id).toBe(full.farm_id);
  },
  name: async () => {
    expect(full.farm.name).toBe('Default');
    const unnamed = await rig.service.admin.createFarm({ workspaceId: rig.workspaceId, name: null });
    await query(rig, 'UPDATE miners SET farm_id = ? WHERE ip_num = ?', unnamed.id, (10 << 24) + 108);
    const { body } = await rig.get(`/private-api/v1/${rig.workspaceId}/farms/${unnamed.id}/miner/latest`);
    expect(body.data[0].farm).toEqual({ id: unnamed.id, name: null });
  },
});

rows('Conventions', {
  'the field is always present and may be null': () => {
    for (const field of Object.keys(NOTHING)) expect([field, bare[field]]).toEqual([field, null]);
  },
  'Timestamps are ISO 8601 strings in UTC': () => {
    for (const text of [full.last_updated_at, full.created_at, bare.created_at]) expect(text).toMatch(ISO_UTC);
  },
  'Hashrate is in H/s, power in W, temperature in degrees Celsius, efficiency in J/TH, uptime in seconds': () => {
    expect(full).toMatchObject({ hashrate: 110e12, power: 3250, temp: 71.5, uptime: 86_400 });
    expect(full.efficiency).toBeCloseTo(full.power / (full.hashrate / 1e12), 0);
  },
});
