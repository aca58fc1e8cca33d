// Bitmain's `stats` dialect, both forms (atlas 3.3): the classic one with numbered keys and the new one with `chain[]`. Turns either into boards,
// fans and rates in our units. Which machine it is, and what its sensors mean on that machine, is the driver's business.
import { z } from 'zod';
import { first, largest, list, mean, text, toNumber, toTempC, toText } from '../../src/driver/fields.ts';
import type { BoardReading, MiningMode, Reading } from '../../src/model/reading.ts';
import { rateUnitOf } from './bitmain-units.ts';
import { positive, present, rateHs, whenS } from './cgminer.ts';
import type { Model } from './models.ts';

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
};
const toMhz = (value: unknown) => toNumber(value, { min: 0, max: 10_000 });
export const BITMAIN: Units = { toChipC: (value) => toTempC(value), toMhz };

/** Rates, boards and fans of one `stats` answer. Sensors keep their places: a sensor that is not there is undefined. */
export type Stats = {
  readonly type?: string;
  readonly compileTime?: string;
  readonly elapsedS?: number;
  readonly nowHs?: number;
  readonly settledHs?: number;
  readonly averageHs?: number;
  readonly idealHs?: number;
  readonly powerW?: number;
  /** Of the whole machine; most boards tell their own. */
  readonly frequencyMhz?: number;
  /** Device clock. */
  readonly whenS?: number;
  readonly mode?: number;
  readonly fanCount?: number;
  /** Every slot that the controller has, stopped and empty ones as 0. */
  readonly fanSlots: readonly (number | undefined)[];
  readonly boards: readonly Board[];
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

/** Undefined when the answer holds no data. The `model` tells the unit of rates where the answer does not. */
export function readStats(
  reply: StatsReply | undefined,
  model: Pick<Model, 'algorithm' | 'expected'> | undefined,
  units = BITMAIN,
): Stats | undefined {
  const data = reply?.STATS?.find(isData);
  if (data === undefined) return undefined;
  const unit = rateUnitOf(data, model);
  const rate = (value: unknown) => (unit === undefined ? undefined : rateHs(value, unit));
  return present({
    type: statsType(reply),
    compileTime: first(toText(headOf(reply)?.CompileTime), reply?.INFO?.CompileTime),
    elapsedS: toNumber(first(data.Elapsed, data.elapsed), { min: 0, max: 4e9 }),
    nowHs: first(rate(data['GHS 5s']), rate(data.rate_5s), rateHs(data['MHS 5s'], 'M')),
    settledHs: first(rate(data.rate_15m), rate(data.rate_30m), rate(data['GHS 30m'])),
    averageHs: first(rate(data['GHS av']), rate(data.rate_avg), rateHs(data['MHS av'], 'M')),
    idealHs: positive(first(rate(data.total_rateideal), rate(data.rate_ideal))),
    powerW: first(...[data.power, data.Power, data.watt, data.chain_power].map(toWatts)),
    frequencyMhz: positive(toMhz(data.frequency)),
    whenS: whenS(reply),
    mode: toNumber(data['miner-mode'], { min: 0, max: 99 }),
    fanCount: positive(toNumber(data.fan_num, { min: 0, max: 16 })),
    fanSlots: fanSlots(data),
    boards: Array.isArray(data.chain) ? newBoards(data.chain, rate, units) : classicBoards(data, rate, units),
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

/**
 * Numbered keys: chains count from 1, on the S9 era from 6, rarely from 0; the number tells the slot, so that a dead board does not shift the
 * ones after it. Chains without chips, serial number and rate are placeholders.
 */
function classicBoards(data: Row, rate: Rate, units: Units): Board[] {
  const chains = Array.from({ length: 17 }, (_, chain) => chain).filter(
    (chain) =>
      positive(toNumber(data[`chain_acn${chain}`])) !== undefined ||
      positive(toNumber(data[`chain_rate${chain}`])) !== undefined ||
      toText(data[`chain_sn${chain}`]) !== undefined,
  );
  const lowest = chains[0] ?? 0;
  const base = data.chain_acn0 !== undefined && lowest === 0 ? 0 : lowest >= 6 ? 6 : 1;
  return chains.map((chain) =>
    toBoard(chain - base, units, {
      chips: data[`chain_acn${chain}`],
      map: data[`chain_acs${chain}`],
      serial: data[`chain_sn${chain}`],
      rateHs: rate(data[`chain_rate${chain}`]),
      idealHs: rate(data[`chain_rateideal${chain}`]),
      frequency: first(data[`freq_avg${chain}`], data[`freq${chain}`], data[`frequency${chain}`]),
      hw: data[`chain_hw${chain}`],
      pcb: first(data[`temp_pcb${chain}`], data[`temp${chain}`]),
      chip: first(data[`temp_chip${chain}`], data[`temp2_${chain}`]),
      pic: data[`temp_pic${chain}`],
    }),
  );
}

function newBoards(chain: readonly unknown[], rate: Rate, units: Units): Board[] {
  const taken = new Set<number>();
  return chain.slice(0, 32).flatMap((entry, place) => {
    const parsed = row.safeParse(entry);
    if (!parsed.success) return [];
    const { data } = parsed;
    const exists =
      positive(toNumber(data.asic_num)) ?? positive(toNumber(data.rate_real)) ?? toText(data.sn) ?? undefined;
    const index = toNumber(data.index, { min: 0, max: 31 });
    const slot = index !== undefined && Number.isInteger(index) ? index : place;
    if (exists === undefined || taken.has(slot)) return [];
    taken.add(slot);
    return [
      toBoard(slot, units, {
        chips: data.asic_num,
        map: data.asic,
        serial: data.sn,
        rateHs: rate(data.rate_real),
        idealHs: rate(data.rate_ideal),
        frequency: data.freq_avg,
        hw: data.hw,
        pcb: data.temp_pcb,
        chip: data.temp_chip,
        pic: data.temp_pic,
      }),
    ];
  });
}

/** What a firmware writes of one board, unread but for its rates. */
type Parts = Readonly<
  Record<'chips' | 'map' | 'serial' | 'frequency' | 'hw' | 'pcb' | 'chip' | 'pic', unknown> &
    Record<'rateHs' | 'idealHs', number | undefined>
>;

export function toBoard(slot: number, units: Units, parts: Parts): Board {
  const [pcbC, chipC, picC] = [sensors(parts.pcb), sensors(parts.chip, units.toChipC), sensors(parts.pic)];
  const boardTempsC = pcbC.filter((tempC) => tempC !== undefined);
  return {
    slot,
    pcbC,
    chipC,
    picC,
    reading: present({
      serialNumber: toText(parts.serial),
      hashrateHs: parts.rateHs,
      expectedHashrateHs: positive(parts.idealHs),
      chips: count(parts.chips),
      badChips: badChips(parts.map),
      frequencyMhz: units.toMhz(parts.frequency),
      boardTempsC: boardTempsC.length === 0 ? undefined : boardTempsC,
      chipTempMaxC: largest(chipC),
      chipTempAvgC: mean(chipC),
      hwErrors: count(parts.hw, 1e15),
    }),
  };
}

/** `"73-45--5-65"`, a list, or one number; 0 is an empty place. */
export function sensors(value: unknown, toC = BITMAIN.toChipC): (number | undefined)[] {
  const written =
    typeof value === 'string'
      ? [...value.slice(0, 256).matchAll(/(?:^|-)(-?\d+(?:\.\d+)?)/g)].map(([, number]) => number)
      : Array.isArray(value)
        ? value
        : [value];
  return written.slice(0, 32).map((entry) => toC(entry));
}

/** `o` is a good chip, `x` a bad one; a map of anything else says nothing. */
function badChips(map: unknown): number | undefined {
  if (typeof map !== 'string' || !/^[\sox]*$/.test(map) || map.trim() === '') return undefined;
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
  return present({ ...parts, fans: first(parts.fans, stats?.fanCount), hashrateHs });
}
