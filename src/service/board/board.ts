// The board of one farm in memory: a narrow row of each miner, as the database has it. It is read at most once a
// second, and only for requests. A change shows whichever copy of the service has stored it.
import { randomUUID } from 'node:crypto';
import type { Clock } from '../../base/clock.ts';
import { boardRow, type ReportedMiner } from '../../model/board/board-row.ts';
import { BoardRows } from '../../model/board/board-rows.ts';
import { OPS_STATUSES } from '../../model/miner.ts';
import { type SelectableMiner, type Selector, select } from '../../model/selector/selector.ts';
import type { BoardState } from '../../wire/api/board/answer.ts';
import type { BoardAgent, BoardMark, BoardStore, Store } from '../store/store.ts';

/** How old the answer may be, counted from before it was read. */
const FRESH_MS = 1_000;
/** How often it is asked what operators have set at other copies, and what is gone: that reads all rows. */
const OTHERS_MS = 5_000;
/** How often all rows are read, for what no look at changes finds: repairs after a clock was set. */
const WHOLE_MS = 120_000;

export type BoardParts = {
  readonly store: BoardStore;
  readonly statusAt: Store['agents']['statusAt'];
  readonly clock: Pick<Clock, 'nowMs' | 'elapsedMs'>;
};

/** A row, and what it was made of. */
type Made = {
  readonly mark: BoardMark;
  readonly reported: ReportedMiner;
  readonly isReported: boolean;
  readonly isUnknown: boolean;
  readonly miner: SelectableMiner;
};

export type FarmBoard = ReturnType<typeof createBoard>;

export function createBoard(farmId: string, { store, statusAt, clock }: BoardParts) {
  const epoch = randomUUID();
  const rows = new BoardRows();
  const made = new Map<number, Made>();
  let last: Look | undefined;
  let reading: { readonly sinceMs: number; readonly done: Promise<BoardState> } | undefined;

  const refresh = async (): Promise<BoardState> => {
    const { agents, marks, documents, isWhole, next } = await look(
      { farmId, store, elapsedMs: clock.elapsedMs() },
      made,
      last,
    );
    const nowMs = clock.nowMs();
    const gone: string[] = [];
    if (isWhole) {
      const kept = new Set(marks.map(({ rowId }) => rowId));
      for (const [rowId, { miner }] of made) if (!kept.has(rowId) && made.delete(rowId)) gone.push(miner.id);
    }
    const isUnknown = silenceOf(agents, statusAt, nowMs);
    const changed: SelectableMiner[] = [];
    const put = (mark: BoardMark, before: Made | undefined) => {
      const isReported = mark.stale_at !== null && mark.stale_at > nowMs;
      const states = { isReported, isUnknown: isUnknown(mark.agentId) };
      if (before?.mark === mark && hasStates(before, states)) return;
      const stored = documents.get(mark.rowId);
      const reported = stored === undefined ? before?.reported : parsed(stored);
      // Its document was removed while we read.
      if (reported === undefined) return;
      const now = { mark, reported, ...states };
      const isSame = before !== undefined && hasStates(before, states) && hasMarks(before.mark, mark);
      const miner = isSame ? before.miner : rowOf(now, nowMs);
      made.set(mark.rowId, { ...now, miner });
      if (!isSame) changed.push(miner);
    };
    const fresh = new Map(marks.map((mark) => [mark.rowId, mark]));
    // Time alone may change the others.
    for (const [rowId, before] of made) if (!fresh.has(rowId)) put(before.mark, before);
    for (const [rowId, mark] of fresh) put(mark, made.get(rowId));
    last = next;
    rows.take(changed, gone, nowMs);
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
      if (reading?.done === done) reading = undefined;
    });
    return done;
  };

  const refreshNext = (): void => {
    last = undefined;
    reading = reading && { ...reading, sinceMs: Number.NEGATIVE_INFINITY };
  };

  return {
    state,
    /** The rows of the store that the selector means now, also where another copy has just moved a miner. */
    async select(selector: Selector): Promise<readonly number[]> {
      if (last !== undefined && clock.elapsedMs() - last.othersMs >= FRESH_MS) refreshNext();
      const { atMs } = await state();
      const all = [...made];
      const selected = new Set(
        select(
          selector,
          all.map(([, { miner }]) => miner),
          atMs,
        ).miners,
      );
      return all.flatMap(([rowId, { miner }]) => (selected.has(miner) ? [rowId] : []));
    },
    /** What was changed by a client shows at once. */
    refreshNext,
  };
}

/** What the last reading found, and when. Where it is the same only newer reports are read. */
type Look = {
  readonly others: { readonly count: number; readonly text: string };
  readonly polls: string;
  readonly othersMs: number;
  readonly wholeMs: number;
};

/** Reads what may have changed since the last look. */
async function look(
  { farmId, store, elapsedMs }: { farmId: string; store: BoardStore; elapsedMs: number },
  made: ReadonlyMap<number, Made>,
  last: Look | undefined,
) {
  const asksOthers = last === undefined || elapsedMs - last.othersMs >= OTHERS_MS;
  const [others, agents] = await Promise.all([
    asksOthers ? store.operatorText(farmId) : last.others,
    store.heard(farmId),
  ]);
  const polls = [...agents].map(([id, { poll_interval_ms }]) => `${id} ${poll_interval_ms}`).join();
  let isWhole =
    last === undefined ||
    last.others.text !== others.text ||
    last.polls !== polls ||
    elapsedMs - last.wholeMs >= WHOLE_MS;
  let marks = await store.marks(farmId, isWhole ? undefined : ordersOf(made.values()));
  const added = marks.filter(({ rowId }) => !made.has(rowId)).length;
  // Some are gone, and others have come.
  if (!isWhole && asksOthers && made.size + added !== others.count) {
    isWhole = true;
    marks = await store.marks(farmId);
  }
  const isNew = ({ rowId, report }: BoardMark) => made.get(rowId)?.mark.report !== report;
  const documents = await store.documents(marks.filter(isNew).map(({ rowId }) => rowId));
  const wholeMs = isWhole || last === undefined ? elapsedMs : last.wholeMs;
  const othersMs = asksOthers ? elapsedMs : last.othersMs;
  return { agents, marks, documents, isWhole, next: { others, polls, wholeMs, othersMs } satisfies Look };
}

/** The newest slice that is known of each agent. */
function ordersOf(made: Iterable<Made>): ReadonlyMap<string, number> {
  const orders = new Map<string, number>();
  for (const { mark } of made)
    if (mark.agentId !== null) orders.set(mark.agentId, Math.max(mark.order, orders.get(mark.agentId) ?? 0));
  return orders;
}

/** Whether the agent is not heard, looked at once for each. */
function silenceOf(agents: ReadonlyMap<string, BoardAgent>, statusAt: BoardParts['statusAt'], nowMs: number) {
  const heard = new Set([...agents].flatMap(([id, agent]) => (statusAt(agent, nowMs) === 'online' ? [id] : [])));
  return (agentId: string | null) => agentId !== null && !heard.has(agentId);
}

/** As we have stored them. */
function parsed({ document, extras, abilities }: { document: string; extras: string; abilities: string }) {
  const reported: ReportedMiner = {
    document: JSON.parse(document),
    extras: JSON.parse(extras),
    abilities: JSON.parse(abilities),
  };
  return reported;
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
