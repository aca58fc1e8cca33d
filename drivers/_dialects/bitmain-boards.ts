// The boards of Bitmain's `stats` dialect, in both forms (atlas 3.3): numbered keys and `chain[]`. The driver knows the
// machine, and what its sensors mean.
import * as kit from '../../src/driver/kit/index.ts';
import type { RateOf } from './bitmain-units.ts';

/** How a make that copied the dialect writes figures whose unit it changed: C and MHz, or undefined. */
export type Units = {
  toChipC(value: unknown): number | undefined;
  toMhz(value: unknown): number | undefined;
  /** Whether `hw` counts hardware errors. */
  readonly hasHwErrors: boolean;
};
/** `637`, `"384"`, `"1600M"`. */
const toMhz = (value: unknown) =>
  kit.toNumber(typeof value === 'string' ? value.slice(0, 32).replace(/\s*m(hz)?\s*$/i, '') : value, {
    min: 0,
    max: 10_000,
  });
export const BITMAIN: Units = { toChipC: (value) => kit.toTempC(value), toMhz, hasHwErrors: true };

export type Board = {
  readonly slot: number;
  /** Its number in the keys of the classic form; absent where its values have a row of their own. */
  readonly chain?: number;
  /** Sensors keep their places: one that is not there is undefined. */
  readonly reading: kit.BoardDraft & Required<Pick<kit.BoardDraft, 'boardTempsC' | 'chipTempsC'>>;
  readonly picC: readonly (number | undefined)[];
};

export const CHAINS = Array.from({ length: 17 }, (_, chain) => chain);
export const hasChain = (data: kit.Answer, chain: number) =>
  data.value(`chain_acn${chain}`) !== undefined || data.value(`chain_rate${chain}`) !== undefined;

/** What the boards of an answer are read with. */
type Reader = { readonly rate: RateOf; readonly units: Units; readonly isHashing: boolean | undefined };
type ClassicReader = Reader & {
  /** Of `chain_rateN`, which is not always written in the unit of the whole. */
  readonly chainRate: RateOf;
  watts(value: unknown, hs: number | undefined): number | undefined;
  /** Several chains make a board, and their own numbers tell which. */
  readonly isGrouped: boolean;
};

const NOW_RATES = ['GHS 5s', 'rate_5s', 'MHS 5s', 'KHS 5s'] as const;

/** Whether it hashes, by its present rate in any unit or by the rates of its boards; undefined where it writes none. */
export function hashes(data: kit.Answer): boolean | undefined {
  const now = NOW_RATES.map((key) => bareRate(data.value(key))).filter((rate) => rate !== undefined);
  const most = kit.largest(now.length > 0 ? now : boardRates(data).map(bareRate));
  return most === undefined ? undefined : most > 0;
}

const boardRates = (data: kit.Answer): unknown[] =>
  data.list('chain') === undefined
    ? CHAINS.map((chain) => data.value(`chain_rate${chain}`))
    : (data.rows('chain', 32) ?? []).map((row) => row.value('rate_real'));

const bareRate = (value: unknown) =>
  kit.toNumber(typeof value === 'string' ? value.slice(0, 64).replace(/\s*[kmgtp]?(h|sol).*$/i, '') : value);

/**
 * Numbered keys: chains count from 1, on the S9 era from 6, rarely from 0. The number tells the slot, so that a dead
 * board does not shift the next ones. Chains without chips, serial number and rate are placeholders. Undefined where
 * the answer has no keys for boards.
 */
