// Why a miner needs a person, and the worklist of a farm: one line per cause and place, in the order in which people
// walk. A miner has one cause, the one that explains the others. Pure.
import { type BoardMiner, isInState } from '../../model/board/board-miner.ts';
import { CAUSES, type Cause, keyOfLine } from '../../model/board/work-line.ts';
import { ANOMALY_TYPES, type AnomalyType, fromBitmask } from '../../model/flags/anomaly-types.ts';

/** Undefined = nothing is wrong with it, or nothing is known. */
export function causeOf(miner: BoardMiner, nowMs: number): Cause | undefined {
  if (miner.isUnknown) return undefined;
  if (miner.opsStatus !== null) return undefined;
  // It is not online either, and this says why.
  if (miner.isHung) return 'hung';
  if (!miner.isOnline) return isInState(miner, 'missing', nowMs) ? 'missing' : 'silent';
  return miner.firstFlag?.type ?? (miner.flags === 0 ? undefined : fromBitmask(miner.flags)[0]);
}

/** What is wrong of many miners at once where it is: a container is walked through as a whole. */
const OF_CONTAINERS: readonly Cause[] = ['silent', 'missing', 'network'];

export type Place = { readonly container: string | null; readonly rack: string | null };

export type WorkLine = {
  /** The same while cause and place are the same. */
  readonly key: string;
  readonly cause: Cause;
  /** A line of a whole container names no rack; in any other but that of a pool, null = these miners have none. */
  readonly place: Place;
  readonly isWholeContainer: boolean;
  /** These miners have no location at all. */
  readonly isUnplaced: boolean;
  /** Of a pool that many lost, wherever they stand: it is one trouble, and no walk mends it. */
  readonly pool: string | null;
  readonly count: number;
  /** Of the one that has it for longest; null = not known. */
  readonly sinceMs: number | null;
  /** Of the one that has it for the shortest time; null = not known. */
  readonly newestMs: number | null;
  /** What its first flag says, where all of the line say the same. */
  readonly message: string | null;
};

/** A line that is being counted. */
type Group = { -readonly [K in 'count' | 'sinceMs' | 'newestMs' | 'message']: WorkLine[K] } & {
  readonly line: Omit<WorkLine, 'count' | 'sinceMs' | 'newestMs' | 'message'>;
};

/**
 * By cause, then by container, then by rack; lines of pools by their pool instead of a container. At each update
 * thousands of miners can be ill: no key is made for each of them.
 */
type Groups = Map<Cause, Map<string | null, Map<string | null, Group>>>;

/** All miners that need a person, each in one line. */
export function worklist(miners: Iterable<BoardMiner>, nowMs: number): readonly WorkLine[] {
  const groups: Groups = new Map();
  for (const miner of miners) {
    const cause = causeOf(miner, nowMs);
    if (cause !== undefined) count(groupOf(groups, miner, cause), miner);
  }
  const all = [...groups.values()].flatMap((ofCause) =>
    [...ofCause.values()].flatMap((byRack) => [...byRack.values()]),
  );
  return all.map(({ line, ...sums }) => ({ ...line, ...sums })).toSorted(inWalkingOrder);
}

/** The lines, those of them as they were before that say the same, or all: what is drawn of these stays. */
export function keepLines(before: readonly WorkLine[], lines: readonly WorkLine[]): readonly WorkLine[] {
  const known = new Map(before.map((line) => [line.key, line]));
  const kept = lines.map((line) => {
    const old = known.get(line.key);
    return old !== undefined && saysTheSame(old, line) ? old : line;
  });
  const isSame = kept.length === before.length && kept.every((line, index) => line === before[index]);
  return isSame ? before : kept;
}

/** Of one key: cause and place are in it. */
const saysTheSame = (a: WorkLine, b: WorkLine): boolean =>
  a.count === b.count && a.sinceMs === b.sinceMs && a.newestMs === b.newestMs && a.message === b.message;

