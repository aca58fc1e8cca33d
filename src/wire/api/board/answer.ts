// Answers a request for a board from its rows: all, or what has changed since the reader asked last, of all miners or
// of those that a selector means. Pure.
import type { BoardEntry, BoardRows } from '../../../model/board/board-rows.ts';
import { parseSelector, type Selector, select } from '../../../model/selector/selector.ts';
import { type BoardChange, encodeBoard } from './codec.ts';
import type { BoardMessage, BoardSearch } from './messages.ts';

type Lack = BoardMessage['lacks'][number];

export type BoardRequest = Partial<BoardSearch>;

export type BoardState = {
  readonly epoch: string;
  readonly rows: BoardRows;
  /** When it was read, and when it is now: states such as missing depend on it. */
  readonly atMs: number;
  readonly lacks: BoardMessage['lacks'];
};

export type BoardAnswer =
  | { readonly kind: 'ok'; readonly board: BoardMessage }
  /** The selector cannot be read. */
  | { readonly kind: 'wrong'; readonly problems: readonly string[] }
  /** It has a word that needs what is not known here. */
  | { readonly kind: 'lacking'; readonly word: string };

export function answerBoard(state: BoardState, request: BoardRequest): BoardAnswer {
  const read = parseSelector(request.select ?? '');
  if (read.kind === 'wrong') return read;
  const word = lackingWord(read.selector, state.lacks);
  if (word !== undefined) return { kind: 'lacking', word };
  const { epoch, rows, atMs, lacks } = state;
  const since = sinceOf(state, request, read.selector);
  const isAll = read.selector.isEmpty;
  // A reader of all rows asks every second: nothing is selected for it.
  const { miners, unmatched } = isAll ? NONE : select(read.selector, Array.from(rows.entries(), entryMiner), atMs);
  const selected = new Set(miners);
  const changes: BoardChange[] = [];
  const removed = since === undefined ? [] : [...rows.removedSince(since)];
  for (const entry of rows.entries()) {
    const { row, miner, version } = entry;
    if (since !== undefined && version <= since) continue;
    if (isAll || selected.has(miner)) changes.push({ row, miner, isWhole: isWhole(entry, since, read.selector) });
    else if (since !== undefined) removed.push(row);
  }
  const frame = { epoch, seq: rows.seq, atMs, isSnapshot: since === undefined, changes, removed, unmatched, lacks };
  return { kind: 'ok', board: encodeBoard({ ...frame, withKeys: request.with_keys === true }) };
}

/** All rows, or those that have changed since a version that is known; without the keys of agents. */
export function boardSince({ epoch, rows, atMs, lacks }: BoardState, since?: number): BoardMessage {
  const changes: BoardChange[] = [];
  for (const { row, miner, version, factsVersion } of rows.entries())
    if (since === undefined || version > since)
      changes.push({ row, miner, isWhole: since === undefined || factsVersion > since });
  const removed = since === undefined ? [] : rows.removedSince(since);
  const frame = { epoch, seq: rows.seq, atMs, isSnapshot: since === undefined, changes, removed, lacks };
  return encodeBoard({ ...frame, unmatched: [], withKeys: false });
}

const NONE = { miners: [], unmatched: [] };
const entryMiner = ({ miner }: BoardEntry) => miner;

/** The version that the reader has, where it can be sent what has changed since. */
export function knownSince({ epoch, rows }: BoardState, request: BoardRequest): number | undefined {
  const since = request.since ?? undefined;
  return request.epoch === epoch && since !== undefined && rows.isKnown(since) ? since : undefined;
}

/** From which version on the reader is sent changes; undefined = it gets all rows. */
function sinceOf(state: BoardState, request: BoardRequest, { words }: Selector): number | undefined {
  const since = knownSince(state, request);
  if (since === undefined) return undefined;
  // A name that two miners show now selects neither, also where one of them has not changed.
  return words.some(({ kind }) => kind === 'who') && state.rows.namesVersion > since ? undefined : since;
}

/** A reader of a selection may not have had the row before. */
const isWhole = ({ factsVersion }: BoardEntry, since: number | undefined, { isEmpty }: Selector): boolean =>
  since === undefined || !isEmpty || factsVersion > since;

/** A word of the selector that needs what is not known. */
export function lackingWord({ words }: Selector, lacks: readonly Lack[]): string | undefined {
  for (const { kind, values } of words) {
    if ((kind === 'rack' || kind === 'container') && lacks.includes(kind)) return `${kind}:${values.join(',')}`;
    const value = values.find((each) => each.toLowerCase() === 'maintenance');
    if (kind === 'state' && value !== undefined && lacks.includes('maintenance')) return `state:${value}`;
  }
  return undefined;
}
