// One miner: its flags come first, then where it stands and what was written about it; what a service keeps of it is
// turned back into what the device said.
import { expect, test } from 'vitest';
import { describeReading } from '../../../../src/cli/fleet/miner/device-text.ts';
import type { Detail } from '../../../../src/cli/fleet/miner/known.ts';
import { describeKnown } from '../../../../src/cli/fleet/miner/known-text.ts';
import { readingOf } from '../../../../src/cli/fleet/miner/reported.ts';
import type { Flag } from '../../../../src/model/flags/flags.ts';
import { readingSchema } from '../../../../src/model/reading.ts';
import { HOUR_MS, ill, MINUTE_MS, NOW_MS, row } from './rows.ts';

const plain = (_: unknown, text: string) => text;
const screen = { width: 80, paint: plain, nowMs: NOW_MS };
const iso = (atMs: number) => new Date(atMs).toISOString();

const flag = (message: string, more: Partial<Flag> = {}): Flag => ({
  ...{ type: 'hashboard', since: iso(NOW_MS - 14 * MINUTE_MS), severity: 'major', value: 0, limit: 108 },
  ...{ source: 'hashboards[2].chips', message, ...more },
});

const DETAIL: Detail = {
  ...{ id: '0198c0de-7a11-7000-8000-000000000001', farm_id: '0198c0de-7a11-7000-8000-000000000002' },
  ...{ workspace_id: '0198c0de-7a11-7000-8000-000000000003', serial_number: 'SN1', model: 'S19 Pro' },
  ...{ ip: '10.31.3.45', mac: 'C4:11:04:01:02:03', firmware_version: '1.0', is_mining: true, last_check_succeed: true },
  ...{ unstable_reason: null, mining_mode: null, mining_mode_preset: null, hashrate: 73e12, hashrate_24h: null },
  ...{ power: null, temperature: 71, temperature_inlet_avg: null, temperature_outlet_avg: null, efficiency: null },
  ...{
    uptime: 0,
    last_updated_at: null,
    errors: [{ code: 'E1', message: null }],
    total_chips: 216,
    expected_chips: 324,
  },
  hashboards: [{ serial_number: 'B1', hashrate: 36e12, chips: 108, chip_frequency: 600 }],
  ...{ anomaly_flags: 8, psus: [{ serial_number: null, temperature: 50 }], rack: 'C03', position: 4, status: 'online' },
  pools: [
    { url: 'pool.example:3333', worker_id: 'w', difficulty_accepted: 1, difficulty_rejected: 0, difficulty_stale: 0 },
  ],
  ...{ overheat: false, low_hashrate: false, overpower: false, underpower: false, ops_status: null },
  ...{
    lifecycle_status: 'online',
    health_status: null,
    created_at: iso(NOW_MS - HOUR_MS),
    make: 'Antminer',
  },
  ...{ firmware: 'antminer-stock', hostname: null, controller_serial_number: null, expected_hashrate: 110e12 },
  algorithm: 'sha256',
  ...{ power_limit: null, cooling: 'air', light_on: null, fans: [{ index: 0, rpm: 5_880, duty_percent: null }] },
  board_details: [
    { slot: 1, temperatures: [60], chip_temperature_max: 71, chip_temperature_avg: null, expected_chips: 108 },
  ].map((board) => ({ ...board, bad_chips: null, expected_hashrate: null })),
  ...{ flags: [], task_names: [], abilities: [], first_seen: iso(NOW_MS - HOUR_MS), missing_since: null, notes: [] },
};
const MINER = row(45, { rack: 'C03', position: 4, container: '1', ...ill('board 2: 0 of 108 chips', 'hashboard') });

test('flags come first, the worst of them above, with what was measured', () => {
  const flags = [
    flag('fan 1 is slow', { type: 'fan', severity: 'minor', limit: null, value: 900 }),
    flag('board 2 off'),
  ];
  const lines = describeKnown({ miner: MINER, detail: { ...DETAIL, flags }, hours: [] }, screen).split('\n');
  expect(lines.slice(0, 3)).toEqual([
    'C03-04  10.31.3.45  Antminer S19 Pro  9s ago',
    '✖ board 2 off, since 07:58 (hashboard: 0, limit 108)',
    '✖ fan 1 is slow, since 07:58 (fan: 900)',
  ]);
});

test('then the container, since when it is known, and notes with who wrote them', () => {
  const actor = { type: 'user' as const, id: 'host:anna', name: 'anna', avatar: 'data:,', metadata: {} };
  const notes = [{ id: DETAIL.id, at: iso(NOW_MS - HOUR_MS), text: 'fan 2 replaced', actor }];
  const text = describeKnown({ miner: MINER, detail: { ...DETAIL, notes, ops_status: 'off_rack' }, hours: [] }, screen);
  expect(text).toMatch(
    /container +1\nops status +off rack\nfirst seen +2026-11-23 07:12\nnote 07:12 +anna: fan 2 replaced/,
  );
});

test('without the service it says what the row knows', () => {
  expect(describeKnown({ miner: MINER, detail: undefined, hours: [] }, screen).split('\n')[1]).toBe(
    'board 2: 0 of 108 chips, since 07:58',
  );
});

test('what a service keeps is a reading, and what it does not know is absent', () => {
  const reading = readingOf(DETAIL);
  expect(readingSchema.parse(reading)).toEqual(reading);
  expect(reading).toMatchObject({
    ...{ mac: 'C4:11:04:01:02:03', hashrateHs: 73e12, expected: { hashrateHs: 110e12, chipsPerBoard: 108 } },
    boards: [{ slot: 1, chips: 108, boardTempsC: [60] }],
  });
  for (const name of ['powerW', 'uptimeS', 'hostname']) expect(reading).not.toHaveProperty(name);
  const text = describeReading(reading, plain, 80);
  expect(text).toContain('73.00 TH/s (66.4 % of 110.00 TH/s)');
  expect(text).toContain('108 / 108');
});

test('a power supply shows its input where it tells it, and no column that none fills', () => {
  const [first, second] = [{ inputPowerW: 3_400, tempC: 50 }, { tempC: 51 }];
  const text = describeReading({ psus: [first, second] }, plain, 80);
  expect(text).toMatch(/^PSU +temperature +input\n/m);
  expect(text).toContain('3400 W');
});

test('a hashrate in the evidence has its unit', () => {
  const low = flag('hashes at 67 %', {
    ...{ type: 'low_hashrate', source: 'hashrateHs', value: 67e12, limit: 85e12 },
  });
  const lines = describeKnown({ miner: MINER, detail: { ...DETAIL, flags: [low] }, hours: [] }, screen);
  expect(lines).toContain('(low hashrate: 67.00 TH/s, limit 85.00 TH/s)');
});

test('a day is a line of an hour a character, and what is not known is no zero', () => {
  const hour = (hashrate: number | null, tempC: number | null) => ({
    ...{ from: iso(NOW_MS), to: iso(NOW_MS), hashrate_avg: hashrate, power_avg: null, efficiency: null },
    ...{ temperature_avg: null, temperature_max: tempC, online_avg: null, coverage: 1 },
  });
  const hours = [hour(null, null), hour(100e12, 70), hour(50e12, 75), hour(0, 80)];
  const text = describeKnown({ miner: MINER, detail: DETAIL, hours }, screen);
  expect(text).toContain('·█▅▁  0 H/s to 100.00 TH/s');
  expect(text).toContain('·▁▅█  70 °C to 80 °C');
  expect(describeKnown({ miner: MINER, detail: DETAIL, hours: [hour(null, null)] }, screen)).not.toContain('24 h');
});
