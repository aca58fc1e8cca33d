// What a farm and its parts make, draw and lack, from the board: per algorithm, because hashrates of different ones are
// never added up, and with how many miners could not be counted. Pure.
import type { BoardMiner } from '../../model/board/board-miner.ts';
import { causeOf, compareNames } from './causes.ts';

export const GROUPINGS = ['container', 'rack', 'model'] as const;
export type Grouping = (typeof GROUPINGS)[number];
export const isGrouping = (text: string | undefined): text is Grouping => GROUPINGS.some((each) => each === text);

export type AlgorithmFigures = {
  /** Null = it is not known what these compute. */
  readonly algorithm: string | null;
  /** All, wherever they are: those of the list behind it. */
  readonly miners: number;
  /** A miner that does not answer makes 0; null = of none it is known. */
  readonly hashrateHs: number | null;
  /** Of the miners that should hash now, and of which both are known; null = of none. */
  readonly expectedHs: number | null;
  readonly share: number | null;
  readonly powerW: number | null;
  /** Of those that report both power and hashrate; null = none does. */
  readonly wattsPerHs: number | null;
  /** Miners that answer, and do not report it. */
  readonly withoutRate: number;
  readonly withoutPower: number;
  /** Miners that should hash, and nothing says how much. */
  readonly withoutExpected: number;
};

export type Figures = {
  /** All: those of the list behind it. */
  readonly miners: number;
  /** On site, so that they should answer. */
  readonly onSite: number;
  readonly online: number;
  /** Their agent is not heard: nothing of them is counted. */
  readonly unknown: number;
  /** They need a person. */
  readonly ill: number;
  readonly powerW: number | null;
  readonly withoutPower: number;
  /** By name, what is not known last. */
  readonly algorithms: readonly AlgorithmFigures[];
};

/** Null = the miners that have none. */
export type Group = Figures & { readonly name: string | null };

export function figuresOf(miners: Iterable<BoardMiner>, nowMs: number): Figures {
  const tally = newTally();
  for (const miner of miners) count(tally, miner, nowMs);
  return figures(tally);
}

/** By name, those without one last. */
export function groupsOf(miners: Iterable<BoardMiner>, by: Grouping, nowMs: number): readonly Group[] {
  const tallies = new Map<string | null, Tally>();
  // Neighbours come one after the other.
  let last: { readonly name: string | null; readonly tally: Tally } | undefined;
  for (const miner of miners) {
    // An empty name is none, in the filter of a list too.
    const name = miner[by] || null;
    if (last?.name !== name) last = { name, tally: ofKey(tallies, name, newTally) };
    count(last.tally, miner, nowMs);
  }
  return [...tallies].map(([name, tally]) => ({ name, ...figures(tally) })).toSorted(byName);
}

const byName = ({ name: a }: Group, { name: b }: Group): number =>
  a === null || b === null ? Number(a === null) - Number(b === null) : compareNames(a, b);

/** What makes least of what it should comes first, then what has most ill ones. */
export const worstFirst = (groups: readonly Group[]): readonly Group[] =>
  groups
    .map((group) => ({ group, share: worstShare(group), ill: illShare(group) }))
    .toSorted((a, b) => a.share - b.share || b.ill - a.ill || byName(a.group, b.group))
    .map(({ group }) => group);

const worstShare = ({ algorithms }: Figures): number =>
  Math.min(...algorithms.map(({ share }) => share ?? Number.POSITIVE_INFINITY), NOT_KNOWN);
const NOT_KNOWN = 1_000;
const illShare = ({ ill, miners }: Figures): number => ill / miners;

type AlgorithmTally = {
  miners: number;
  /** Two makes or models of which it is not known what they compute may compute different things. */
  model: string | undefined;
  isMixed: boolean;
  rateHs: number;
  rates: number;
  countedHs: number;
  expectedHs: number;
  expectations: number;
  powerW: number;
  powers: number;
  bothW: number;
  bothHs: number;
  withoutRate: number;
  withoutPower: number;
  withoutExpected: number;
};

type Tally = {
  miners: number;
  onSite: number;
  online: number;
  unknown: number;
  ill: number;
  readonly algorithms: Map<string | null, AlgorithmTally>;
};

