// Bitmain's `stats` dialect, both forms (atlas 3.3): the classic one with numbered keys and the new one with `chain[]`.
// From either to boards, fans and rates in our units. The driver knows the machine, and what its sensors mean.
import { z } from 'zod';
import { first, list, text, toKnownText, toNumber, toText } from '../../src/driver/fields.ts';
import type { Model } from '../../src/driver/kit/models/models.ts';
import {
  BITMAIN,
  type Board,
  CHAINS,
  classicBoards,
  hasChain,
  hashes,
  newBoards,
  type Row,
  row,
  type Units,
} from './bitmain-boards.ts';
import { CHAIN_GROUPS, groupChains } from './bitmain-groups.ts';
import { SLEEP_17 } from './bitmain-modes.ts';
import { chainUnitOf, rateReader, rateUnitOf, type UnitEvidence } from './bitmain-units.ts';
import { positive, present, rateHs, whenS } from './cgminer.ts';

/** TCP `stats`; `STATS` holds the version object before the data in the classic form, the data alone in the new one. */
export const statsReply = z.looseObject({
  STATUS: z.unknown().optional(),
  INFO: z.looseObject({ CompileTime: text(), type: text(), miner_version: text() }).optional().catch(undefined),
  STATS: list(row, 8),
});

/** Rates, boards and fans of one `stats` answer. Sensors keep their places: a sensor that is not there is undefined. */
export type Stats = {
  readonly type?: string;
  readonly compileTime?: string;
  readonly elapsedS?: number;
  readonly nowHs?: number;
  readonly settledHs?: number;
  readonly averageHs?: number;
  readonly idealHs?: number;
  /** Whether it writes a rate above 0, in whatever unit. */
  readonly isHashing?: boolean;
  readonly powerW?: number;
  /** Of the whole machine; most boards tell their own. */
  readonly frequencyMhz?: number;
  /** Device clock. */
  readonly whenS?: number;
  readonly mode?: number;
  readonly fanCount?: number;
  /** What it says of its power supply. */
  readonly psuStatus?: string;
  /** Every slot that the controller has, stopped and empty ones as 0. */
  readonly fanSlots: readonly (number | undefined)[];
  /** Undefined where the answer does not speak of boards: it does not say that there are none. */
  readonly boards?: readonly Board[];
};
type StatsReply = z.output<typeof statsReply>;

/** The version object of an answer. */
const headOf = (reply: StatsReply | undefined) =>
  reply?.STATS?.find((entry) => entry.Type !== undefined || entry.CompileTime !== undefined);

/** The name of the machine, as the answer has it. */
export const statsType = (reply: StatsReply | undefined): string | undefined =>
  first(toKnownText(headOf(reply)?.Type), reply?.INFO?.type);

type Options = Omit<UnitEvidence, 'model'> & { readonly units?: Units };

/** Whether a raw answer to `stats` has a place for boards. */
export function speaksOfBoards(answer: unknown): boolean {
  const rows = statsReply.safeParse(answer).data?.STATS ?? [];
  return rows.some(
    (entry) => (Array.isArray(entry.chain) && entry.chain.length > 0) || CHAINS.some((chain) => hasChain(entry, chain)),
  );
}

/** What either of two answers to the same question says; where both do, the first. */
export function mergeStats(one: Stats | undefined, other: Stats | undefined): Stats | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  const fanSlots = one.fanSlots.length > 0 ? one.fanSlots : other.fanSlots;
  return { ...other, ...one, fanSlots };
}

