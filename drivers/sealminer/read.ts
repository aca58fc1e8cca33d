// Turns the answers of one Sealminer into a Reading. The statistics name everything; the web adds mode and light.
import type { Known } from '../../src/driver/contract.ts';
import {
  first,
  firstMac,
  firstSerial,
  isNoFault,
  largest,
  toBoolean,
  toNumber,
  toTempC,
  toText,
} from '../../src/driver/fields.ts';
import { findModel } from '../../src/driver/kit/models/models.ts';
import { withOwnBuild } from '../../src/driver/kit/models/own-build.ts';
import type {
  BoardReading,
  ErrorReading,
  FanReading,
  MiningMode,
  PsuReading,
  Reading,
} from '../../src/model/reading.ts';
import { poolReadings, positive, present, rateHs, whenS } from '../_dialects/cgminer.ts';
import type { Replies, StatsRow, StatusPool, System } from './replies.ts';

const SENSORS = [0, 1, 2, 3] as const;

/** `SEALMINER A2`, `A2`: the make is not part of the name. */
export const modelOf = (reported: string | undefined) => {
  const bare = reported?.replace(/^(bitdeer\s+)?seal\s*miner[\s_-]*/i, '').trim();
  const row = findModel('sealminer-stock', bare);
  return { name: row?.model ?? (bare === '' ? undefined : bare), row };
};

export function read(replies: Replies, known: Known): Reading {
  const { system, version } = replies;
  const stats = replies.stats?.STATS?.[0];
  const { name, row } = modelOf(first(system?.miner_type, stats?.Model, known.model));
  const page = replies.status;
  const isLiquid = stats?.['Liquid Cooling'] === true;
  const now = nowHs(stats) ?? averageOf(page?.summary?.mhsav);
  const isAsleep = stats === undefined ? undefined : sleeps(stats);
  // What it is set to holds for one that is awake.
  const isAwake = isAsleep === false || (now?.hs ?? 0) > 0;
  const mode = isAsleep ? ('sleep' as const) : isAwake ? (wordOf(stats) ?? modeOf(system)) : undefined;
  const boards = stats && readBoards(stats);
  return present({
    mac: firstMac(stats?.MAC, system?.macaddr),
    serialNumber: firstSerial(stats?.['Ctrl Board SN'], system?.crtl_sn),
    controllerSerialNumber: firstSerial(stats?.['Ctrl Board SN'], system?.crtl_sn),
    make: 'Sealminer',
    model: name,
    firmwareVersion: first(stats?.Firmware, system?.firmware_version),
    apiVersion: version?.VERSION?.[0]?.API,
    controlBoard: first(stats?.['Ctrl Board'], system?.ctrl_version),

    hashrateHs: now?.hs,
    hashrateWindow: now?.window,
    hashrateSettledHs: mega(stats?.['MHS(15m)']),
    hashrateAverageHs: mega(first(stats?.['MHS(Avg)'], page?.summary?.mhsav)),
    powerW: positive(stats?.['PSU Input Power']),
    powerLimitW: positive(stats?.['Power Limit']),
    psuOutputPowerW: positive(stats?.['PSU Output Power']),
    uptimeS: first(stats?.Elapsed, page?.summary?.elapsed),
    systemUptimeS: stats?.['System Uptime'],
    deviceTimeS: whenS(replies.stats),

    isMining: isAsleep ? false : now && now.hs > 0,
    miningMode: mode,
    isLightOn: system?.led,

    tempC: largest(boards?.flatMap((board) => board.boardTempsC ?? []) ?? []),
    boards,
    fans: stats && readFans(stats),
    psus: stats && readPsu(stats),
    pools: poolReadings(first(replies.pools?.POOLS, page?.pools?.map(asPoolRow))),
    errors: stats && readErrors(stats),
    expected: present({
      ...withOwnBuild(row?.expected, {
        boards: stats?.['Board Count'],
        fans: isLiquid ? 0 : positive(stats?.['Fan Count']),
      }),
      ...(isLiquid && { cooling: 'liquid' as const }),
      hashrateHs: expectedHs(stats, mode, row?.expected.hashrateHs),
    }),
  });
}

/** Counts only: what the page means by `diffA` and `diffR` is not known. */
const asPoolRow = (row: StatusPool) => ({
  POOL: row.id,
  URL: row.url,
  User: row.user,
  Status: row.status,
  'Stratum Active': row.isActive,
  Accepted: row.accept,
  Rejected: row.rejected,
  Stale: row.stale,
  'Work Difficulty': first(positive(row.diff), row.lsdiff),
});

const mega = (value: number | undefined) => rateHs(value, 'M');

function nowHs(stats: StatsRow | undefined) {
  const minute = mega(stats?.['MHS(1m)']);
  if (minute !== undefined) return { hs: minute, window: '1m' as const };
  const sample = mega(stats?.['MHS(Sample)']);
  if (sample !== undefined) return { hs: sample, window: 'realtime' as const };
  return averageOf(stats?.['MHS(Avg)']);
}

function averageOf(mhs: number | undefined) {
  const hs = mega(mhs);
  return hs === undefined ? undefined : { hs, window: 'average' as const };
}

/** Undefined when the device does not say. Any other word than these may be a start or a fault: then it is awake. */
export function sleeps(stats: StatsRow): boolean | undefined {
  const state = stats['PM State'];
  return state === undefined ? undefined : /suspend|sleep/i.test(state);
}