const newTally = (): Tally => ({ miners: 0, onSite: 0, online: 0, unknown: 0, ill: 0, algorithms: new Map() });

const newAlgorithmTally = (): AlgorithmTally => ({
  ...{ miners: 0, model: undefined, isMixed: false, rateHs: 0, rates: 0, countedHs: 0, expectedHs: 0 },
  ...{ expectations: 0, powerW: 0, powers: 0, bothW: 0, bothHs: 0, withoutRate: 0, withoutPower: 0 },
  withoutExpected: 0,
});

function ofKey<T>(map: Map<string | null, T>, key: string | null, make: () => T): T {
  const found = map.get(key);
  if (found !== undefined) return found;
  const made = make();
  map.set(key, made);
  return made;
}

function count(tally: Tally, miner: BoardMiner, nowMs: number): void {
  const { opsStatus, isUnknown, isOnline } = miner;
  const sum = ofKey(tally.algorithms, miner.algorithm || null, newAlgorithmTally);
  tally.miners += 1;
  sum.miners += 1;
  if (causeOf(miner, nowMs) !== undefined) tally.ill += 1;
  if (opsStatus !== null && opsStatus !== 'maintenance') return;
  tally.onSite += 1;
  if (isUnknown) {
    tally.unknown += 1;
    return;
  }
  if (isOnline) tally.online += 1;
  countRate(sum, miner);
  if (isOnline) countPower(sum, miner);
}

function countRate(sum: AlgorithmTally, miner: BoardMiner): void {
  const { isOnline, expectedHs, mode, opsStatus } = miner;
  const rateHs = isOnline ? miner.hashrateHs : 0;
  if (rateHs === null) {
    sum.withoutRate += 1;
    return;
  }
  sum.rateHs += rateHs;
  sum.rates += 1;
  if (!miner.algorithm) countModel(sum, `${miner.make} ${miner.model}`);
  if (mode === 'sleep' || opsStatus !== null) return;
  if (expectedHs === null) {
    sum.withoutExpected += 1;
    return;
  }
  sum.countedHs += rateHs;
  sum.expectedHs += expectedHs;
  sum.expectations += 1;
}

function countModel(sum: AlgorithmTally, model: string): void {
  if (sum.model !== undefined && sum.model !== model) sum.isMixed = true;
  sum.model = model;
}

function countPower(sum: AlgorithmTally, { powerW, hashrateHs }: BoardMiner): void {
  if (powerW === null) {
    sum.withoutPower += 1;
    return;
  }
  sum.powerW += powerW;
  sum.powers += 1;
  if (hashrateHs === null || hashrateHs <= 0) return;
  sum.bothW += powerW;
  sum.bothHs += hashrateHs;
}

function figures({ algorithms, ...counts }: Tally): Figures {
  const all = [...algorithms]
    .map(([algorithm, sum]) => algorithmFigures(algorithm, sum))
    .toSorted(({ algorithm: a }, { algorithm: b }) => ((a ?? '~') < (b ?? '~') ? -1 : 1));
  const powers = all.flatMap(({ powerW }) => powerW ?? []);
  return {
    ...counts,
    powerW: powers.length === 0 ? null : powers.reduce((sum, powerW) => sum + powerW, 0),
    withoutPower: all.reduce((sum, { withoutPower }) => sum + withoutPower, 0),
    algorithms: all,
  };
}

function algorithmFigures(algorithm: string | null, sum: AlgorithmTally): AlgorithmFigures {
  const { miners, isMixed, rates, powers, expectations, bothHs } = sum;
  const { withoutRate, withoutPower, withoutExpected } = sum;
  const hasShare = !isMixed && expectations > 0 && sum.expectedHs > 0;
  return {
    ...{ algorithm, miners, withoutRate, withoutPower, withoutExpected },
    hashrateHs: rates === 0 || isMixed ? null : sum.rateHs,
    expectedHs: hasShare ? sum.expectedHs : null,
    share: hasShare ? sum.countedHs / sum.expectedHs : null,
    powerW: powers === 0 ? null : sum.powerW,
    wattsPerHs: bothHs > 0 && !isMixed ? sum.bothW / bothHs : null,
  };
}
