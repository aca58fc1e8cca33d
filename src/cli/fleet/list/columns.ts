// The columns that a list of miners can have: what each shows on a screen, and its value for sorting and spreadsheets.
import { parseIpv4 } from '../../../base/net/ipv4.ts';
import { ownWallClock } from '../../../base/time/wall-clock.ts';
import { unitOf } from '../../../model/board/algorithm-units.ts';
import type { BoardMiner } from '../../../model/board/board-miner.ts';
import { measuredOf } from '../../../model/board/measured.ts';
import { byLocation, type Compare } from '../../../model/board/miner-order.ts';
import { SHEET_COLUMNS, type SheetColumn, type SheetKey, type SheetValue } from '../../../wire/api/sheet/values.ts';
import { formatNumber, formatText, formatTime, formatUptime, UNKNOWN } from '../../output/format.ts';
import { locationOf } from '../row/state.ts';
import { rateText } from '../row/units.ts';

export type MinerColumn = {
  readonly key: string;
  readonly about: string;
  /** Above the column on a screen. */
  readonly title: string;
  readonly kind: SheetColumn['kind'];
  readonly value: (miner: BoardMiner, nowMs: number) => SheetValue;
  /** On a screen; absent = the value as it is. */
  readonly text?: (miner: BoardMiner, nowMs: number) => string;
  /** Absent = by the value. */
  readonly compare?: Compare;
  /** As that of a table: the key of the column under which it stands on a narrow screen. */
  readonly under?: string;
  readonly isWhole?: true;
};

const BY_SHEET_KEY: ReadonlyMap<string, SheetColumn> = new Map(SHEET_COLUMNS.map((column) => [column.key, column]));

/** A column that sheets have too. */
function shared<K extends SheetKey>(key: K) {
  const { kind, value } = BY_SHEET_KEY.get(key) ?? NO_COLUMN;
  return { key, kind, value: (miner: BoardMiner, nowMs: number) => value(miner, { nowMs, wallClock: ownWallClock }) };
}
const NO_COLUMN = { kind: 'text', value: () => null } as const;

const sharedValue = (key: SheetKey, miner: BoardMiner) => shared(key).value(miner, 0);

const ageMsOf = ({ seenAtMs }: BoardMiner, nowMs: number) => (seenAtMs === null ? null : Math.max(0, nowMs - seenAtMs));

const rounded = (value: SheetValue): string => (typeof value === 'number' ? value.toFixed(0) : UNKNOWN);

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
    ...{ ...shared('address'), title: 'ADDRESS', about: 'IP address', isWhole: true },
    compare: (a, b) => (parseIpv4(a.ip) ?? 0) - (parseIpv4(b.ip) ?? 0),
  },
  {
    ...{ ...shared('model'), title: 'MODEL', about: 'make and model', under: 'address' },
    // The make costs a line of a narrow screen, and people leave it out.
    text: ({ make, model }) => formatText(model ?? make),
  },
  {
    ...{ ...shared('rate'), title: 'RATE', about: 'hashrate', isWhole: true },
    text: (miner) => rateText(measuredOf(miner).hashrateHs, miner.algorithm),
  },
  {
    ...{ ...shared('percent'), title: '%', about: 'hashrate in % of what is expected', under: 'rate' },
    text: (miner) => rounded(sharedValue('percent', miner)),
  },
  {
    ...{ ...shared('temp'), title: '°C', about: 'temperature, degrees Celsius', isWhole: true },
    text: (miner) => rounded(measuredOf(miner).tempC),
  },
  { ...shared('state'), title: 'STATE', about: 'the worst flag with its text and since when, or what it does' },
  { ...shared('age'), title: 'AGE', about: 'how old the values are; seconds in CSV', isWhole: true, text: ageText },
  { ...shared('container'), title: 'CONTAINER', about: 'container' },
  { ...shared('rack'), title: 'RACK', about: 'rack' },
  { ...shared('position'), title: 'POSITION', about: 'position in the rack' },
  { ...shared('mac'), title: 'MAC', about: 'MAC', isWhole: true },
  { ...shared('serial'), title: 'SERIAL', about: 'serial number', isWhole: true },
  { key: 'hostname', title: 'HOSTNAME', about: 'host name', kind: 'text', value: ({ hostname }) => hostname },
  { ...shared('algorithm'), title: 'ALGORITHM', about: 'algorithm' },
  {
    ...{ ...shared('expected'), title: 'EXPECTED', about: 'hashrate that is expected', isWhole: true },
    text: ({ expectedHs, algorithm }) => rateText(expectedHs, algorithm),
  },
  {
    ...{ ...shared('power'), title: 'POWER', about: 'power, W', isWhole: true },
    text: (miner) => formatNumber(measuredOf(miner).powerW, 'W'),
  },
  {
    ...{ ...shared('efficiency'), title: 'EFFICIENCY', about: 'J/TH, or of the unit that fits the algorithm' },
    isWhole: true,
    text: (miner) => {
      const value = sharedValue('efficiency', miner);
      return formatNumber(typeof value === 'number' ? value : null, unitOf(miner.algorithm).efficiency, 1);
    },
  },
  {
    ...{ key: 'fan', title: 'FAN', about: 'rpm of the fastest fan', kind: 'number', isWhole: true },
    value: (miner) => measuredOf(miner).fanRpm,
    text: (miner) => formatNumber(measuredOf(miner).fanRpm, 'rpm'),
  },
  { ...shared('pool'), title: 'POOL', about: 'address of the pool' },
  { ...shared('worker'), title: 'WORKER', about: 'name at the pool' },
  { ...shared('firmware'), title: 'FIRMWARE', about: 'version of the firmware' },
  { key: 'driver', title: 'DRIVER', about: 'family of the firmware', kind: 'text', value: ({ driver }) => driver },
  { ...shared('mode'), title: 'MODE', about: 'power mode' },
  { ...shared('ops'), title: 'OPS', about: 'maintenance, retired, …' },
  { ...shared('flags'), title: 'FLAGS', about: 'all its flags' },
  { ...shared('since'), title: 'SINCE', about: 'when its worst flag was raised', isWhole: true },
  {
    ...{ ...shared('uptime'), title: 'UPTIME', about: 'since its start; seconds in CSV', isWhole: true },
    text: (miner) => formatUptime(measuredOf(miner).uptimeS),
  },
  { ...shared('seen'), title: 'SEEN', about: 'when it was last read', isWhole: true },
  { ...shared('first_seen'), title: 'FIRST SEEN', about: 'when an agent registered it', isWhole: true },
  { key: 'id', title: 'ID', about: 'id of the miner', kind: 'text', isWhole: true, value: ({ id }) => id },
] as const satisfies readonly MinerColumn[];

export type ColumnKey = (typeof COLUMNS)[number]['key'];

/** On a screen of 80 columns. */
export const USUAL: readonly ColumnKey[] = ['location', 'address', 'model', 'rate', 'percent', 'temp', 'state', 'age'];

/** In a spreadsheet. */
export const EXPORTED: readonly ColumnKey[] = SHEET_COLUMNS.map(({ key }) => key);

const BY_KEY: ReadonlyMap<string, MinerColumn> = new Map(COLUMNS.map((column) => [column.key, column]));
export const columnNamed = (key: string): MinerColumn | undefined => BY_KEY.get(key);

export function shownText(column: MinerColumn, miner: BoardMiner, nowMs: number): string {
  if (column.text !== undefined) return column.text(miner, nowMs);
  const value = column.value(miner, nowMs);
  if (value === null || value === '') return UNKNOWN;
  return value instanceof Date ? formatTime(value).slice(0, 16) : String(value);
}
