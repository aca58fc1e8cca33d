// Turns the answers of one Innosilicon into a Reading (atlas 19). The web knows most, TCP the chips; where the web
// refuses us, TCP has rates too.
import { z } from 'zod';
import type { Known } from '../../src/driver/contract.ts';
import { first, firstMac, isNoFault, largest, list, sumOfAll, text } from '../../src/driver/fields.ts';
import { findModel, type Model } from '../../src/driver/kit/models/models.ts';
import type { BoardReading, ErrorReading, FanReading, MiningMode, Reading } from '../../src/model/reading.ts';
import { poolIsAlive, poolReadings, positive, present, rateHs, rateUnit } from '../_dialects/cgminer.ts';
import { boardsBeside } from '../_dialects/empty-list.ts';
import { hashrates, windowHs } from '../_dialects/windows.ts';
import { ERRORS } from './errors.data.ts';
import type { Replies } from './replies.ts';

type Told = {
  readonly 'Hash Rate H'?: number | undefined;
  readonly 'Hash Rate'?: number | undefined;
  readonly Unit?: string | undefined;
};

export function read(replies: Replies, known: Known): Reading {
  const { overview, summary, stats } = replies;
  const web = replies.all?.all;
  const reported = first(replies.type?.type, overview?.type, web?.type, known.model);
  const row = findModel('innosilicon-stock', reported);
  const isMega = countsMillions(
    reported,
    first<unknown>(summary?.STATUS, replies.devs?.STATUS, stats?.STATUS, replies.version?.STATUS),
  );
  const toHs = (told: Told | undefined) => rateOf(told, isMega);
  const webHs = toHs(web?.total_hash);
  const ageS = ageOf(replies);
  const summaryRow = summary?.SUMMARY?.[0];
  const onTcp = summaryRow && isMega ? hashrates(summaryRow) : {};
  const rates =
    webHs === undefined
      ? summaryRow === undefined
        ? ratesOfDevs(replies.webDevs, isMega)
        : onTcp
      : ofAge(webHs, ageS);
  const boards = boardsOf(replies, toHs, isMega);
  return present({
    make: 'Innosilicon',
    model: row?.model ?? reported,
    mac: firstMac(web?.mac, overview?.version?.ethaddr),
    hostname: overview?.hostname,
    firmwareVersion: overview?.version?.build_date,
    apiVersion: replies.version?.VERSION?.[0]?.API,
    controlBoard: first(overview?.version?.hwver, web?.hwver),

    ...rates,
    powerW: web?.power,
    uptimeS: first(ageS, web?.uptime),
    systemUptimeS: ageS === undefined ? undefined : web?.uptime,

    isMining: rates.hashrateHs === undefined ? undefined : rates.hashrateHs > 0,
    ...tuningOf(web?.running_mode),
    tempC: first(
      largest(boards?.map((board) => board.chipTempMaxC) ?? []),
      largest(boards?.map((board) => board.chipTempAvgC) ?? []),
    ),
    boards: boardsBeside(boards, rates.hashrateHs),
    fans: fansOf(
      first(
        web?.fansSpeed,
        replies.webDevs?.HARDWARE?.['Fan duty'],
        largest(stats?.STATS?.map((chain) => chain['Fan duty']) ?? []),
      ),
      row,
    ),
    pools: poolReadings(first(replies.pools?.POOLS, replies.webPools?.POOLS, replies.webDevs?.POOLS)),
    errors: replies.fault && errorsOf(replies.fault),
    expected: row && Object.keys(row.expected).length > 0 ? row.expected : undefined,
  });
}

const statusRow = z.looseObject({ Description: text(256) });

/**
 * `Hash Rate H` is in hashes, `Hash Rate` in the unit beside it; without one in millions, where that is sure. Where the
 * two differ the first is too large for the numbers of its controller.
 */
function rateOf(told: Told | undefined, isMega: boolean): number | undefined {
  const exact = rateHs(told?.['Hash Rate H'], '');
  const unit = rateUnit(told?.Unit);
  if (unit === undefined) return first(exact, isMega ? rateHs(told?.['Hash Rate'], 'M') : undefined);
  const shown = rateHs(told?.['Hash Rate'], unit);
  return exact === undefined || (shown !== undefined && Math.abs(exact - shown) > shown / 50) ? shown : exact;
}

/** The web shows the longest average that the mining program is old enough for. */
function ofAge(hashrateHs: number | undefined, ageS: number | undefined): Partial<Pick<Reading, Rates>> {
  if (hashrateHs === undefined) return {};
  const hashrateWindow =
    ageS === undefined ? 'realtime' : ageS < 300 ? '5s' : ageS < 900 ? '1m' : ageS < 3_600 ? '5m' : '15m';
  const isSettled = hashrateWindow === '5m' || hashrateWindow === '15m';
  return { hashrateHs, hashrateWindow, ...(isSettled && { hashrateSettledHs: hashrateHs }) };
}

/** Of the mining program. */
const ageOf = (replies: Replies) =>
  first(
    largest(replies.stats?.STATS?.map(({ Elapsed }) => Elapsed) ?? []),
    replies.summary?.SUMMARY?.[0]?.Elapsed,
    largest(deviceRows(replies)?.map((dev) => dev['Device Elapsed']) ?? []),
  );

