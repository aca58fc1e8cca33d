// The boards of Bitmain's `stats` dialect, in both forms (atlas 3.3): numbered keys and `chain[]`. The driver knows the
// machine, and what its sensors mean.
import { z } from 'zod';
import { first, largest, mean, toNumber, toTempC, toText } from '../../src/driver/fields.ts';
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
  /** Its number in the keys of the classic form; absent where its values have a row of their own. */
  readonly chain?: number;
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
type ClassicReader = Reader & {
  /** Of `chain_rateN`, which is not always written in the unit of the whole. */
  readonly chainRate: Rate;
  watts(value: unknown, hs: number | undefined): number | undefined;
  /** Several chains make a board, and their own numbers tell which. */
  readonly isGrouped: boolean;
};

const NOW_RATES = ['GHS 5s', 'rate_5s', 'MHS 5s', 'KHS 5s'] as const;

/** Whether it hashes, by its present rate in any unit or by the rates of its boards; undefined where it writes none. */
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

/**
 * Numbered keys: chains count from 1, on the S9 era from 6, rarely from 0. The number tells the slot, so that a dead
 * board does not shift the next ones. Chains without chips, serial number and rate are placeholders. Undefined where
 * the answer has no keys for boards.
 */
export function classicBoards(
  data: Row,
  { chainRate, watts, isGrouped, ...reader }: ClassicReader,
): Board[] | undefined {
  if (!CHAINS.some((chain) => hasChain(data, chain))) return undefined;
  const chains = CHAINS.filter(
    (chain) =>
      positive(toNumber(data[`chain_acn${chain}`])) !== undefined ||
      positive(toNumber(data[`chain_rate${chain}`])) !== undefined ||
      serialOf(data[`chain_sn${chain}`]) !== undefined,
  );
  const lowest = chains[0] ?? 0;
  const base = isGrouped || (data.chain_acn0 !== undefined && lowest === 0) ? 0 : lowest >= 6 ? 6 : 1;
  const mhz = (value: unknown) => positive(reader.units.toMhz(value));
  const own = chains.map((chain) =>
    first(mhz(data[`freq_avg${chain}`]), mhz(data[`freq${chain}`]), mhz(data[`frequency${chain}`])),
  );
  // Old machines tell one clock for all of their boards.
  const shared = own.every((value) => value === undefined) ? mhz(data.frequency) : undefined;
  const boards = chains.map((chain, place) => {
    // Where a rate has its unit beside it, that one is sure.
    const rateHs = first(reader.rate(data[`CHAIN AVG HASHRATE${chain}`]), chainRate(data[`chain_rate${chain}`]));
    const board = toBoard(chain - base, reader, {
      chips: data[`chain_acn${chain}`],
      map: data[`chain_acs${chain}`],
      serial: first(data[`chain_sn${chain}`], data[`chain_SN${chain}`]),
      rateHs,
      idealHs: reader.rate(data[`chain_rateideal${chain}`]),
      frequencyMhz: own[place] ?? shared,
      hw: data[`chain_hw${chain}`],
      pcb: first(data[`temp_pcb${chain}`], bothSides(data, chain), data[`temp${chain}`]),
      chip: first(data[`temp_chip${chain}`], data[`temp2_${chain}`], data[`chipTemp${chain}`]),
      pic: data[`temp_pic${chain}`],
      powerW: watts(data[`chain_power${chain}`], rateHs),
    });
    return { ...board, chain };
  });
  return counted(boards);
}

/** `38-37-43` where the air comes in and `52-54-55` where it goes out. */
function bothSides(data: Row, chain: number): string | undefined {
  const sides = [data[`temp_in_pcb_${chain}`], data[`temp_out_pcb_${chain}`]].filter(
    (side) => typeof side === 'string',
  );
  return sides.length === 0 ? undefined : sides.join('-');
}

/** Zeros on all boards of a machine that stands still are of chips that are not counted yet. */
function counted(boards: Board[]): Board[] {
  if (boards.some(({ reading }) => reading.chips !== 0 || (reading.hashrateHs ?? 0) > 0)) return boards;
  return boards.map(({ reading: { chips: _, ...reading }, ...board }) => ({ ...board, reading }));
}

/** Undefined for an empty list: it does not say that there are none. */
export function newBoards(chain: readonly unknown[], reader: Reader): Board[] | undefined {
  if (chain.length === 0) return undefined;
  const taken = new Set<number>();
  const boards = chain.slice(0, 32).flatMap((entry, place) => {
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
  return counted(boards);
}

/** Places without a number hold a word (`unknow`) or zeros. */
function serialOf(value: unknown): string | undefined {
  const written = toText(value);
  return written === undefined || /^(unknown?|n\/?a|null|none|[0-]+)$/i.test(written) ? undefined : written;
}

/** What a firmware writes of one board, unread but for its rates and its clock. */
type Parts = Readonly<
  Record<'chips' | 'map' | 'serial' | 'hw' | 'pcb' | 'chip' | 'pic', unknown> &
    Record<'rateHs' | 'idealHs' | 'frequencyMhz', number | undefined> & { powerW?: number | undefined }
>;

export function toBoard(slot: number, { units, isHashing }: Omit<Reader, 'rate'>, parts: Parts): Board {
  const [pcbC, chipC, picC] = [sensors(parts.pcb), sensors(parts.chip, units.toChipC), sensors(parts.pic)];
  const boardTempsC = pcbC.filter((tempC) => tempC !== undefined);
  const chips = count(parts.chips);
  return {
    slot,
    pcbC,
    chipC,
    picC,
    reading: present({
      serialNumber: serialOf(parts.serial),
      hashrateHs: parts.rateHs,
      expectedHashrateHs: positive(parts.idealHs),
      chips,
      badChips: badChips(parts.map, isHashing, chips),
      frequencyMhz: parts.frequencyMhz,
      powerW: parts.powerW,
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
 * `o` is a good chip, `x` a bad one; any other letter says nothing. A machine that does not hash, asleep or stopped by
 * heat, prints `x` for good chips. The newest builds fill the last group with `-`: after the last counted chip these
 * are no chips.
 */
function badChips(map: unknown, isHashing: boolean | undefined, chips: number | undefined): number | undefined {
  if (isHashing !== true || typeof map !== 'string') return undefined;
  const marks = map.replaceAll(' ', '');
  const shown = marks.replace(/-+$/, '');
  if (shown === '' || !/^[ox]*$/.test(shown) || (shown !== marks && shown.length !== chips)) return undefined;
  return shown.split('x').length - 1;
}