function groupOf(groups: Groups, miner: BoardMiner, cause: Cause): Group {
  const isOfPool = cause === 'pool';
  const isWholeContainer = miner.container !== null && OF_CONTAINERS.includes(cause);
  const poolOrContainer = isOfPool ? miner.pool : miner.container;
  const rack = isOfPool || isWholeContainer ? null : miner.rack;
  const ofCause = groups.get(cause) ?? new Map<string | null, Map<string | null, Group>>();
  groups.set(cause, ofCause);
  const byRack = ofCause.get(poolOrContainer) ?? new Map<string | null, Group>();
  ofCause.set(poolOrContainer, byRack);
  const found = byRack.get(rack);
  if (found !== undefined) return found;
  const line = isOfPool
    ? lineOfPool(poolOrContainer)
    : lineOfPlace(cause, { container: poolOrContainer, rack }, isWholeContainer);
  const group = { line, count: 0, sinceMs: null, newestMs: null, message: null };
  byRack.set(rack, group);
  return group;
}

function lineOfPlace(cause: Cause, place: Place, isWholeContainer: boolean): Group['line'] {
  const isUnplaced = place.container === null && place.rack === null;
  return { key: keyOfLine({ cause, ...place, pool: null }), cause, place, isWholeContainer, isUnplaced, pool: null };
}

function lineOfPool(pool: string | null): Group['line'] {
  const place = { container: null, rack: null };
  const key = keyOfLine({ cause: 'pool', ...place, pool });
  return { key, cause: 'pool', place, isWholeContainer: false, isUnplaced: false, pool };
}

function count(group: Group, miner: BoardMiner): void {
  const message = miner.firstFlag?.message ?? null;
  group.message = group.count === 0 || group.message === message ? message : null;
  group.count += 1;
  const since = sinceOf(miner, group.line.cause);
  if (since === null) return;
  if (group.sinceMs === null || since < group.sinceMs) group.sinceMs = since;
  if (group.newestMs === null || since > group.newestMs) group.newestMs = since;
}

/** Since when the miner has what it has; what does not answer was last well when it was last read. */
export function sinceOf({ firstFlag, seenAtMs }: BoardMiner, cause: Cause): number | null {
  return isAnomaly(cause) ? (firstFlag?.sinceMs ?? null) : seenAtMs;
}

/** Container, then rack, as their numbers count; what has no location comes last, of one place the worst first. */
function inWalkingOrder(a: WorkLine, b: WorkLine): number {
  return (
    Number(a.isUnplaced) - Number(b.isUnplaced) ||
    compareNames(a.place.container, b.place.container) ||
    compareNames(a.place.rack, b.place.rack) ||
    CAUSES.indexOf(a.cause) - CAUSES.indexOf(b.cause)
  );
}

const names = new Intl.Collator('en', { numeric: true });

/** C2 before C10; without a name first. */
export function compareNames(a: string | null, b: string | null): number {
  if (a === b) return 0;
  if (a === null || b === null) return a === null ? -1 : 1;
  return names.compare(a, b);
}

const COUNTED: readonly CauseCount['cause'][] = [...CAUSES, 'new'];

export type CauseCount = { readonly cause: Cause | 'new'; readonly count: number };

/** How many miners each cause has, by the lines of the worklist; and new ones, which may be good. None has 0. */
export function causeCounts(
  lines: readonly WorkLine[],
  miners: Iterable<BoardMiner>,
  nowMs: number,
): readonly CauseCount[] {
  const counts = new Map<Cause | 'new', number>();
  for (const { cause, count } of lines) counts.set(cause, (counts.get(cause) ?? 0) + count);
  let news = 0;
  for (const miner of miners) if (isInState(miner, 'new', nowMs)) news += 1;
  if (news > 0) counts.set('new', news);
  return COUNTED.flatMap((cause) => {
    const count = counts.get(cause);
    return count === undefined ? [] : [{ cause, count }];
  });
}

const anomalies: ReadonlySet<string> = new Set(ANOMALY_TYPES);
export const isAnomaly = (cause: string): cause is AnomalyType => anomalies.has(cause);