export function classicBoards(
  data: kit.Answer,
  { chainRate, watts, isGrouped, ...reader }: ClassicReader,
): Board[] | undefined {
  if (!CHAINS.some((chain) => hasChain(data, chain))) return undefined;
  const chains = CHAINS.filter(
    (chain) =>
      data.positive(`chain_acn${chain}`) !== undefined ||
      data.positive(`chain_rate${chain}`) !== undefined ||
      data.partSerial(`chain_sn${chain}`) !== undefined,
  );
  const lowest = chains[0] ?? 0;
  const base = isGrouped || (data.has('chain_acn0') && lowest === 0) ? 0 : lowest >= 6 ? 6 : 1;
  const mhz = (key: string) => kit.positive(reader.units.toMhz(data.value(key)));
  const own = chains.map((chain) => kit.first(mhz(`freq_avg${chain}`), mhz(`freq${chain}`), mhz(`frequency${chain}`)));
  // Old machines tell one clock for all of their boards.
  const shared = own.every((value) => value === undefined) ? mhz('frequency') : undefined;
  const oneOf = (...keys: readonly string[]) => keys.find((key) => data.has(key)) ?? '';
  const boards = chains.map((chain, place) => {
    // Where a rate has its unit beside it, that one is sure.
    const hashrateHs = kit.first(
      reader.rate(data, `CHAIN AVG HASHRATE${chain}`),
      chainRate(data, `chain_rate${chain}`),
    );
    // The air comes in at the sensors of one key and goes out at those of another.
    const sides = [`temp_in_pcb_${chain}`, `temp_out_pcb_${chain}`].filter((key) => data.has(key));
    const pcb = oneOf(`temp_pcb${chain}`) || (sides.length > 0 ? sides : `temp${chain}`);
    const board = toBoard(chain - base, data, reader, {
      chips: `chain_acn${chain}`,
      map: `chain_acs${chain}`,
      serial: oneOf(`chain_sn${chain}`, `chain_SN${chain}`),
      hw: `chain_hw${chain}`,
      pcb: [pcb].flat(),
      chip: oneOf(`temp_chip${chain}`, `temp2_${chain}`, `chipTemp${chain}`),
      pic: `temp_pic${chain}`,
      hashrateHs,
      expectedHashrateHs: reader.rate(data, `chain_rateideal${chain}`),
      frequencyMhz: own[place] ?? shared,
      powerW: watts(data.value(`chain_power${chain}`), hashrateHs),
    });
    return { ...board, chain };
  });
  return counted(boards);
}

/** Zeros on all boards of a machine that stands still are of chips that are not counted yet. */
function counted(boards: Board[]): Board[] {
  if (boards.some(({ reading }) => reading.chips !== 0 || (reading.hashrateHs ?? 0) > 0)) return boards;
  return boards.map((board) => ({ ...board, reading: { ...board.reading, chips: undefined } }));
}

/** Undefined for an empty list: it does not say that there are none. */
export function newBoards(data: kit.Answer, reader: Reader): Board[] | undefined {
  const rows = data.list('chain', 32)?.map((entry) => new kit.Answer(entry)) ?? [];
  if (rows.length === 0) return undefined;
  const boards = rows.flatMap((row, place) => {
    const exists = kit.first<unknown>(row.positive('asic_num'), row.positive('rate_real'), row.partSerial('sn'));
    if (exists === undefined) return [];
    const index = row.number('index', { min: 0, max: 31 });
    return toBoard(index !== undefined && Number.isInteger(index) ? index : place, row, reader, {
      ...{ chips: 'asic_num', map: 'asic', serial: 'sn', hw: 'hw' },
      ...{ pcb: ['temp_pcb'], chip: 'temp_chip', pic: 'temp_pic' },
      hashrateHs: reader.rate(row, 'rate_real'),
      expectedHashrateHs: reader.rate(row, 'rate_ideal'),
      frequencyMhz: kit.positive(reader.units.toMhz(row.value('freq_avg'))),
    });
  });
  return counted(boards.filter(({ slot }, place) => boards.findIndex((other) => other.slot === slot) === place));
}

/** Keys of one board; its rates and its clock are read already. */
type Parts = Readonly<Record<'chips' | 'map' | 'hw' | 'chip', string>> & {
  readonly serial?: string;
  /** Keys whose sensors follow one another. */
  readonly pcb: readonly string[];
  readonly pic?: string;
} & Pick<kit.BoardDraft, 'hashrateHs' | 'expectedHashrateHs' | 'frequencyMhz' | 'powerW'>;

function toBoard(
  slot: number,
  row: kit.Answer,
  { units, isHashing }: Omit<Reader, 'rate'>,
  { chips: count, map, serial = '', hw, pcb, chip, pic = '', expectedHashrateHs, ...figures }: Parts,
): Board {
  const chips = row.count(count, 100_000);
  return {
    slot,
    picC: sensors(row.value(pic)),
    reading: {
      slot,
      serialNumber: row.partSerial(serial),
      ...figures,
      expectedHashrateHs: kit.positive(expectedHashrateHs),
      chips,
      badChips: badChips(row.value(map), isHashing, chips),
      boardTempsC: pcb.flatMap((key) => sensors(row.value(key))),
      chipTempsC: sensors(row.value(chip), units.toChipC),
      hwErrors: units.hasHwErrors ? row.count(hw) : undefined,
    },
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
