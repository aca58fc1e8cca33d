// Bitmain's `stats` dialect, both forms (atlas 3.3): the classic one with numbered keys and the new one with `chain[]`.
// From either to boards, fans and rates in our units. The driver knows the machine, and what its sensors mean.
import * as kit from '../../src/driver/kit/index.ts';
import {
  BITMAIN,
  type Board,
  CHAINS,
  classicBoards,
  hasChain,
  hashes,
  newBoards,
  type Units,
} from './bitmain-boards.ts';
import { CHAIN_GROUPS, groupChains } from './bitmain-groups.ts';
import { SLEEP_17 } from './bitmain-modes.ts';
import { chainUnitOf, rateReader, rateUnitOf, type UnitEvidence } from './bitmain-units.ts';

/** Rates, boards and fans of one `stats` answer; what it does not tell is undefined. */
export type Stats = {
  readonly type: string | undefined;
  readonly compileTime: string | undefined;
  readonly elapsedS: number | undefined;
  readonly nowHs: number | undefined;
  readonly settledHs: number | undefined;
  readonly averageHs: number | undefined;
  readonly idealHs: number | undefined;
  /** Whether it writes a rate above 0, in whatever unit. */
  readonly isHashing: boolean | undefined;
  readonly powerW: number | undefined;
  /** Of the whole machine; most boards tell their own. */
  readonly frequencyMhz: number | undefined;
  /** Device clock. */
  readonly whenS: number | undefined;
  readonly mode: number | undefined;
  readonly fanCount: number | undefined;
  /** What it says of its power supply. */
  readonly psuStatus: string | undefined;
  /** Every slot that the controller has, stopped and empty ones as 0. */
  readonly fanSlots: readonly (number | undefined)[];
  /** Undefined where the answer does not speak of boards: it does not say that there are none. */
  readonly boards: readonly Board[] | undefined;
};

/** `STATS` holds the version object before the data in the classic form, the data alone in the new one. */
export const statsRows = (answer: kit.Answer): readonly kit.Answer[] => answer.rows('STATS', 8) ?? [];

/** A text of the version object, or of what the new form has in its place. */
function headText(answer: kit.Answer, key: string, newKey: string): string | undefined {
  const head = statsRows(answer).find((entry) => entry.has('Type') || entry.has('CompileTime'));
  return head?.text(key) ?? answer.at('INFO').text(newKey);
}

/** The name of the machine, as the answer has it. */
export const statsType = (answer: kit.Answer): string | undefined => headText(answer, 'Type', 'type');

type Options = Omit<UnitEvidence, 'model'> & { readonly units?: Units };

/** Whether an answer to `stats` has a place for boards. */
export const speaksOfBoards = (answer: kit.Answer): boolean =>
  statsRows(answer).some(
    (entry) => (entry.list('chain') ?? []).length > 0 || CHAINS.some((chain) => hasChain(entry, chain)),
  );

/** What either of two answers to the same question says; where both do, the first. */
export const mergeStats = (one: Stats, other: Stats): Stats => ({
  ...other,
  ...kit.present(one),
  fanSlots: one.fanSlots.length > 0 ? one.fanSlots : other.fanSlots,
});

const DATA = ['Elapsed', 'elapsed', 'chain', 'rate_5s', 'GHS 5s', 'MHS 5s', 'STATS'];

/** The row of an answer that holds its figures; empty where none does. */
export const statsData = (answer: kit.Answer): kit.Answer =>
  statsRows(answer).find((entry) => DATA.some((key) => entry.has(key))) ?? new kit.Answer(undefined);

/** The `model` tells the unit of rates where no answer does. */
export function readStats(
  answer: kit.Answer,
  model: Pick<kit.Model, 'model' | 'algorithm' | 'expected'> | undefined,
  { units = BITMAIN, ...evidence }: Options = {},
): Stats {
  const data = statsData(answer);
  const unit = rateUnitOf(data, { ...evidence, model });
  const rate = rateReader(unit);
  const isHashing = hashes(data);
  const nowHs = kit.first(
    ...[rate(data, 'GHS 5s'), rate(data, 'rate_5s'), data.rateHs('MHS 5s', 'M'), data.rateHs('KHS 5s', 'K')],
  );
  const watts = powerReader(model?.algorithm);
  const groups = CHAIN_GROUPS[model?.model ?? ''];
  return {
    type: statsType(answer),
    compileTime: headText(answer, 'CompileTime', 'CompileTime'),
    elapsedS: kit.first(data.seconds('Elapsed'), data.seconds('elapsed')),
    nowHs,
    settledHs: kit.first(rate(data, 'rate_15m'), rate(data, 'rate_30m'), rate(data, 'GHS 30m')),
    averageHs: kit.first(
      ...[rate(data, 'GHS av'), rate(data, 'rate_avg'), data.rateHs('MHS av', 'M'), data.rateHs('KHS av', 'K')],
    ),
    idealHs: kit.positive(kit.first(rate(data, 'total_rateideal'), rate(data, 'rate_ideal'))),
    isHashing,
    powerW: kit.first(...POWER_KEYS.map((key) => watts(data.value(key), nowHs))),
    frequencyMhz: kit.positive(units.toMhz(data.value('frequency'))),
    whenS: kit.whenS(answer),
    // Under `Mode` other numbers mean other things.
    mode: kit.first(
      data.number('miner-mode', { min: 0, max: 255 }),
      data.number('Mode', { min: SLEEP_17, max: SLEEP_17 }),
    ),
    fanCount: data.positive('fan_num', 16),
    fanSlots: fanSlots(data),
    psuStatus: kit.toText(data.at('psu').value('status'), 32),
    boards:
      data.list('chain') !== undefined
        ? newBoards(data, { rate, units, isHashing })
        : groupChains(
            classicBoards(data, {
              ...{ rate, chainRate: rateReader(chainUnitOf(data, unit)), watts, units, isHashing },
              isGrouped: groups !== undefined,
            }),
            groups,
          ),
  };
}

/** Watts from a number or from text such as `3250 W` or `967.50 (AB)`; a miner that answers does not draw 0. */
export function toWatts(value: unknown): number | undefined {
  const bare = typeof value === 'string' ? value.slice(0, 64).replace(/\s*(w(atts?)?|\(AB\))\s*$/i, '') : value;
  return kit.positive(kit.toNumber(bare, { min: 0, max: 100_000 }));
}

export const POWER_KEYS = ['total_power', 'power', 'Power', 'watt', 'chain_power'] as const;

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

function fanSlots(data: kit.Answer): (number | undefined)[] {
  const listed = data.list('fan', 16);
  if (listed !== undefined) return listed.map((rpm) => kit.toNumber(rpm, { min: 0, max: 30_000 }));
  const keys = Array.from({ length: 8 }, (_, index) => `fan${index + 1}`);
  return keys.slice(0, keys.findLastIndex((key) => data.has(key)) + 1).map((key) => data.rpm(key));
}
