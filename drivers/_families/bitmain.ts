// Bitmain's `stats` dialect, both forms (atlas 3.3): the classic one with numbered keys and the new one with `chain[]`. Turns either into boards,
// fans and rates in our units. Which machine it is, and what its sensors mean on that machine, is the driver's business.
import { z } from 'zod';
import { first, largest, list, mean, sumOfAll, text, toNumber, toTempC, toText } from '../../src/driver/fields.ts';
import type { BoardReading, Expectation, MiningMode, Reading } from '../../src/model/reading.ts';
import { fansBuiltIn } from './bitmain-fans.ts';
import { SLEEP_17 } from './bitmain-modes.ts';
import { rateReader, rateUnitOf, type UnitEvidence } from './bitmain-units.ts';
import { positive, present, rateHs, whenS } from './cgminer.ts';
import type { Model } from './models.ts';
import { type OwnBuild, withOwnBuild } from './own-build.ts';

type Row = Readonly<Record<string, unknown>>;
/** Read key by key, so not copied: it has some two hundred, and half of them say nothing. */
const isRow = (value: unknown) => typeof value === 'object' && value !== null && !Array.isArray(value);
const row = z.custom<Row>(isRow);

/** TCP `stats`; `STATS` holds the version object before the data in the classic form, the data alone in the new one. */
export const statsReply = z.looseObject({
  STATUS: z.unknown().optional(),
  INFO: z.looseObject({ CompileTime: text(), type: text(), miner_version: text() }).optional().catch(undefined),
  STATS: list(row, 8),
});

/** How a make that copied the dialect writes figures whose unit it changed: C and MHz, or undefined. */
export type Units = {
  toChipC(value: unknown): number | undefined;
  toMhz(value: unknown): number | undefined;
  /** Whether `hw` counts hardware errors. */
  readonly hasHwErrors: boolean;
};
/** `637`, `"384"`, `"1600M"`. */
const toMhz = (value: unknown) =>
  toNumber(typeof value === 'string' ? value.slice(0, 32).replace(/\s*m(hz)?\s*$/i, '') : value, {
    min: 0,
    max: 10_000,
  });
export const BITMAIN: Units = { toChipC: (value) => toTempC(value), toMhz, hasHwErrors: true };

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
export type Board = {
  readonly slot: number;
  readonly reading: Omit<BoardReading, 'slot'>;
  readonly pcbC: readonly (number | undefined)[];
  readonly chipC: readonly (number | undefined)[];
  readonly picC: readonly (number | undefined)[];
};

type StatsReply = z.output<typeof statsReply>;

/** The version object of an answer. */
const headOf = (reply: StatsReply | undefined) =>
  reply?.STATS?.find((entry) => entry.Type !== undefined || entry.CompileTime !== undefined);

/** The name of the machine, as the answer has it. */
export const statsType = (reply: StatsReply | undefined): string | undefined =>
  first(toText(headOf(reply)?.Type), reply?.INFO?.type);

type Options = Omit<UnitEvidence, 'model'> & { readonly units?: Units };

/** Whether a raw answer to `stats` has a place for boards. */
export function speaksOfBoards(answer: unknown): boolean {
  const rows = statsReply.safeParse(answer).data?.STATS ?? [];
  return rows.some(
    (entry) => (Array.isArray(entry.chain) && entry.chain.length > 0) || CHAINS.some((chain) => hasChain(entry, chain)),
  );
}

const CHAINS = Array.from({ length: 17 }, (_, chain) => chain);
const hasChain = (data: Row, chain: number) =>
  data[`chain_acn${chain}`] !== undefined || data[`chain_rate${chain}`] !== undefined;

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
  return present({
    type: statsType(reply),
    compileTime: first(toText(headOf(reply)?.CompileTime), reply?.INFO?.CompileTime),
    elapsedS: toNumber(first(data.Elapsed, data.elapsed), { min: 0, max: 4e9 }),
    nowHs: first(rate(data['GHS 5s']), rate(data.rate_5s), rateHs(data['MHS 5s'], 'M'), rateHs(data['KHS 5s'], 'K')),
    settledHs: first(rate(data.rate_15m), rate(data.rate_30m), rate(data['GHS 30m'])),
    averageHs: first(
      rate(data['GHS av']),
      rate(data.rate_avg),
      rateHs(data['MHS av'], 'M'),
      rateHs(data['KHS av'], 'K'),
    ),
    idealHs: positive(first(rate(data.total_rateideal), rate(data.rate_ideal))),
    isHashing,
    powerW: first(...[data.power, data.Power, data.watt, data.chain_power].map(toWatts)),
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
      : classicBoards(data, { rate, units, isHashing }, CHAIN_GROUPS[model?.model ?? '']),
  });
}

