// What the rows about miners say of each value and each form: one statement, one test. The rows themselves are in
// v1-miner-fields and v1-list-miners.
import { afterAll, beforeAll, expect } from 'vitest';
import { query } from '../unit/service-http/database.ts';
import { minerRecord } from '../unit/service-http/records.ts';
import { type Rig, startOwnedRig } from '../unit/service-http/rig.ts';
import { connect } from '../unit/service-http/wire-agent.ts';
import { each } from './cases.ts';
import { statements } from './rows.ts';

const BITS = { fan: 0, power: 1, temperature: 2, hashboard: 3, network: 4, firmware: 5, unknown: 6 };
const ANOMALIES = { ...BITS, low_hashrate: 7, control_board: 8, pool: 9 };
const OPS = ['maintenance', 'retired', 'off_rack', 'transit', 'archived'] as const;
const MODES = ['sleep', 'low', 'normal', 'high', 'power_tuning', 'hashrate_tuning'] as const;
const UNSTABLE = ['mac_invalid', 'mac_duplicate', 'sn_invalid', 'sn_duplicate'] as const;
const MORE_UNSTABLE = ['mac_empty', 'sn_empty', 'all_invalid', 'ip_only'] as const;
const DEPRECATED = ['error', 'low_hashrate', 'overheated', 'overpower', 'underpower', 'overclocking'] as const;
/** Of a miner that says nothing. */
const NULLABLE = [
  ...(['serial_number', 'model', 'firmware_version', 'mining_mode_preset', 'hashrate', 'hashrate_24h'] as const),
  ...(['power', 'temp', 'temperature_inlet_avg', 'temperature_outlet_avg', 'efficiency', 'last_updated_at'] as const),
  ...(['total_chips', 'expected_chips'] as const),
];
/** What the service adds, of a miner that nobody has placed or taken out of service. */
const NULL_AT_FIRST = ['rack', 'position', 'ops_status', 'health_status'] as const;

/** First octets of the groups of miners below: `10.0.<group>.<n>`. */
const GROUP = { whole: 0, nothing: 1, anomaly: 2, ops: 3, mode: 4, unstable: 5 };

let rig: Rig;
let stop: () => Promise<void>;
type Miner = ReturnType<typeof JSON.parse>;
let all: Miner[];

const numberOf = (group: number, n: number) => group * 256 + n + 1;
const ipOf = (group: number, n: number) => `10.0.${group}.${n + 1}`;
const minerOf = (group: number, n: number): Miner => all.find(({ ip }) => ip === ipOf(group, n));

beforeAll(async () => {
  ({ rig, stop } = await startOwnedRig());
  const nowMs = rig.clock.nowMs();
  const agent = await connect(rig);
  const amounts = { difficulty_accepted: 5, difficulty_rejected: 2, difficulty_stale: 1 };
  const noAmounts = { difficulty_accepted: null, difficulty_rejected: null, difficulty_stale: null };
  const record = (group: number, n: number, document: object, more: object = {}) =>
    minerRecord(numberOf(group, n), nowMs, { document, ...more });
  await agent.report([
    record(GROUP.whole, 0, {
      errors: [
        { code: '2310', message: 'too hot' },
        { code: '2311', message: null },
      ],
      hashboards: [
        { serial_number: 'HB', hashrate: 1e12, chips: 114, chip_frequency: 545.5 },
        { serial_number: null, hashrate: null, chips: null, chip_frequency: null },
      ],
      pools: [
        { url: 'stratum+tcp://p.example:1', worker_id: 'w', ...amounts },
        { url: 'stratum+tcp://q.example:1', worker_id: 'w', ...noAmounts },
      ],
      psus: [
        { serial_number: 'PSU', temperature: 45 },
        { serial_number: null, temperature: null },
      ],
    }),
    record(GROUP.nothing, 0, {
      ...Object.fromEntries(NULLABLE.map((field) => [field, null])),
      ...{ errors: [], hashboards: [], pools: [], psus: [], anomaly_flags: 0 },
    }),
    ...Object.values(ANOMALIES).map((bit, n) => record(GROUP.anomaly, n, { anomaly_flags: 1 << bit })),
    ...OPS.map((_, n) => record(GROUP.ops, n, {})),
    ...MODES.map((mining_mode, n) => record(GROUP.mode, n, { mining_mode })),
    ...[...UNSTABLE, ...MORE_UNSTABLE].map((unstable_reason, n) => record(GROUP.unstable, n, { unstable_reason })),
  ]);
  for (const [n, status] of OPS.entries())
    await query(rig, 'UPDATE miners SET ops_status = ? WHERE ip_num = ?', status, (10 << 24) + numberOf(GROUP.ops, n));
  all = (await rig.get(rig.farm('/miner/latest?pageSize=1000'))).body.data;
});
afterAll(() => stop());