/** The statistics name the mode in a word of their own. */
function wordOf(stats: StatsRow | undefined): MiningMode | undefined {
  const [, word] =
    /^(low|normal|high)(?:[\s_-]?(?:power|performance|mode))?$/i.exec(stats?.['Mining Mode'] ?? '') ?? [];
  return (['low', 'normal', 'high'] as const).find((mode) => mode === word?.toLowerCase());
}

/** The mode that the device's own numbers name; undefined when two modes share the number. */
export function modeOf(system: System | undefined): MiningMode | undefined {
  if (system?.miningMode === undefined) return undefined;
  const named = (
    [
      ['low', system.low_power],
      ['normal', system.normal],
      ['high', system.high_performance],
      ['power_tuning', system.custom],
    ] as const
  ).filter(([, number]) => number === system.miningMode);
  return named.length === 1 ? named[0]?.[0] : undefined;
}

/**
 * Rated is what the machine was sold for in normal mode; ideal follows what it does now, and so would hide a board that
 * is gone.
 */
function expectedHs(stats: StatsRow | undefined, mode: MiningMode | undefined, nameplateHs: number | undefined) {
  // Of a mode that is not known neither: less may have been asked of it than it was sold for.
  if (mode !== 'normal' && mode !== 'sleep') return positive(mega(stats?.['MHS(Ideal)']));
  return first(positive(mega(stats?.['MHS(Rated)'])), nameplateHs);
}

/** Boards and fans are told by keys with their number in front. */
const of = (stats: StatsRow, index: number, name: string): unknown => stats[`${index} ${name}`];
const upTo = (count: number | undefined) => Array.from({ length: count ?? 0 }, (_, index) => index);

/**
 * A slot is a board if it has chips, a serial number or a rate. Without a count and without a board nothing is said of
 * boards.
 */
function readBoards(stats: StatsRow): BoardReading[] | undefined {
  const whole = (value: unknown) => toNumber(value, { min: 0, max: 100_000 });
  const count = positive(stats['Board Count']);
  const boards = upTo(count ?? 4).flatMap((slot) => {
    const serialNumber = toText(of(stats, slot, 'SN'));
    const found = whole(of(stats, slot, 'Chip Count'));
    const rate = rateHs(of(stats, slot, 'MHS(Sample)'), 'M');
    if (serialNumber === undefined && positive(found) === undefined && positive(rate) === undefined) return [];
    const badChips = whole(of(stats, slot, 'Bad Chip Count'));
    const temps = SENSORS.map((sensor) => toTempC(of(stats, slot, `Temp ${sensor}`))).filter((c) => c !== undefined);
    return [
      present({
        slot,
        serialNumber,
        hashrateHs: rate,
        expectedHashrateHs: positive(rateHs(of(stats, slot, 'MHS(Ideal)'), 'M')),
        // No chips beside a rate: not counted.
        chips: found === 0 && positive(rate) !== undefined ? undefined : working(found, badChips),
        badChips: badChips === undefined ? undefined : Math.round(badChips),
        frequencyMhz: positive(toNumber(of(stats, slot, 'Freq'), { min: 0, max: 10_000 })),
        boardTempsC: temps.length === 0 ? undefined : temps,
        isAlive: toBoolean(of(stats, slot, 'Online')),
      }),
    ];
  });
  return count === undefined && boards.length === 0 ? undefined : boards;
}

/** The count is of the chips that were found, good or bad. */
const working = (found: number | undefined, bad: number | undefined) =>
  found === undefined || bad === undefined || bad > found ? undefined : Math.round(found - bad);

/** No fans is an answer of what is cooled by a liquid; elsewhere a count of 0 is none. */
function readFans(stats: StatsRow): FanReading[] | undefined {
  if (stats['Liquid Cooling'] === true) return [];
  const count = positive(stats['Fan Count']);
  return count === undefined
    ? undefined
    : upTo(count).map((index) =>
        present({
          index,
          rpm: toNumber(of(stats, index, 'Speed'), { min: 0, max: 30_000 }),
          dutyPercent: toNumber(of(stats, index, 'PWM'), { min: 0, max: 100 }),
        }),
      );
}

function readPsu(stats: StatsRow): PsuReading[] {
  const psu = present({
    serialNumber: stats['PSU SN'],
    model: stats['PSU Model'],
    tempC: stats['PSU Temp AMB'] === 0 ? undefined : stats['PSU Temp AMB'],
    fanRpm: stats['PSU Fan Speed'],
    inputPowerW: positive(stats['PSU Input Power']),
    outputPowerW: positive(stats['PSU Output Power']),
    inputVoltageV: positive(stats['PSU Input Voltage']),
    outputVoltageV: positive(stats['PSU Output Voltage']),
    isOk: stats['PSU Error'] === undefined ? undefined : isNoFault(stats['PSU Error']),
  });
  return psu.serialNumber === undefined && psu.model === undefined && psu.inputPowerW === undefined ? [] : [psu];
}

/** The codes have no public table: they are passed on as they are. */
function readErrors(stats: StatsRow): ErrorReading[] | undefined {
  const { 'Error Code': code, 'Error Chip': chip, 'PSU Error': psu } = stats;
  if (code === undefined && chip === undefined && psu === undefined) return undefined;
  return [
    ...(code === undefined || isNoFault(code) ? [] : [{ code, category: 'unknown' as const }]),
    ...(chip === undefined || isNoFault(chip)
      ? []
      : [{ code: 'chip', message: `chips with errors: ${chip}`, category: 'chip' as const }]),
    ...(psu === undefined || isNoFault(psu) ? [] : [{ code: `psu:${psu}`.slice(0, 128), category: 'psu' as const }]),
  ];
}