function isData(entry: Row): boolean {
  return ['Elapsed', 'elapsed', 'chain', 'rate_5s', 'GHS 5s', 'MHS 5s', 'STATS'].some(
    (key) => entry[key] !== undefined,
  );
}

/** Watts from a number or from text such as `3250 W`; a miner that answers does not draw 0. */
export function toWatts(value: unknown): number | undefined {
  const bare = typeof value === 'string' ? value.slice(0, 64).replace(/\s*w(atts?)?\s*$/i, '') : value;
  return positive(toNumber(bare, { min: 0, max: 100_000 }));
}

type Rate = (value: unknown) => number | undefined;
const count = (value: unknown, max = 100_000) => {
  const whole = toNumber(value, { min: 0, max });
  return whole === undefined ? undefined : Math.round(whole);
};

/** What the boards of an answer are read with. */
type Reader = { readonly rate: Rate; readonly units: Units; readonly isHashing: boolean | undefined };

const NOW_RATES = ['GHS 5s', 'rate_5s', 'MHS 5s', 'KHS 5s'] as const;

/** Whether it hashes by its rate of now, in whatever unit, or by those of its boards; undefined where it writes none. */
function hashes(data: Row): boolean | undefined {
  const now = NOW_RATES.map((key) => bareRate(data[key])).filter((rate) => rate !== undefined);
  const most = largest(now.length > 0 ? now : boardRates(data).map(bareRate));
  return most === undefined ? undefined : most > 0;
}

const boardRates = (data: Row): unknown[] =>
  Array.isArray(data.chain)
    ? data.chain.slice(0, 32).map((entry) => row.safeParse(entry).data?.rate_real)
    : CHAINS.map((chain) => data[`chain_rate${chain}`]);

const bareRate = (value: unknown) =>
  toNumber(typeof value === 'string' ? value.slice(0, 64).replace(/\s*[kmgtp]?(h|sol).*$/i, '') : value);

/** Machines that count three chains to a board: the chains of each board, in the order of their slots. */
const CHAIN_GROUPS: Readonly<Record<string, readonly (readonly number[])[]>> = {
  E3: [
    [1, 8, 9],
    [2, 10, 11],
    [3, 12, 13],
  ],
  T9: [
    [2, 9, 10],
    [3, 11, 12],
    [4, 13, 14],
  ],
};

/**
 * Numbered keys: chains count from 1, on the S9 era from 6, rarely from 0; the number tells the slot, so that a dead board does not shift the
 * ones after it. Chains without chips, serial number and rate are placeholders. Undefined where the answer has no place for boards.
 */
function classicBoards(data: Row, reader: Reader, groups: readonly (readonly number[])[] | undefined) {
  if (!CHAINS.some((chain) => hasChain(data, chain))) return undefined;
  const chains = CHAINS.filter(
    (chain) =>
      positive(toNumber(data[`chain_acn${chain}`])) !== undefined ||
      positive(toNumber(data[`chain_rate${chain}`])) !== undefined ||
      serialOf(data[`chain_sn${chain}`]) !== undefined,
  );
  const lowest = chains[0] ?? 0;
  const base = groups !== undefined || (data.chain_acn0 !== undefined && lowest === 0) ? 0 : lowest >= 6 ? 6 : 1;
  const mhz = (value: unknown) => positive(reader.units.toMhz(value));
  const own = chains.map((chain) =>
    first(mhz(data[`freq_avg${chain}`]), mhz(data[`freq${chain}`]), mhz(data[`frequency${chain}`])),
  );
  // Old machines tell one clock for all of their boards.
  const shared = own.every((value) => value === undefined) ? mhz(data.frequency) : undefined;
  const boards = chains.map((chain, place) =>
    toBoard(chain - base, reader, {
      chips: data[`chain_acn${chain}`],
      map: data[`chain_acs${chain}`],
      serial: first(data[`chain_sn${chain}`], data[`chain_SN${chain}`]),
      rateHs: reader.rate(data[`chain_rate${chain}`]),
      idealHs: reader.rate(data[`chain_rateideal${chain}`]),
      frequencyMhz: own[place] ?? shared,
      hw: data[`chain_hw${chain}`],
      pcb: first(data[`temp_pcb${chain}`], data[`temp${chain}`]),
      chip: first(data[`temp_chip${chain}`], data[`temp2_${chain}`], data[`chipTemp${chain}`]),
      pic: data[`temp_pic${chain}`],
    }),
  );
  return groups === undefined ? boards : groupChains(boards, groups);
}

