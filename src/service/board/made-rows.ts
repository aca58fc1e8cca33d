// The rows of a farm, each with what it was made of: a look that finds the same makes no row anew. It asks the database
// nothing.
import { boardRow, type ReportedRow } from '../../model/board/board-row.ts';
import { OPS_STATUSES } from '../../model/miner.ts';
import type { SelectableMiner } from '../../model/selector/selector.ts';
import type { BoardMark } from '../store/store.ts';
import type { Found } from './look.ts';

/** A row, and what it was made of. */
type Made = {
  readonly mark: BoardMark;
  readonly reported: ReportedRow;
  readonly isReported: boolean;
  readonly isUnknown: boolean;
  readonly miner: SelectableMiner;
};

export type RowChanges = { readonly fresher: readonly SelectableMiner[]; readonly gone: readonly string[] };

export class MadeRows {
  readonly #made = new Map<number, Made>();
  #steady: Steady | undefined;

  get rows(): ReadonlyMap<number, { readonly mark: BoardMark; readonly miner: SelectableMiner }> {
    return this.#made;
  }

  /** `heard` = the agents that are. */
  take({ marks, reported, isWhole }: Omit<Found, 'agents'>, heard: ReadonlySet<string>, nowMs: number): RowChanges {
    const gone = isWhole ? this.#removeOthers(marks) : [];
    const fresher: SelectableMiner[] = [];
    const put = (mark: BoardMark, before: Made | undefined) => {
      const states = statesOf(mark, heard, nowMs);
      const report = reported.get(mark.rowId) ?? before?.reported;
      // Its document was removed while we read.
      if (report === undefined) return;
      const isSame = before !== undefined && hasStates(before, states) && hasMarks(before.mark, mark);
      const miner = isSame ? before.miner : rowOf({ mark, reported: report, ...states }, nowMs);
      this.#made.set(mark.rowId, { mark, reported: report, ...states, miner });
      if (!isSame) fresher.push(miner);
    };
    const still = this.#steady !== undefined && isStill(this.#steady, heard, nowMs) ? this.#steady : undefined;
    // Time alone may change the others, and for most of ten thousand it does not.
    if (still === undefined) {
      const fresh = new Set(marks.map(({ rowId }) => rowId));
      for (const row of this.#made.values())
        if (!fresh.has(row.mark.rowId) && !hasStates(row, statesOf(row.mark, heard, nowMs))) put(row.mark, row);
    }
    for (const mark of marks) put(mark, this.#made.get(mark.rowId));
    // A report that is replaced was to become too old before the new one: the first that was known stays the earliest.
    const untilMs =
      still === undefined ? this.#firstStaleMs(nowMs) : Math.min(still.untilMs, firstStaleMs(marks, nowMs));
    this.#steady = { sinceMs: nowMs, untilMs, heard };
    return { fresher, gone };
  }

  #removeOthers(marks: readonly BoardMark[]): readonly string[] {
    const kept = new Set(marks.map(({ rowId }) => rowId));
    const gone: string[] = [];
    for (const [rowId, { miner }] of this.#made) if (!kept.has(rowId) && this.#made.delete(rowId)) gone.push(miner.id);
    return gone;
  }

  #firstStaleMs(nowMs: number): number {
    const marks = [...this.#made.values()].map(({ mark }) => mark);
    return firstStaleMs(marks, nowMs);
  }
}

/** Time alone changes no row before `untilMs`, as long as the same agents are heard. */
type Steady = { readonly sinceMs: number; readonly untilMs: number; readonly heard: ReadonlySet<string> };

/** Not where the clock was set back. */
const isStill = ({ sinceMs, untilMs, heard }: Steady, heardNow: ReadonlySet<string>, nowMs: number): boolean =>
  nowMs >= sinceMs && nowMs < untilMs && heard.size === heardNow.size && [...heard].every((id) => heardNow.has(id));

/** When the first of these reports is too old. */
function firstStaleMs(marks: readonly BoardMark[], nowMs: number): number {
  let firstMs = Number.POSITIVE_INFINITY;
  for (const { stale_at } of marks) if (stale_at !== null && stale_at > nowMs) firstMs = Math.min(firstMs, stale_at);
  return firstMs;
}

type States = Pick<Made, 'isReported' | 'isUnknown'>;

const statesOf = ({ agentId, stale_at }: BoardMark, heard: ReadonlySet<string>, nowMs: number): States => ({
  isReported: stale_at !== null && stale_at > nowMs,
  isUnknown: agentId !== null && !heard.has(agentId),
});

const hasStates = (before: Made, { isReported, isUnknown }: States): boolean =>
  before.isReported === isReported && before.isUnknown === isUnknown;

const MARKS = ['report', 'rack', 'position', 'container', 'opsStatus', 'seen_at', 'created_at'] as const;

const hasMarks = (before: BoardMark, mark: BoardMark): boolean => MARKS.every((name) => before[name] === mark[name]);

function rowOf({ mark, reported, isReported, isUnknown }: Omit<Made, 'miner'>, nowMs: number) {
  const { id, key, agentId, container, rack, position, opsStatus, seen_at, created_at } = mark;
  return boardRow(reported, {
    ...{ id, key, agentId, container, rack, position, isReported, isUnknown },
    opsStatus: OPS_STATUSES.find((one) => one === opsStatus) ?? null,
    // Not later than now, also where our clock was set back since.
    seenAtMs: seen_at === null ? null : Math.min(seen_at, nowMs),
    createdAtMs: Math.min(created_at, nowMs),
  });
}
