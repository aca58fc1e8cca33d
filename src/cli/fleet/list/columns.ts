// The columns that a list of miners can have: what each shows on a screen, and its value for sorting and spreadsheets.
import { parseIpv4 } from '../../../base/net/ipv4.ts';
import { type BoardMiner, flagsOf } from '../../../model/board/board-miner.ts';
import { formatModel, formatNumber, formatText, formatTime, formatUptime, UNKNOWN } from '../../output/format.ts';
import { byLocation, type Compare } from '../row/order.ts';
import { flagWord, locationOf, measuredOf, shareOf, stateText } from '../row/state.ts';
import { efficiencyOf, rateText, unitOf } from '../row/units.ts';

/** A `Date` is a moment. */
export type ColumnValue = string | number | Date | null;

export type MinerColumn = {
  readonly key: string;
  readonly about: string;
  /** Above the column on a screen. */
  readonly title: string;
  /** A `rate` is in H/s, an `efficiency` in J for one unit of the algorithm's hashrate. */
  readonly kind: 'text' | 'number' | 'time' | 'rate' | 'efficiency';
  readonly value: (miner: BoardMiner, nowMs: number) => ColumnValue;
  /** On a screen; absent = the value as it is. */
  readonly text?: (miner: BoardMiner, nowMs: number) => string;
  /** Absent = by the value. */
  readonly compare?: Compare;
  /** As that of a table: the key of the column under which it stands on a narrow screen. */
  readonly under?: string;
  readonly isWhole?: true;
};

const moment = (atMs: number | null) => (atMs === null ? null : new Date(atMs));

const percentOf = (miner: BoardMiner) => {
  const share = shareOf(miner);
  return share === null ? null : Math.round(share * 1_000) / 10;
};

const ageMsOf = ({ seenAtMs }: BoardMiner, nowMs: number) => (seenAtMs === null ? null : Math.max(0, nowMs - seenAtMs));

/** In its largest unit, so that a column of them stays narrow. */
function ageText(miner: BoardMiner, nowMs: number): string {
  const ageMs = ageMsOf(miner, nowMs);
  if (ageMs === null) return UNKNOWN;
  const [size, unit] = AGES.find(([size]) => ageMs >= size) ?? [1_000, 's'];
  return `${Math.floor(ageMs / size)} ${unit}`;
}
const AGES = [
  [86_400_000, 'd'],
  [3_600_000, 'h'],
  [60_000, 'min'],
] as const;

