// Turns the answers of one Innosilicon into a Reading (atlas 19). The web knows most, TCP the chips; where the web refuses us, TCP has rates too.
import { z } from 'zod';
import type { Known } from '../../src/driver/contract.ts';
import { first, largest, list, text } from '../../src/driver/fields.ts';
import type { BoardReading, ErrorReading, FanReading, Reading } from '../../src/model/reading.ts';
import { hashrates, poolReadings, present, rateHs, windowHs } from '../_families/cgminer.ts';
import { findModel, type Model } from '../_families/models.ts';
import { ERRORS } from './errors.data.ts';
import type { Replies } from './replies.ts';

type Told = { readonly 'Hash Rate H'?: number | undefined; readonly 'Hash Rate'?: number | undefined };

export function read(replies: Replies, known: Known): Reading {
  const { overview, summary, stats } = replies;
  const web = replies.all?.all;
  const reported = first(replies.type?.type, overview?.type, known.model);
  const row = findModel('innosilicon-stock', reported);
  const isMega = countsHashes(reported, summary?.STATUS ?? replies.version?.STATUS);
  const toHs = (told: Told | undefined) =>
    first(rateHs(told?.['Hash Rate H'], ''), isMega ? rateHs(told?.['Hash Rate'], 'M') : undefined);
  const webHs = toHs(web?.total_hash);
  const summaryRow = summary?.SUMMARY?.[0];
  const onTcp = summaryRow && isMega ? hashrates(summaryRow) : {};
  const rates = webHs === undefined ? onTcp : ({ hashrateHs: webHs, hashrateWindow: 'realtime' } as const);
  const boards = boardsOf(replies, toHs, isMega);
  return present({
    make: 'Innosilicon',
    model: row?.model ?? reported,
    mac: first(web?.mac, overview?.version?.ethaddr),
    hostname: overview?.hostname,
    firmwareVersion: overview?.version?.build_date,
    apiVersion: replies.version?.VERSION?.[0]?.API,
    controlBoard: overview?.version?.hwver,

    ...rates,
    powerW: web?.power,
    uptimeS: first(largest(stats?.STATS?.map(({ Elapsed }) => Elapsed) ?? []), summaryRow?.Elapsed, web?.uptime),

    isMining: rates.hashrateHs === undefined ? undefined : rates.hashrateHs > 0,
    miningMode: web === undefined && summaryRow === undefined ? undefined : ('normal' as const),
    tempC: first(
      largest(boards?.map((board) => board.chipTempMaxC) ?? []),
      largest(boards?.map((board) => board.chipTempAvgC) ?? []),
    ),
    boards,
    fans: fansOf(web?.fansSpeed, row),
    pools: poolReadings((replies.pools ?? replies.webPools)?.POOLS),
    errors: replies.fault && errorsOf(replies.fault),
    expected: row && Object.keys(row.expected).length > 0 ? row.expected : undefined,
  });
}

const statusRow = z.looseObject({ Description: text(256) });

/** An A9 counts solutions and prints them under names that mean millions of hashes elsewhere. */
function countsHashes(reported: string | undefined, status: unknown): boolean {
  const description = list(statusRow, 1).parse(status)?.[0]?.Description;
  return !/^a9\b|\ba9[-+ ]/i.test(reported ?? '') && !/\ba9\b/i.test(description ?? '');
}

type Parts = Omit<BoardReading, 'slot'>;

/** The same chains by their numbers, from up to three answers. One without chips and without a rate is an empty place. */
function boardsOf(
  { all, stats, devs }: Replies,
  toHs: (told: Told) => number | undefined,
  isMega: boolean,
): BoardReading[] | undefined {
  if (all?.all.chain === undefined && stats === undefined && devs === undefined) return undefined;
  const found = new Map<number, Parts>();
  const add = (slot: number | undefined, parts: Parts) => {
    if (slot !== undefined && slot < 64) found.set(slot, { ...found.get(slot), ...parts });
  };
  for (const row of devs?.DEVS ?? []) {
    add(
      row.ASC ?? row.ID,
      present({
        hashrateHs: isMega ? first(windowHs(row, '1m'), windowHs(row, '5s'), windowHs(row, 'av')) : undefined,
        chipTempAvgC: row.Temperature,
        hwErrors: row['Hardware Errors'],
      }),
    );
  }
  for (const row of stats?.STATS ?? []) add(row['Chain ID'], present({ chips: row['Num active chips'] }));
  for (const row of all?.all.chain ?? []) {
    add(row.ASC, present({ hashrateHs: toHs(row), chipTempMaxC: row['Temp max'], hwErrors: row['Hardware Errors'] }));
  }
  return [...found]
    .toSorted(([a], [b]) => a - b)
    .flatMap(([slot, parts]) => ((parts.chips ?? 0) > 0 || (parts.hashrateHs ?? 0) > 0 ? [{ slot, ...parts }] : []));
}

/** One duty for all fans; how fast they turn is not told, nor how many they are. */
function fansOf(dutyPercent: number | undefined, row: Model | undefined): FanReading[] | undefined {
  if (dutyPercent === undefined || row?.expected.fans === undefined) return undefined;
  return Array.from({ length: row.expected.fans }, (_, index) => ({ index, dutyPercent }));
}

function errorsOf({ code, detail }: NonNullable<Replies['fault']>): ErrorReading[] {
  if (code === undefined || Number(code) === 0) return [];
  const [message = detail?.msg, category = 'unknown' as const] = ERRORS[code] ?? [];
  return [present({ code, message, category })];
}