/** The addresses that a list of these parameters has. */
async function listed(parameters: string): Promise<string[]> {
  const { status, body } = await rig.get(rig.farm(`/miner/latest?pageSize=1000&${parameters}`));
  expect([status, body.message ?? '']).toEqual([200, '']);
  return body.data.map(({ ip }: Miner) => ip);
}
const ipsOf = (miners: readonly Miner[]) => miners.map(({ ip }) => ip);
const isA = (value: unknown, type: 'string' | 'number') => expect(typeof value).toBe(type);

statements('Conventions', {
  ...each(
    NULLABLE,
    (field) => `\`${field}\` is there, and null, where it is not known`,
    (field) => expect(minerOf(GROUP.nothing, 0)).toHaveProperty(field, null),
  ),
  ...each(
    NULL_AT_FIRST,
    (field) => `\`${field}\` is there, and null, of a miner about which nobody has said anything`,
    (field) => expect(minerOf(GROUP.whole, 0)).toHaveProperty(field, null),
  ),
});

const part = (list: string, n: number) => minerOf(GROUP.whole, 0)[list][n];
const typed = (list: string, types: Readonly<Record<string, 'string' | 'number'>>) =>
  each(
    Object.entries(types),
    ([field, type]) => `\`${list}\`: \`${field}\` is a ${type}`,
    ([field, type]) => isA(part(list, 0)[field], type),
  );
const nullable = (list: string, fields: readonly string[]) =>
  each(
    fields,
    (field) => `\`${list}\`: \`${field}\` may be null`,
    (field) => expect(part(list, 1)).toHaveProperty(field, null),
  );

statements('Miner (item of the miner list)', {
  ...typed('errors', { code: 'string', message: 'string' }),
  ...nullable('errors', ['message']),
  ...typed('hashboards', { serial_number: 'string', hashrate: 'number', chips: 'number', chip_frequency: 'number' }),
  ...nullable('hashboards', ['serial_number', 'hashrate', 'chips', 'chip_frequency']),
  ...typed('pools', { url: 'string', worker_id: 'string' }),
  ...typed('pools', { difficulty_accepted: 'number', difficulty_rejected: 'number', difficulty_stale: 'number' }),
  ...nullable('pools', ['difficulty_accepted', 'difficulty_rejected', 'difficulty_stale']),
  ...typed('psus', { serial_number: 'string', temperature: 'number' }),
  ...nullable('psus', ['serial_number', 'temperature']),
  ...each(
    ['errors', 'hashboards', 'pools', 'psus'],
    (field) => `\`${field}\` is an empty array where there is none`,
    (field) => expect(minerOf(GROUP.nothing, 0)[field]).toEqual([]),
  ),
  ...each(
    [...UNSTABLE, ...MORE_UNSTABLE],
    (reason) => `\`unstable_reason\` can be \`${reason}\``,
    (reason) => expect(all.filter(({ unstable_reason: one }) => one === reason)).toHaveLength(1),
  ),
  ...each(
    MODES,
    (mode) => `\`mining_mode\` can be \`${mode}\``,
    (mode) => expect(minerOf(GROUP.mode, MODES.indexOf(mode)).mining_mode).toBe(mode),
  ),
  ...each(
    OPS,
    (status) => `\`lifecycle_status\` is \`${status}\` where that is the ops status`,
    (status) => expect(minerOf(GROUP.ops, OPS.indexOf(status)).lifecycle_status).toBe(status),
  ),
});