export const COLUMNS = [
  {
    ...{ key: 'location', title: 'LOCATION', about: 'rack and position', kind: 'text', isWhole: true },
    value: (miner) => locationOf(miner) ?? null,
    compare: byLocation,
  },
  {
    ...{ key: 'address', title: 'ADDRESS', about: 'IP address', kind: 'text', isWhole: true },
    value: ({ ip }) => ip,
    compare: (a, b) => (parseIpv4(a.ip) ?? 0) - (parseIpv4(b.ip) ?? 0),
  },
  {
    ...{ key: 'model', title: 'MODEL', about: 'make and model', kind: 'text', under: 'address' },
    value: ({ make, model }) => (model === null && make === null ? null : formatModel(make, model)),
    // The make costs a line of a narrow screen, and people leave it out.
    text: ({ make, model }) => formatText(model ?? make),
  },
  {
    ...{ key: 'rate', title: 'RATE', about: 'hashrate', kind: 'rate', isWhole: true },
    value: (miner) => measuredOf(miner).hashrateHs,
    text: (miner) => rateText(measuredOf(miner).hashrateHs, miner.algorithm),
  },
  {
    ...{ key: 'percent', title: '%', about: 'hashrate in % of what is expected', kind: 'number', under: 'rate' },
    value: percentOf,
    text: (miner) => percentOf(miner)?.toFixed(0) ?? UNKNOWN,
  },
  {
    ...{ key: 'temp', title: '°C', about: 'temperature, degrees Celsius', kind: 'number', isWhole: true },
    value: (miner) => measuredOf(miner).tempC,
    text: (miner) => measuredOf(miner).tempC?.toFixed(0) ?? UNKNOWN,
  },
  {
    ...{ key: 'state', title: 'STATE', about: 'the worst flag with its text and since when, or what it does' },
    ...{ kind: 'text', value: stateText },
  },
  {
    ...{ key: 'age', title: 'AGE', about: 'how old the values are; seconds in CSV', kind: 'number', isWhole: true },
    value: (miner, nowMs) => {
      const ageMs = ageMsOf(miner, nowMs);
      return ageMs === null ? null : Math.round(ageMs / 1_000);
    },
    text: ageText,
  },
  { key: 'container', title: 'CONTAINER', about: 'container', kind: 'text', value: ({ container }) => container },
  { key: 'rack', title: 'RACK', about: 'rack', kind: 'text', value: ({ rack }) => rack },
  {
    key: 'position',
    title: 'POSITION',
    about: 'position in the rack',
    kind: 'number',
    value: ({ position }) => position,
  },
  { key: 'mac', title: 'MAC', about: 'MAC', kind: 'text', isWhole: true, value: ({ mac }) => mac },
  {
    key: 'serial',
    title: 'SERIAL',
    about: 'serial number',
    kind: 'text',
    isWhole: true,
    value: ({ serial }) => serial,
  },
  { key: 'hostname', title: 'HOSTNAME', about: 'host name', kind: 'text', value: ({ hostname }) => hostname },
  { key: 'algorithm', title: 'ALGORITHM', about: 'algorithm', kind: 'text', value: ({ algorithm }) => algorithm },
  {
    ...{ key: 'expected', title: 'EXPECTED', about: 'hashrate that is expected', kind: 'rate', isWhole: true },
    value: ({ expectedHs }) => expectedHs,
    text: ({ expectedHs, algorithm }) => rateText(expectedHs, algorithm),
  },
  {
    ...{ key: 'power', title: 'POWER', about: 'power, W', kind: 'number', isWhole: true },
    value: (miner) => measuredOf(miner).powerW,
    text: (miner) => formatNumber(measuredOf(miner).powerW, 'W'),
  },
  {
    ...{ key: 'efficiency', title: 'EFFICIENCY', about: 'J/TH, or of the unit that fits the algorithm' },
    ...{ kind: 'efficiency', isWhole: true, value: efficiency },
    text: (miner) => formatNumber(efficiency(miner), unitOf(miner.algorithm).efficiency, 1),
  },
  {
    ...{ key: 'fan', title: 'FAN', about: 'rpm of the fastest fan', kind: 'number', isWhole: true },
    value: (miner) => measuredOf(miner).fanRpm,
    text: (miner) => formatNumber(measuredOf(miner).fanRpm, 'rpm'),
  },
  { key: 'pool', title: 'POOL', about: 'address of the pool', kind: 'text', value: ({ pool }) => pool },
  { key: 'worker', title: 'WORKER', about: 'name at the pool', kind: 'text', value: ({ worker }) => worker },
  {
    key: 'firmware',
    title: 'FIRMWARE',
    about: 'version of the firmware',
    kind: 'text',
    value: ({ firmware }) => firmware,
  },
  { key: 'driver', title: 'DRIVER', about: 'family of the firmware', kind: 'text', value: ({ driver }) => driver },
  { key: 'mode', title: 'MODE', about: 'power mode', kind: 'text', value: ({ mode }) => mode },
  {
    ...{ key: 'ops', title: 'OPS', about: 'maintenance, retired, …', kind: 'text' },
    value: ({ opsStatus }) => opsStatus,
  },
  {
    ...{ key: 'flags', title: 'FLAGS', about: 'all its flags', kind: 'text' },
    value: (miner) => flagsOf(miner).map(flagWord).join(', '),
  },
  {
    ...{ key: 'since', title: 'SINCE', about: 'when its worst flag was raised', kind: 'time', isWhole: true },
    value: ({ firstFlag }) => moment(firstFlag?.sinceMs ?? null),
  },
  {
    ...{ key: 'uptime', title: 'UPTIME', about: 'since its start; seconds in CSV', kind: 'number', isWhole: true },
    value: (miner) => measuredOf(miner).uptimeS,
    text: (miner) => formatUptime(measuredOf(miner).uptimeS),
  },
  {
    ...{ key: 'seen', title: 'SEEN', about: 'when it was last read', kind: 'time', isWhole: true },
    value: ({ seenAtMs }) => moment(seenAtMs),
  },
  {
    ...{ key: 'first_seen', title: 'FIRST SEEN', about: 'when an agent registered it', kind: 'time', isWhole: true },
    value: ({ createdAtMs }) => moment(createdAtMs),
  },
  { key: 'id', title: 'ID', about: 'id of the miner', kind: 'text', isWhole: true, value: ({ id }) => id },
] as const satisfies readonly MinerColumn[];

function efficiency(miner: BoardMiner): number | null {
  const { powerW, hashrateHs } = measuredOf(miner);
  return efficiencyOf(powerW, hashrateHs, miner.algorithm);
}

export type ColumnKey = (typeof COLUMNS)[number]['key'];

/** On a screen of 80 columns. */
export const USUAL: readonly ColumnKey[] = ['location', 'address', 'model', 'rate', 'percent', 'temp', 'state', 'age'];

/** In a spreadsheet. */
export const EXPORTED: readonly ColumnKey[] = [
  ...(['container', 'rack', 'position', 'address', 'mac', 'serial', 'model', 'algorithm', 'rate', 'expected'] as const),
  ...(['percent', 'power', 'efficiency', 'temp', 'pool', 'worker', 'state', 'flags', 'since', 'firmware'] as const),
  ...(['mode', 'ops', 'uptime', 'seen', 'age', 'first_seen'] as const),
];

const BY_KEY: ReadonlyMap<string, MinerColumn> = new Map(COLUMNS.map((column) => [column.key, column]));
export const columnNamed = (key: string): MinerColumn | undefined => BY_KEY.get(key);

export function shownText(column: MinerColumn, miner: BoardMiner, nowMs: number): string {
  if (column.text !== undefined) return column.text(miner, nowMs);
  const value = column.value(miner, nowMs);
  if (value === null || value === '') return UNKNOWN;
  return value instanceof Date ? formatTime(value).slice(0, 16) : String(value);
}
