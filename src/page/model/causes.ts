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

type Group = {
  readonly line: Omit<WorkLine, 'count' | 'sinceMs' | 'newestMs' | 'message'>;
  readonly miners: BoardMiner[];
};

/** All miners that need a person, each in one line. */
export function worklist(miners: Iterable<BoardMiner>, nowMs: number): readonly WorkLine[] {
  const groups = new Map<string, Group>();
  for (const miner of miners) {
    const cause = causeOf(miner, nowMs);
    if (cause === undefined) continue;
    const line = lineOf(miner, cause);
    const group = groups.get(line.key);
    if (group === undefined) groups.set(line.key, { line, miners: [miner] });
    else group.miners.push(miner);
  }
  return [...groups.values()].map(summed).toSorted(inWalkingOrder);
}

/** The lines, those of them as they were before that say the same: what is drawn of these stays. */
export function keepLines(before: readonly WorkLine[], lines: readonly WorkLine[]): readonly WorkLine[] {
  const known = new Map(before.map((line) => [line.key, line]));
  return lines.map((line) => {
    const old = known.get(line.key);
    return old !== undefined && saysTheSame(old, line) ? old : line;
  });
}

/** Of one key: cause and place are in it. */
const saysTheSame = (a: WorkLine, b: WorkLine): boolean =>
  a.count === b.count && a.sinceMs === b.sinceMs && a.newestMs === b.newestMs && a.message === b.message;

function lineOf(miner: BoardMiner, cause: Cause): Group['line'] {
  if (cause === 'pool') return lineOfPool(miner.pool);
  const isWholeContainer = OF_CONTAINERS.includes(cause) && miner.container !== null;
  const place = { container: miner.container, rack: isWholeContainer ? null : miner.rack };
  const isUnplaced = miner.container === null && miner.rack === null;
  const key = keyOfLine({ cause, ...place, pool: null });
  return { key, cause, place, isWholeContainer, isUnplaced, pool: null };
}

function lineOfPool(pool: string | null): Group['line'] {
  const place = { container: null, rack: null };
  return {
    key: keyOfLine({ cause: 'pool', ...place, pool }),
    cause: 'pool',
    place,
    isWholeContainer: false,
    isUnplaced: false,
    pool,
  };
}

function summed({ line, miners }: Group): WorkLine {
  let [sinceMs, newestMs]: [number | null, number | null] = [null, null];
  let message = miners[0]?.firstFlag?.message ?? null;
  for (const miner of miners) {
    const since = sinceOf(miner, line.cause);
    if (since !== null && (sinceMs === null || since < sinceMs)) sinceMs = since;
    if (since !== null && (newestMs === null || since > newestMs)) newestMs = since;
    if (miner.firstFlag?.message !== message) message = null;
  }
  return { ...line, count: miners.length, sinceMs, newestMs, message };
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

/** How many miners each cause has, only those that there are; and new ones, which may be good. */
export function causeCounts(miners: Iterable<BoardMiner>, nowMs: number): readonly CauseCount[] {
  const counts = new Map<Cause | 'new', number>();
  const add = (cause: Cause | 'new') => counts.set(cause, (counts.get(cause) ?? 0) + 1);
  for (const miner of miners) {
    const cause = causeOf(miner, nowMs);
    if (cause !== undefined) add(cause);
    if (isInState(miner, 'new', nowMs)) add('new');
  }
  return COUNTED.flatMap((cause) => {
    const count = counts.get(cause);
    return count === undefined ? [] : [{ cause, count }];
  });
}

export const isAnomaly = (cause: string): cause is AnomalyType => ANOMALY_TYPES.some((type) => type === cause);