/** Chains that belong to one board as one; a sum that lacks a part is not told. */
function groupChains(chains: readonly Board[], groups: readonly (readonly number[])[]): Board[] {
  return groups.flatMap((numbers, slot) => {
    const parts = chains.filter((chain) => numbers.includes(chain.slot));
    if (parts.length === 0) return [];
    const readings = parts.map(({ reading }) => reading);
    const temps = readings.flatMap(({ boardTempsC }) => boardTempsC ?? []);
    return [
      {
        slot,
        pcbC: parts.flatMap(({ pcbC }) => pcbC),
        chipC: parts.flatMap(({ chipC }) => chipC),
        picC: parts.flatMap(({ picC }) => picC),
        reading: present({
          hashrateHs: sumOfAll(readings.map(({ hashrateHs }) => hashrateHs)),
          expectedHashrateHs: sumOfAll(readings.map(({ expectedHashrateHs }) => expectedHashrateHs)),
          chips: sumOfAll(readings.map(({ chips }) => chips)),
          badChips: sumOfAll(readings.map(({ badChips }) => badChips)),
          hwErrors: sumOfAll(readings.map(({ hwErrors }) => hwErrors)),
          frequencyMhz: mean(readings.map(({ frequencyMhz }) => frequencyMhz)),
          boardTempsC: temps.length === 0 ? undefined : temps,
          chipTempMaxC: largest(readings.map(({ chipTempMaxC }) => chipTempMaxC)),
          chipTempAvgC: mean(readings.map(({ chipTempAvgC }) => chipTempAvgC)),
        }),
      },
    ];
  });
}

/** Undefined for an empty list: it does not say that there are none. */
function newBoards(chain: readonly unknown[], reader: Reader): Board[] | undefined {
  if (chain.length === 0) return undefined;
  const taken = new Set<number>();
  return chain.slice(0, 32).flatMap((entry, place) => {
    const parsed = row.safeParse(entry);
    if (!parsed.success) return [];
    const { data } = parsed;
    const exists =
      positive(toNumber(data.asic_num)) ?? positive(toNumber(data.rate_real)) ?? serialOf(data.sn) ?? undefined;
    const index = toNumber(data.index, { min: 0, max: 31 });
    const slot = index !== undefined && Number.isInteger(index) ? index : place;
    if (exists === undefined || taken.has(slot)) return [];
    taken.add(slot);
    return [
      toBoard(slot, reader, {
        chips: data.asic_num,
        map: data.asic,
        serial: data.sn,
        rateHs: reader.rate(data.rate_real),
        idealHs: reader.rate(data.rate_ideal),
        frequencyMhz: positive(reader.units.toMhz(data.freq_avg)),
        hw: data.hw,
        pcb: data.temp_pcb,
        chip: data.temp_chip,
        pic: data.temp_pic,
      }),
    ];
  });
}

/** Places without a number hold a word (`unknow`) or zeros. */
function serialOf(value: unknown): string | undefined {
  const written = toText(value);
  return written === undefined || /^(unknown?|n\/?a|null|none|[0-]+)$/i.test(written) ? undefined : written;
}

/** What a firmware writes of one board, unread but for its rates and its clock. */
type Parts = Readonly<
  Record<'chips' | 'map' | 'serial' | 'hw' | 'pcb' | 'chip' | 'pic', unknown> &
    Record<'rateHs' | 'idealHs' | 'frequencyMhz', number | undefined>
