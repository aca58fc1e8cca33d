// The order of lists. A list keeps the order in which it was sorted while values change, so that no row jumps away
// under a finger; it says how many would stand elsewhere. Pure.
import type { BoardMiner } from '../../../model/board/board-miner.ts';
import { measuredOf, shareOf } from '../../../model/board/measured.ts';
import { causeOf, compareNames, sinceOf } from '../causes.ts';
import { ipNumber } from '../label.ts';

export const SORTS = ['location', 'ip', 'hashrate', 'share', 'temperature', 'since'] as const;
export type Sort = (typeof SORTS)[number];
export const isSort = (text: string | undefined): text is Sort => SORTS.some((sort) => sort === text);

/** A number of each miner, by its place in the list. */
type Column = Float64Array;

export const sorted = (miners: readonly BoardMiner[], sort: Sort, nowMs: number): readonly BoardMiner[] =>
  minersAt(miners, placesIn(miners, sort, nowMs));

/**
 * The places of the list in the order of `sort`; of miners that are equal in it the address decides. What is compared
 * is looked up once for each miner, and a comparison makes nothing: ten thousand need 130,000, and far fewer where
 * they are nearly in order `before`.
 */
function placesIn(miners: readonly BoardMiner[], sort: Sort, nowMs: number, before = inGivenOrder(miners)) {
  const keys = keysOf(miners, sort, nowMs);
  const addresses = columnOf(miners, ({ ip }) => ipNumber(ip));
  return before.toSorted((a, b) => compared(keys, a, b) || compared(addresses, a, b));
}

function inGivenOrder({ length }: readonly BoardMiner[]): Uint32Array {
  const places = new Uint32Array(length);
  for (let place = 0; place < length; place++) places[place] = place;
  return places;
}

function minersAt(miners: readonly BoardMiner[], places: Uint32Array): readonly BoardMiner[] {
  const found: BoardMiner[] = [];
  for (const place of places) {
    const miner = miners[place];
    if (miner !== undefined) found.push(miner);
  }
  return found;
}

/** Not by a difference: that of what is not known in both is no number. */
function compared(column: Column, a: number, b: number): number {
  const one = column[a] ?? 0;
  const other = column[b] ?? 0;
  return one === other ? 0 : one < other ? -1 : 1;
}

function columnOf(miners: readonly BoardMiner[], of: (miner: BoardMiner) => number): Column {
  const column = new Float64Array(miners.length);
  let place = 0;
  for (const miner of miners) column[place++] = of(miner);
  return column;
}

/** What is not known comes last. */
const numbersOf = (miners: readonly BoardMiner[], of: (miner: BoardMiner) => number | null, direction: 1 | -1) =>
  columnOf(miners, (miner) => {
    const value = of(miner);
    return value === null ? Number.POSITIVE_INFINITY : value * direction;
  });

function keysOf(miners: readonly BoardMiner[], sort: Sort, nowMs: number): Column {
  switch (sort) {
    case 'location':
      return locationKeys(miners);
    case 'ip':
      return new Float64Array(miners.length);
    case 'hashrate':
      return numbersOf(miners, (miner) => measuredOf(miner).hashrateHs, 1);
    case 'share':
      return numbersOf(miners, shareOf, 1);
    case 'temperature':
      return numbersOf(miners, (miner) => measuredOf(miner).tempC, -1);
    case 'since':
      return numbersOf(miners, (miner) => sinceAny(miner, nowMs), 1);
  }
}

function sinceAny(miner: BoardMiner, nowMs: number): number | null {
  const cause = causeOf(miner, nowMs);
  return cause === undefined ? null : sinceOf(miner, cause);
}

const isUnplaced = ({ container, rack }: BoardMiner): boolean => container === null && rack === null;

/** In the order of a walk, miners without a location last: container, rack and position as one number. */
function locationKeys(miners: readonly BoardMiner[]): Column {
  const containers = ranksOf(miners, ({ container }) => container);
  const racks = ranksOf(miners, ({ rack }) => rack);
  let positions = 1;
  for (const { position } of miners) if (position !== null && position >= positions) positions = position + 1;
  return columnOf(miners, (miner) => {
    const { container, rack, position } = miner;
    if (isUnplaced(miner)) return containers.size * racks.size * positions + (position ?? 0);
    return ((containers.get(container) ?? 0) * racks.size + (racks.get(rack) ?? 0)) * positions + (position ?? 0);
  });
}

type Name = string | null;

/** Each name as its place among all names; without a name first. */
function ranksOf(miners: readonly BoardMiner[], of: (miner: BoardMiner) => Name): ReadonlyMap<Name, number> {
  const names = new Set<Name>();
  for (const miner of miners) names.add(of(miner));
  return new Map([...names].toSorted(compareNames).map((name, rank) => [name, rank]));
}

/** How often it is looked how many rows would stand elsewhere. */
const LOOK_EVERY_MS = 30_000;

/** A list as it stands on the screen. */
export type Order = {
  /** The filter and the sort that it was made for. */
  readonly what: string;
  readonly ids: readonly string[];
  /** All of it as they were given last, in no order. */
  readonly members: readonly BoardMiner[];
  /** Of `members`, in the order that a new one had when it was last looked. */
  readonly places: Uint32Array;
  /** How many rows would stand elsewhere in a new order, when it was last looked. */
  readonly moved: number;
  readonly lookedMs: number;
};

export const NO_ORDER: Order = { what: '', ids: [], members: [], places: new Uint32Array(), moved: 0, lookedMs: 0 };

type Shown = {
  readonly what: string;
  readonly miners: readonly BoardMiner[];
  readonly sort: Sort;
  readonly nowMs: number;
};

/** The order stays while the miners change; it is made anew for another filter or sort. */
export function nextOrder(before: Order, { what, miners, sort, nowMs }: Shown): Order {
  if (before.what !== what) {
    const places = placesIn(miners, sort, nowMs);
    return { what, ids: idsOf(minersAt(miners, places)), members: miners, places, moved: 0, lookedMs: nowMs };
  }
  const isSame = haveSameIds(miners, before.members);
  const ids = isSame ? before.ids : keepOrder(before.ids, new Set(idsOf(miners)));
  const isDue = !isSame || Math.abs(nowMs - before.lookedMs) >= LOOK_EVERY_MS;
  if (!isDue) return { ...before, ids, members: miners };
  const places = placesIn(miners, sort, nowMs, isSame ? before.places : undefined);
  const moved = movedCount(ids, idsOf(minersAt(miners, places)));
  return { what, ids, members: miners, places, moved, lookedMs: nowMs };
}

const idsOf = (miners: readonly BoardMiner[]): readonly string[] => miners.map(({ id }) => id);

/** Most times the same miners come in the same order, with other values. */
const haveSameIds = (some: readonly BoardMiner[], others: readonly BoardMiner[]): boolean =>
  some.length === others.length && some.every(({ id }, place) => id === others[place]?.id);

/** The ids in the order of the screen: those that stay keep their places, new ones come at the end. */
export function keepOrder(before: readonly string[], ids: ReadonlySet<string>): readonly string[] {
  const kept = before.filter((id) => ids.has(id));
  if (kept.length === ids.size) return kept.length === before.length ? before : kept;
  const known = new Set(kept);
  return [...kept, ...[...ids].filter((id) => !known.has(id))];
}

/** How many do not stand where they would stand in a new order. */
export function movedCount(shown: readonly string[], fresh: readonly string[]): number {
  return shown.reduce((count, id, index) => (fresh[index] === id ? count : count + 1), 0);
}