/** Undefined when the answer holds no data. The `model` tells the unit of rates where no answer does. */
export function readStats(
  reply: StatsReply | undefined,
  model: Pick<Model, 'model' | 'algorithm' | 'expected'> | undefined,
  { units = BITMAIN, ...evidence }: Options = {},
): Stats | undefined {
  const data = reply?.STATS?.find(isData);
  if (data === undefined) return undefined;
  const unit = rateUnitOf(data, { ...evidence, model });
  const rate = rateReader(unit);
  const isHashing = hashes(data);
  const nowHs = first(
    rate(data['GHS 5s']),
    rate(data.rate_5s),
    rateHs(data['MHS 5s'], 'M'),
    rateHs(data['KHS 5s'], 'K'),
  );
  const watts = powerReader(model?.algorithm);
  const groups = CHAIN_GROUPS[model?.model ?? ''];
  return present({
    type: statsType(reply),
    compileTime: first(toKnownText(headOf(reply)?.CompileTime), reply?.INFO?.CompileTime),
    elapsedS: toNumber(first(data.Elapsed, data.elapsed), { min: 0, max: 4e9 }),
    nowHs,
    settledHs: first(rate(data.rate_15m), rate(data.rate_30m), rate(data['GHS 30m'])),
    averageHs: first(
      rate(data['GHS av']),
      rate(data.rate_avg),
      rateHs(data['MHS av'], 'M'),
      rateHs(data['KHS av'], 'K'),
    ),
    idealHs: positive(first(rate(data.total_rateideal), rate(data.rate_ideal))),
    isHashing,
    powerW: first(
      ...[data.total_power, data.power, data.Power, data.watt, data.chain_power].map((value) => watts(value, nowHs)),
    ),
    frequencyMhz: positive(units.toMhz(data.frequency)),
    whenS: whenS(reply),
    // Under `Mode` other numbers mean other things.
    mode: first(
      toNumber(data['miner-mode'], { min: 0, max: 255 }),
      toNumber(data.Mode, { min: SLEEP_17, max: SLEEP_17 }),
    ),
    fanCount: positive(toNumber(data.fan_num, { min: 0, max: 16 })),
    fanSlots: fanSlots(data),
    psuStatus: toText(row.safeParse(data.psu).data?.status, 32),
    boards: Array.isArray(data.chain)
      ? newBoards(data.chain, { rate, units, isHashing })
      : groupChains(
          classicBoards(data, {
            ...{ rate, chainRate: rateReader(chainUnitOf(data, unit)), watts, units, isHashing },
            isGrouped: groups !== undefined,
          }),
          groups,
        ),
  });
}

function isData(entry: Row): boolean {
  return ['Elapsed', 'elapsed', 'chain', 'rate_5s', 'GHS 5s', 'MHS 5s', 'STATS'].some(
    (key) => entry[key] !== undefined,
  );
}

/** Watts from a number or from text such as `3250 W` or `967.50 (AB)`; a miner that answers does not draw 0. */
export function toWatts(value: unknown): number | undefined {
  const bare = typeof value === 'string' ? value.slice(0, 64).replace(/\s*(w(atts?)?|\(AB\))\s*$/i, '') : value;
  return positive(toNumber(bare, { min: 0, max: 100_000 }));
}

/** Joule per hash of SHA-256: less than half of what the best machines take. */
const LEAST_J = 4e-12;

/**
 * Reads the power of a machine that hashes at `hs`: builds that estimate it also write figures without a unit (35 "W"
 * of an S9 at 12 TH/s).
 */
const powerReader =
  (algorithm: string | null | undefined) =>
  (value: unknown, hs: number | undefined): number | undefined => {
    const watts = toWatts(value);
    const leastW = algorithm === 'sha256' ? (hs ?? 0) * LEAST_J : 0;
    return watts !== undefined && watts >= leastW ? watts : undefined;
  };

function fanSlots(data: Row): (number | undefined)[] {
  const rpm = (value: unknown) => toNumber(value, { min: 0, max: 30_000 });
  if (Array.isArray(data.fan)) return data.fan.slice(0, 16).map(rpm);
  const numbered = Array.from({ length: 8 }, (_, index) => data[`fan${index + 1}`]);
  return numbered.slice(0, numbered.findLastIndex((value) => value !== undefined) + 1).map(rpm);
}