>;

export function toBoard(slot: number, { units, isHashing }: Omit<Reader, 'rate'>, parts: Parts): Board {
  const [pcbC, chipC, picC] = [sensors(parts.pcb), sensors(parts.chip, units.toChipC), sensors(parts.pic)];
  const boardTempsC = pcbC.filter((tempC) => tempC !== undefined);
  return {
    slot,
    pcbC,
    chipC,
    picC,
    reading: present({
      serialNumber: serialOf(parts.serial),
      hashrateHs: parts.rateHs,
      expectedHashrateHs: positive(parts.idealHs),
      chips: count(parts.chips),
      badChips: badChips(parts.map, isHashing),
      frequencyMhz: parts.frequencyMhz,
      boardTempsC: boardTempsC.length === 0 ? undefined : boardTempsC,
      chipTempMaxC: largest(chipC),
      chipTempAvgC: mean(chipC),
      hwErrors: units.hasHwErrors ? count(parts.hw, 1e15) : undefined,
    }),
  };
}

/** `"73-45--5-65"`, `"[65.21, 64.10]"`, a list, or one number; 0 is an empty place. */
export function sensors(value: unknown, toC = BITMAIN.toChipC): (number | undefined)[] {
  const bracketed = typeof value === 'string' ? value.slice(0, 512).match(/^\s*\[([^\]]*)\]?\s*$/)?.[1] : undefined;
  if (bracketed !== undefined)
    return bracketed
      .split(',')
      .slice(0, 32)
      .map((entry) => toC(entry));
  const written =
    typeof value === 'string'
      ? [...value.slice(0, 256).matchAll(/(?:^|-)(-?\d+(?:\.\d+)?)/g)].map(([, number]) => number)
      : Array.isArray(value)
        ? value
        : [value];
  return written.slice(0, 32).map((entry) => toC(entry));
}

/**
 * `o` is a good chip, `x` a bad one; a map of anything else says nothing. A machine that stands still, asleep or stopped by its heat, prints `x` for
 * chips that nothing is wrong with.
 */
function badChips(map: unknown, isHashing: boolean | undefined): number | undefined {
  if (isHashing !== true || typeof map !== 'string' || !/^[\sox]*$/.test(map) || map.trim() === '') return undefined;
  return map.split('x').length - 1;
}

function fanSlots(data: Row): (number | undefined)[] {
  const rpm = (value: unknown) => toNumber(value, { min: 0, max: 30_000 });
  if (Array.isArray(data.fan)) return data.fan.slice(0, 16).map(rpm);
  const numbered = Array.from({ length: 8 }, (_, index) => data[`fan${index + 1}`]);
  return numbered.slice(0, numbered.findLastIndex((value) => value !== undefined) + 1).map(rpm);
}

/** The device's own figures where it has them. A nameplate stands for normal mode only. */
export function expectation(
  model: Model | undefined,
  stats: Stats | undefined,
  mode: MiningMode | undefined,
): Reading['expected'] {
  const { hashrateHs: nameplateHs, ...parts } = model?.expected ?? {};
  const hashrateHs = first(stats?.idealHs, mode === undefined || mode === 'normal' ? nameplateHs : undefined);
  return present({ ...withOwnBuild(parts, ownBuild(stats, parts)), hashrateHs });
}

/** What the answer says of how the machine was built. */
function ownBuild(stats: Stats | undefined, { boards, fans, cooling }: Expectation): OwnBuild {
  const shown = stats?.boards ?? [];
  const [chips, ...others] = new Set(shown.map(({ reading }) => reading.chips));
  const isWhole = boards !== undefined && shown.length >= boards && shown.length > 1 && others.length === 0;
  return {
    // A lost board is not in the list: only one more than the table has is of the build.
    boards: boards !== undefined && shown.length > boards ? shown.length : undefined,
    // Boards that are all there do not lose the same number of chips each.
    chipsPerBoard: isWhole && shown.every(({ reading }) => (reading.badChips ?? 0) === 0) ? chips : undefined,
    fans: cooling === 'liquid' || stats === undefined ? undefined : fansBuiltIn(stats, fans),
  };
}
