// The board of one farm in memory: a narrow row of each miner, as the database has it. It is read at most once a
// second, and only for requests. A change shows whichever copy of the service has stored it.
import { randomUUID } from 'node:crypto';
import type { Clock } from '../../base/clock.ts';
import { boardRow, type ReportedRow } from '../../model/board/board-row.ts';
import { BoardRows } from '../../model/board/board-rows.ts';
import { OPS_STATUSES } from '../../model/miner.ts';
import { type SelectableMiner, type Selector, select } from '../../model/selector/selector.ts';
import type { BoardState } from '../../wire/api/board/answer.ts';
import type { BoardAgent, BoardMark, BoardStore, Store } from '../store/store.ts';
import { type Look, look } from './look.ts';

/** How old the answer may be, counted from before it was read. */
const FRESH_MS = 1_000;

export type BoardParts = {
  readonly store: BoardStore;
  /** Other copies of the service store reports too: those are sought in the database. */
  readonly hasCopies: boolean;
  readonly statusAt: Store['agents']['statusAt'];
  readonly clock: Pick<Clock, 'nowMs' | 'elapsedMs'>;
};

/** A row, and what it was made of. */
type Made = {
  readonly mark: BoardMark;
  readonly reported: ReportedRow;
  readonly isReported: boolean;
  readonly isUnknown: boolean;
  readonly miner: SelectableMiner;
};

export type FarmBoard = ReturnType<typeof createBoard>;

export function createBoard(farmId: string, { store, hasCopies, statusAt, clock }: BoardParts) {
  const epoch = randomUUID();
  const rows = new BoardRows();
  const made = new Map<number, Made>();
  let last: Look | undefined;
  let wanted: Wanted = 'all';
  /** Rows that this copy has stored since they were read. */
  let stored = new Set<number>();
  let reading: { readonly sinceMs: number; readonly done: Promise<BoardState> } | undefined;

  const refresh = async (): Promise<BoardState> => {
    const changed = hasCopies ? 'sought' : stored;
    const before = lookBefore(last, wanted);
    // What comes while we read is for the next time.
    stored = new Set();
    wanted = 'changes';
    const sources = { farmId, store, changed, elapsedMs: clock.elapsedMs() } as const;
    const { agents, marks, reported: reports, isWhole, next } = await look(sources, made, before);
    const nowMs = clock.nowMs();
    const gone: string[] = [];
    if (isWhole) {
      const kept = new Set(marks.map(({ rowId }) => rowId));
      for (const [rowId, { miner }] of made) if (!kept.has(rowId) && made.delete(rowId)) gone.push(miner.id);
    }
    const isUnknown = silenceOf(agents, statusAt, nowMs);
    const fresher: SelectableMiner[] = [];
    const isReported = ({ stale_at }: BoardMark) => stale_at !== null && stale_at > nowMs;
    const put = (mark: BoardMark, before: Made | undefined) => {
      const states = { isReported: isReported(mark), isUnknown: isUnknown(mark.agentId) };
      const reported = reports.get(mark.rowId) ?? before?.reported;
      // Its document was removed while we read.
      if (reported === undefined) return;
      const now = { mark, reported, ...states };
      const isSame = before !== undefined && hasStates(before, states) && hasMarks(before.mark, mark);
      const miner = isSame ? before.miner : rowOf(now, nowMs);
      made.set(mark.rowId, { ...now, miner });
      if (!isSame) fresher.push(miner);
    };
    const fresh = new Set(marks.map(({ rowId }) => rowId));
    for (const row of made.values()) {
      const { mark } = row;
      // Time alone may change the others; for most of ten thousand it does not.
      const isAsBefore = row.isReported === isReported(mark) && row.isUnknown === isUnknown(mark.agentId);
      if (!isAsBefore && !fresh.has(mark.rowId)) put(mark, row);
    }
    for (const mark of marks) put(mark, made.get(mark.rowId));
    last = next;
    rows.take(fresher, gone, nowMs);
    return { epoch, rows, atMs: nowMs, lacks: [] };
  };

  /** As it is now, or was a second ago. Requests that come while it is read wait for that reading. */
  const state = (): Promise<BoardState> => {
    const nowMs = clock.elapsedMs();
    if (reading !== undefined && nowMs - reading.sinceMs < FRESH_MS) return reading.done;
    const previous = reading?.done.catch(() => {});
    const done = Promise.resolve(previous).then(refresh);
    reading = { sinceMs: nowMs, done };
    done.catch(() => {
      wanted = 'all';
      if (reading?.done === done) reading = undefined;
    });
    return done;
  };

  const readAnew = (more: Wanted): void => {
    if (wanted !== 'all') wanted = more;
    reading = reading && { ...reading, sinceMs: Number.NEGATIVE_INFINITY };
  };

  return {
    state,
    /** The rows of the store that the selector means now, also where another copy has just moved a miner. */
    async select(selector: Selector): Promise<readonly number[]> {
      if (last !== undefined && clock.elapsedMs() - last.othersMs >= FRESH_MS) readAnew('others');
      const { atMs } = await state();
      return selectedRows(made, selector, atMs);
    },
    /** What was changed by a client shows at once. */
    refreshNext: () => readAnew('all'),
    /** Of this farm, by this copy; it shows with the next reading. */
    stored(rowIds: readonly number[]): void {
      for (const rowId of rowIds) stored.add(rowId);
    },
  };
}

/** What the next reading looks for: newer reports, what was set at other copies too, or all because it is not known. */
type Wanted = 'changes' | 'others' | 'all';

function lookBefore(last: Look | undefined, wanted: Wanted): Look | undefined {
  if (wanted === 'all' || last === undefined) return undefined;
  return wanted === 'others' ? { ...last, othersMs: Number.NEGATIVE_INFINITY } : last;
}

function selectedRows(made: ReadonlyMap<number, Made>, selector: Selector, atMs: number): readonly number[] {
  const all = [...made];
  const miners = all.map(([, { miner }]) => miner);
  const selected = new Set(select(selector, miners, atMs).miners);
  return all.flatMap(([rowId, { miner }]) => (selected.has(miner) ? [rowId] : []));
}

/** Whether the agent is not heard, looked at once for each. */
function silenceOf(agents: ReadonlyMap<string, BoardAgent>, statusAt: BoardParts['statusAt'], nowMs: number) {
  const heard = new Set([...agents].flatMap(([id, agent]) => (statusAt(agent, nowMs) === 'online' ? [id] : [])));
  return (agentId: string | null) => agentId !== null && !heard.has(agentId);
}

const MARKS = ['report', 'rack', 'position', 'container', 'opsStatus', 'seen_at', 'created_at'] as const;

const hasMarks = (before: BoardMark, mark: BoardMark): boolean => MARKS.every((name) => before[name] === mark[name]);

const hasStates = (before: Made, { isReported, isUnknown }: Pick<Made, 'isReported' | 'isUnknown'>): boolean =>
  before.isReported === isReported && before.isUnknown === isUnknown;

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