const MODES = {
  efficient: 'low',
  balanced: 'normal',
  factory: 'normal',
  performance: 'high',
} as const satisfies Record<string, MiningMode>;
/** Each mode has steps around its middle, which the page shows as these. */
const STEPS = ['--', '-', '', '+', '++'] as const;

function tuningOf(told: NonNullable<Replies['all']>['all']['running_mode']): Partial<Reading> {
  if (told?.mode === undefined) return {};
  return { miningMode: MODES[told.mode], miningModePreset: `${told.mode}${STEPS[told.level ?? 2] ?? ''}` };
}

/**
 * An A8 counts thousands, an A9 solutions, A10, A11 and B29 hashes, all under names that mean millions elsewhere. What
 * may be one has no unit that is proven.
 */
function countsMillions(reported: string | undefined, status: unknown): boolean {
  const description = list(statusRow, 1).parse(status)?.[0]?.Description;
  if (reported === undefined && description === undefined) return false;
  return !/^(a[89]|a1\d|b\d\d)/i.test(reported ?? '') && !/\b(a[89]|a1\d|b\d\d)/i.test(description ?? '');
}

const deviceRows = ({ devs, webDevs }: Replies) => first(devs?.DEVS, webDevs?.DEVS);
type DeviceRow = NonNullable<ReturnType<typeof deviceRows>>[number];

/** Where the whole is told nowhere it is the sum of its boards. */
function ratesOfDevs(told: Replies['webDevs'], isMega: boolean): Partial<Pick<Reading, Rates>> {
  const rows: readonly DeviceRow[] | undefined = told?.DEVS;
  if (!isMega) {
    const hashrateHs = first(rateOf(told?.TotalHash, isMega), sumOfAll(rows?.map((row) => rateOf(row, isMega)) ?? []));
    return ofAge(hashrateHs, largest(rows?.map((row) => row['Device Elapsed']) ?? []));
  }
  const sum = (window: '1m' | '15m' | 'av') => sumOfAll(rows?.map((row) => windowHs(row, window)) ?? []);
  const [now, average] = [sum('1m'), sum('av')];
  return present({
    hashrateHs: first(now, average),
    hashrateWindow: now !== undefined ? ('1m' as const) : average === undefined ? undefined : ('average' as const),
    hashrateSettledHs: sum('15m'),
    hashrateAverageHs: average,
  });
}
type Rates = 'hashrateHs' | 'hashrateWindow' | 'hashrateSettledHs' | 'hashrateAverageHs';

type Parts = Omit<BoardReading, 'slot'>;

/**
 * The same chains by their numbers, from up to four answers. One without chips, rate and temperature is an empty place.
 */
function boardsOf(
  replies: Replies,
  toHs: (told: Told) => number | undefined,
  isMega: boolean,
): BoardReading[] | undefined {
  const { all, stats } = replies;
  const devs = deviceRows(replies);
  const chains = stats?.STATS?.filter((row) => row['Chain ID'] !== undefined);
  // Pools have rows among the statistics, too; what tells of no chain does not say that there are none.
  if (!all?.all.chain?.length && !chains?.length && !devs?.length) return undefined;
  const found = new Map<number, Parts>();
  const add = (slot: number | undefined, parts: Parts) => {
    if (slot !== undefined && slot < 64) found.set(slot, { ...found.get(slot), ...parts });
  };
  for (const row of devs ?? []) {
    add(
      row.ASC ?? row.ID,
      present({
        hashrateHs: isMega ? first(windowHs(row, '1m'), windowHs(row, '5s'), windowHs(row, 'av')) : toHs(row),
        chipTempAvgC: row.Temperature,
        hwErrors: row['Hardware Errors'],
        isAlive: poolIsAlive(row.Status),
      }),
    );
  }
  for (const row of chains ?? []) {
    const { Temp: chipTempAvgC, 'Temp max': chipTempMaxC, 'Num active chips': chips } = row;
    add(row['Chain ID'], present({ chips, chipTempMaxC, chipTempAvgC }));
  }
  for (const row of all?.all.chain ?? []) {
    const { 'Temp max': chipTempMaxC, 'Average Temp': chipTempAvgC, 'Hardware Errors': hwErrors } = row;
    add(row.ASC, present({ hashrateHs: toHs(row), chipTempMaxC, chipTempAvgC, hwErrors }));
  }
  return [...found]
    .toSorted(([a], [b]) => a - b)
    .flatMap(([slot, { chips, ...parts }]) => {
      const isHashing = positive(parts.hashrateHs) !== undefined;
      const isMeasured = parts.chipTempAvgC !== undefined || parts.chipTempMaxC !== undefined;
      if (!isHashing && positive(chips) === undefined && !isMeasured) return [];
      // No chips beside a rate: not counted.
      return [{ slot, ...parts, ...present({ chips: isHashing ? positive(chips) : chips }) }];
    });
}

/** One duty for all fans; how fast they turn is not told, nor how many they are. */
function fansOf(dutyPercent: number | undefined, row: Model | undefined): FanReading[] | undefined {
  if (dutyPercent === undefined || row?.expected.fans === undefined) return undefined;
  return Array.from({ length: row.expected.fans }, (_, index) => ({ index, dutyPercent }));
}

function errorsOf({ code, detail }: NonNullable<Replies['fault']>): ErrorReading[] {
  if (code === undefined || isNoFault(code)) return [];
  const [message = detail?.msg, category = 'unknown' as const] = ERRORS[code] ?? [];
  return [present({ code, message, category })];
}