statements('Miner ops status (`ops_status`)', {
  ...each(
    OPS,
    (status) => `\`ops_status\` can be \`${status}\``,
    (status) => expect(minerOf(GROUP.ops, OPS.indexOf(status)).ops_status).toBe(status),
  ),
  ...each(
    OPS,
    (status) => `a miner that is \`${status}\` keeps its run status`,
    (status) => expect(minerOf(GROUP.ops, OPS.indexOf(status)).status).toBe('online'),
  ),
});

/** Three forms of the same list: repeated with brackets, repeated, separated by commas. */
const formsOf = (name: string, values: readonly string[]) => ({
  'repeated with brackets': values.map((value) => `${name}[]=${value}`).join('&'),
  repeated: values.map((value) => `${name}=${value}`).join('&'),
  'separated by commas': `${name}=${values.join(',')}`,
});
const takesForms = (name: string, values: readonly string[], expected: () => string[]) =>
  each(
    Object.entries(formsOf(name, values)),
    ([form]) => `\`${name}\` is taken ${form}`,
    async ([, parameters]) => expect(await listed(parameters)).toEqual(expected()),
  );
const hasOps = (...statuses: string[]) => ipsOf(all.filter(({ ops_status: one }) => statuses.includes(one)));
const hasMode = (...modes: string[]) => ipsOf(all.filter(({ mining_mode: one }) => modes.includes(one)));
const lacksMode = (...modes: string[]) => ipsOf(all.filter(({ mining_mode: one }) => !modes.includes(one)));

statements('1. List miners', {
  ...each(
    Object.keys(ANOMALIES),
    (type) => `\`anomaly_filters\` takes \`${type}\``,
    async (type) =>
      expect(await listed(`anomaly_filters=${type}`)).toEqual([
        ipOf(GROUP.anomaly, Object.keys(ANOMALIES).indexOf(type)),
      ]),
  ),
  ...each(
    OPS,
    (status) => `\`ops_status\` takes \`${status}\``,
    async (status) => expect(await listed(`ops_status=${status}`)).toEqual(hasOps(status)),
  ),
  ...each(
    OPS,
    (status) => `\`status\` takes the ops status \`${status}\``,
    async (status) => expect(await listed(`status=${status}`)).toEqual(hasOps(status)),
  ),
  ...each(
    OPS,
    (status) => `\`status_exclude\` takes the ops status \`${status}\``,
    async (status) =>
      expect(await listed(`status_exclude=${status}`)).toEqual(
        ipsOf(all.filter(({ ops_status: one }) => one !== status)),
      ),
  ),
  ...each(
    DEPRECATED,
    (value) => `the deprecated \`status\` value \`${value}\` is taken and filters nothing`,
    async (value) => expect(await listed(`status=${value}`)).toEqual(ipsOf(all)),
  ),
  ...each(
    MODES,
    (mode) => `\`mining_modes_in\` takes \`${mode}\``,
    async (mode) => expect(await listed(`mining_modes_in=${mode}`)).toEqual(hasMode(mode)),
  ),
  ...each(
    MODES,
    (mode) => `\`mining_modes_not_in\` takes \`${mode}\``,
    async (mode) => expect(await listed(`mining_modes_not_in=${mode}`)).toEqual(lacksMode(mode)),
  ),
  ...takesForms('ops_status', ['maintenance', 'transit'], () => hasOps('maintenance', 'transit')),
  ...takesForms('status', ['retired', 'archived'], () => hasOps('retired', 'archived')),
  ...takesForms('mining_modes_in', ['low', 'high'], () => hasMode('low', 'high')),
  ...takesForms('mining_modes_not_in', ['low', 'normal'], () => lacksMode('low', 'normal')),
  ...takesForms('anomaly_filters', ['fan', 'power'], () => [ipOf(GROUP.anomaly, 0), ipOf(GROUP.anomaly, 1)]),
  ...takesForms('ip_ranges', [ipOf(GROUP.mode, 0), ipOf(GROUP.mode, 1)], () => [
    ipOf(GROUP.mode, 0),
    ipOf(GROUP.mode, 1),
  ]),
});
