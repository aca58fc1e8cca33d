// The board of one farm in memory: a narrow row of each miner, as the database has it. It is read at most once a
// second, and only for requests. A change shows whichever copy of the service has stored it.
import { randomUUID } from 'node:crypto';
import type { Clock } from '../../base/clock.ts';
import { BoardRows } from '../../model/board/board-rows.ts';
import { type Selector, select } from '../../model/selector/selector.ts';
import type { BoardState } from '../../wire/api/board/answer.ts';
import type { BoardAgent, BoardStore, ChangedMiner, Store } from '../store/store.ts';
import { type Look, look } from './look.ts';
import { MadeRows } from './made-rows.ts';

/** How old the answer may be, counted from before it was read. */
const FRESH_MS = 1_000;
/** Reports are kept for a next reading that comes so soon, and not more of them. */
const HANDED_MS = 3_000;
const MOST_HANDED = 2_000;

export type BoardParts = {
  readonly store: BoardStore;
  /** Other copies of the service store reports too: those are sought in the database. */
  readonly hasCopies: boolean;
  readonly statusAt: Store['agents']['statusAt'];
  readonly clock: Pick<Clock, 'nowMs' | 'elapsedMs'>;
};

export type FarmBoard = ReturnType<typeof createBoard>;

export function createBoard(farmId: string, { store, hasCopies, statusAt, clock }: BoardParts) {
  const epoch = randomUUID();
  const rows = new BoardRows();
  const made = new MadeRows();
  let last: Look | undefined;
  let wanted: Wanted = 'all';
  /** What this copy has stored since it was read, by the rows. */
  let stored = new Map<number, ChangedMiner['stored']>();
  let reading: { readonly sinceMs: number; readonly done: Promise<BoardState> } | undefined;

  const refresh = async (): Promise<BoardState> => {
    const handed = stored;
    const changed = hasCopies ? 'sought' : [...handed.keys()];
    const before = lookBefore(last, wanted);
    // What comes while we read is for the next time.
    stored = new Map();
    wanted = 'changes';
    const sources = { farmId, store, changed, handed, elapsedMs: clock.elapsedMs() } as const;
    const found = await look(sources, made.rows, before);
    const nowMs = clock.nowMs();
    const { fresher, gone } = made.take(found, heardAgents(found.agents, statusAt, nowMs), nowMs);
    last = found.next;
    rows.take(fresher, gone, nowMs);
    return { epoch, rows, atMs: nowMs, lacks: [] };
  };

  /** As it is now, or was `freshMs` ago. Requests that come while it is read wait for that reading. */
  const state = (freshMs = FRESH_MS): Promise<BoardState> => {
    const nowMs = clock.elapsedMs();
    if (reading !== undefined && nowMs - reading.sinceMs < freshMs) return reading.done;
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
      return selectedRows(made.rows, selector, atMs);
    },
    /** What was changed by a client shows at once. */
    refreshNext: () => readAnew('all'),
    /** What was changed by a client of another copy shows with the next reading. */
    changedElsewhere(): void {
      if (wanted === 'changes') wanted = 'others';
    },
    /** Of this farm, by this copy; it shows with the next reading. */
    stored(changed: readonly ChangedMiner[]): void {
      // Where nothing looks each second reports are not kept for it: they are read when something does.
      const isWatched = reading !== undefined && clock.elapsedMs() - reading.sinceMs < HANDED_MS;
      for (const { rowId, stored: report } of changed)
        stored.set(rowId, isWatched && stored.size < MOST_HANDED ? report : undefined);
    },
  };
}

/** What the next reading looks for: newer reports, what was set at other copies too, or all because it is not known. */
type Wanted = 'changes' | 'others' | 'all';

function lookBefore(last: Look | undefined, wanted: Wanted): Look | undefined {
  if (wanted === 'all' || last === undefined) return undefined;
  return wanted === 'others' ? { ...last, othersMs: Number.NEGATIVE_INFINITY } : last;
}

function selectedRows(made: MadeRows['rows'], selector: Selector, atMs: number): readonly number[] {
  const all = [...made];
  const miners = all.map(([, { miner }]) => miner);
  const selected = new Set(select(selector, miners, atMs).miners);
  return all.flatMap(([rowId, { miner }]) => (selected.has(miner) ? [rowId] : []));
}

/** Looked at once for each. */
const heardAgents = (agents: ReadonlyMap<string, BoardAgent>, statusAt: BoardParts['statusAt'], nowMs: number) =>
  new Set([...agents].flatMap(([id, agent]) => (statusAt(agent, nowMs) === 'online' ? [id] : [])));
