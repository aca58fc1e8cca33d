// The boards of Bitmain's `stats` dialect, in both of its forms (atlas 3.3): numbered keys and `chain[]`. Which machine it is, and what its sensors mean
// on that machine, is the driver's business.
import { z } from 'zod';
import { first, largest, mean, sumOfAll, toNumber, toTempC, toText } from '../../src/driver/fields.ts';
import type { BoardReading } from '../../src/model/reading.ts';
import { positive, present } from './cgminer.ts';

export type Row = Readonly<Record<string, unknown>>;
/** Read key by key, so not copied: it has some two hundred, and half of them say nothing. */
const isRow = (value: unknown) => typeof value === 'object' && value !== null && !Array.isArray(value);
export const row = z.custom<Row>(isRow);

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

export type Board = {
  readonly slot: number;
  readonly reading: Omit<BoardReading, 'slot'>;
  readonly pcbC: readonly (number | undefined)[];
  readonly chipC: readonly (number | undefined)[];
  readonly picC: readonly (number | undefined)[];
};

export const CHAINS = Array.from({ length: 17 }, (_, chain) => chain);
export const hasChain = (data: Row, chain: number) =>
  data[`chain_acn${chain}`] !== undefined || data[`chain_rate${chain}`] !== undefined;

type Rate = (value: unknown) => number | undefined;
const count = (value: unknown, max = 100_000) => {
  const whole = toNumber(value, { min: 0, max });
  return whole === undefined ? undefined : Math.round(whole);
};

/** What the boards of an answer are read with. */
type Reader = { readonly rate: Rate; readonly units: Units; readonly isHashing: boolean | undefined };

const NOW_RATES = ['GHS 5s', 'rate_5s', 'MHS 5s', 'KHS 5s'] as const;

/** Whether it hashes by its rate of now, in whatever unit, or by those of its boards; undefined where it writes none. */
export function hashes(data: Row): boolean | undefined {
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
export const CHAIN_GROUPS: Readonly<Record<string, readonly (readonly number[])[]>> = {
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
export function classicBoards(data: Row, reader: Reader, groups: readonly (readonly number[])[] | undefined) {
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
export function newBoards(chain: readonly unknown[], reader: Reader): Board[] | undefined {
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
