// Finds miners by what a person reads off a label or a screen: the last digits of an address, a MAC in any spelling, a
// part of a serial number, a worker, a host name, a rack. Pure but for the names that it keeps for the next letter.
import type { BoardMiner } from '../../../model/board/board-miner.ts';
import { ipNumber, labelOf } from '../label.ts';

/** What a miner is found by, in small letters. `bare` = without what people write between the parts. */
type Names = {
  readonly label: string;
  readonly macBare: string;
  readonly serial: string;
  readonly serialBare: string;
  readonly worker: string;
  /** All that a part of is enough, one per line. */
  readonly parts: string;
  /** Each of the above and the address: what is no part of it is not this miner, which most are. */
  readonly whole: string;
};

/**
 * The names of the miners of a farm, by their place in its list, with the miners that they are of: a letter costs no
 * more than to look through them.
 */
export type KnownNames = { readonly miners: BoardMiner[]; readonly names: Names[] };
export const noNames = (): KnownNames => ({ miners: [], names: [] });

/** Best first; of one rank in the order of addresses. */
export function findMiners(
  written: string,
  miners: readonly BoardMiner[],
  known: KnownNames = noNames(),
): readonly BoardMiner[] {
  const found: BoardMiner[] = [];
  const keys: number[] = [];
  eachFound(written, miners, known, (miner, rank) => {
    found.push(miner);
    keys.push(rank * ADDRESSES + ipNumber(miner.ip));
  });
  const places = Uint32Array.from(found, (_, place) => place);
  places.sort((a, b) => (keys[a] ?? 0) - (keys[b] ?? 0));
  return Array.from(places, (place) => found[place]).filter((miner) => miner !== undefined);
}
const ADDRESSES = 2 ** 32;

/** The same miners, in the order in which they are given. */
export function foundMiners(
  written: string,
  miners: readonly BoardMiner[],
  known: KnownNames = noNames(),
): readonly BoardMiner[] {
  const found: BoardMiner[] = [];
  eachFound(written, miners, known, (miner) => found.push(miner));
  return found;
}

/** Before the first letter is written: the names of so many, from this place on. Gives the place after them. */
export function prepareNames(known: KnownNames, miners: readonly BoardMiner[], from: number, count: number): number {
  const end = Math.min(miners.length, from + count);
  for (let place = from; place < end; place++) {
    const miner = miners[place];
    if (miner !== undefined) namesAt(known, place, miner);
  }
  return end;
}

function eachFound(
  written: string,
  miners: readonly BoardMiner[],
  known: KnownNames,
  found: (miner: BoardMiner, rank: number) => void,
): void {
  const wanted = prepare(written);
  if (wanted === undefined) return;
  for (let place = 0; place < miners.length; place++) {
    const miner = miners[place];
    if (miner === undefined) continue;
    const rank = rankOf(miner, namesAt(known, place, miner), wanted);
    if (rank !== undefined) found(miner, rank);
  }
}

function namesAt({ miners, names }: KnownNames, place: number, miner: BoardMiner): Names {
  const before = miners[place];
  const had = names[place];
  if (had !== undefined && before !== undefined && (before === miner || haveSameNames(before, miner))) return had;
  const made = namesOf(miner);
  miners[place] = miner;
  names[place] = made;
  return made;
}

const haveSameNames = (one: BoardMiner, other: BoardMiner): boolean =>
  one.ip === other.ip &&
  one.mac === other.mac &&
  one.serial === other.serial &&
  one.worker === other.worker &&
  one.rack === other.rack &&
  one.position === other.position &&
  one.hostname === other.hostname;

type Wanted = {
  readonly text: string;
  /** Without what people write between the parts of a MAC or a serial number. */
  readonly bare: string;
  /** As an address that has these last numbers ends; undefined where it is none. */
  readonly lastNumbers: string | undefined;
};

function prepare(written: string): Wanted | undefined {
  const text = written.trim().toLowerCase();
  if (text === '') return undefined;
  // `3.44` and `44` mean 10.31.3.44, and not 10.31.3.144.
  const lastNumbers = /^[\d.]+$/.test(text) ? (text.startsWith('.') ? text : `.${text}`) : undefined;
  return { text, bare: bareOf(text), lastNumbers };
}

const bareOf = (text: string) => text.replaceAll(/[\s:.-]/g, '');
const small = (name: string | null) => (name === null ? '' : name.toLowerCase());

function namesOf(miner: BoardMiner): Names {
  const [label, serial, worker] = [small(labelOf(miner)), small(miner.serial), small(miner.worker)];
  const [macBare, serialBare] = [bareOf(small(miner.mac)), bareOf(serial)];
  // Texts that are joined lie in one piece; the pieces of a template are put together at the first letter.
  const parts = [small(miner.hostname), worker, small(miner.rack), serial, label].join('\n');
  const whole = [parts, macBare, serialBare, miner.ip].join('\n');
  return { label, macBare, serial, serialBare, worker, parts, whole };
}

/** 0 = exactly this one; undefined = not this one. Of what is without a letter or digit nothing is left to compare. */
function rankOf({ ip }: BoardMiner, names: Names, { text, bare, lastNumbers }: Wanted): number | undefined {
  const { label, macBare, serial, serialBare, worker, parts, whole } = names;
  if (!whole.includes(text) && (bare === '' || bare === text || !whole.includes(bare))) return undefined;
  if (ip === text || label === text || serial === text || worker === text) return 0;
  if (bare !== '' && (macBare === bare || serialBare === bare)) return 0;
  if (lastNumbers !== undefined && ip.endsWith(lastNumbers)) return 1;
  if (label.startsWith(text)) return 2;
  if (bare.length >= 2 && (macBare.endsWith(bare) || serialBare.endsWith(bare))) return 2;
  if (parts.includes(text)) return 3;
  if (lastNumbers !== undefined && ip.includes(text)) return 4;
  return bare.length >= 4 && macBare.includes(bare) ? 4 : undefined;
}
