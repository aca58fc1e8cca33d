// The rows of a board, each with the version at which it was new: what has changed since a version, for readers that
// come back. It keeps no older rows, and reads nothing itself.
import type { SelectableMiner } from '../selector/selector.ts';
import { BOARD_STATES, isInState, MISSING_MS, NEW_MS } from './board-miner.ts';

export type BoardEntry = {
  /** Names the row in this epoch. */
  readonly row: number;
  readonly miner: SelectableMiner;
  /** When anything of it changed, and when one of its facts did. */
  readonly version: number;
  readonly factsVersion: number;
  /** The states it is in, and when time alone may change them. */
  readonly states: number;
  readonly dueMs: number;
};

/** What hardly ever changes. */
const FACTS = [
  ...(['key', 'agentId', 'ip', 'mac', 'serial', 'hostname', 'make', 'model', 'algorithm', 'container'] as const),
  ...(['rack', 'position', 'driver', 'firmware', 'abilities', 'opsStatus', 'mode', 'expectedHs', 'pool'] as const),
  ...(['worker', 'createdAtMs', 'serials', 'pools', 'workers'] as const),
] satisfies readonly (keyof SelectableMiner)[];
const VALUES = [
  ...(['isMining', 'isOnline', 'isUnknown', 'isHung', 'flags', 'firstFlag', 'hashrateHs', 'powerW', 'tempC'] as const),
  ...(['fanRpm', 'uptimeS', 'seenAtMs'] as const),
] satisfies readonly (keyof SelectableMiner)[];
/** By these a selector finds one miner. */
const NAMES = ['ip', 'mac', 'key', 'hostname', 'serials', 'workers'] satisfies readonly (keyof SelectableMiner)[];

/** More that are gone, and readers begin anew. */
const MOST_REMOVED = 10_000;

export class BoardRows {
  #seq = 0;
  /** When a name, or who has it, was last another one. */
  #namesVersion = 0;
  /** What went before this is not known any more. */
  #oldest = 0;
  #lastRow = 0;
  #takenMs = Number.NEGATIVE_INFINITY;
  /** No row is due before. */
  #dueMs = Number.POSITIVE_INFINITY;
  readonly #entries = new Map<string, BoardEntry>();
  #removed: { readonly row: number; readonly version: number }[] = [];

  /** Counts the changes. */
  get seq(): number {
    return this.#seq;
  }

  get namesVersion(): number {
    return this.#namesVersion;
  }

  entries(): Iterable<BoardEntry> {
    return this.#entries.values();
  }

  /** These are all miners now. One that is the same object as before counts as unchanged, but for the time. */
  takeAll(all: readonly SelectableMiner[], nowMs: number): void {
    const kept = new Set(all.map(({ id }) => id));
    const gone = [...this.#entries.keys()].filter((id) => !kept.has(id));
    this.take(all, gone, nowMs);
  }

  /** Miners that have or may have changed, and the ids of those that are gone. */
  take(changed: readonly SelectableMiner[], gone: readonly string[], nowMs: number): void {
    const version = this.#seq + 1;
    let isChanged = false;
    for (const id of gone) isChanged = this.#remove(id, version) || isChanged;
    for (const miner of changed) isChanged = this.#put(miner, version, nowMs) || isChanged;
    if (nowMs < this.#takenMs || nowMs >= this.#dueMs) isChanged = this.#putDue(version, nowMs) || isChanged;
    this.#takenMs = nowMs;
    const forgotten = this.#removed.splice(0, Math.max(0, this.#removed.length - MOST_REMOVED)).at(-1);
    if (forgotten !== undefined) this.#oldest = forgotten.version;
    if (isChanged) this.#seq = version;
  }

  /** Rows that went after `since`. */
  removedSince(since: number): readonly number[] {
    return this.#removed.filter(({ version }) => version > since).map(({ row }) => row);
  }

  /** Whether a reader that has this version can be sent what changed; otherwise it needs all rows. */
  isKnown(since: number): boolean {
    return since <= this.#seq && since >= this.#oldest;
  }

  /** Those that time may have changed; all where the clock was set back. */
  #putDue(version: number, nowMs: number): boolean {
    const isSetBack = nowMs < this.#takenMs;
    let isChanged = false;
    this.#dueMs = Number.POSITIVE_INFINITY;
    for (const { miner, dueMs } of this.#entries.values())
      if (dueMs <= nowMs || isSetBack) isChanged = this.#put(miner, version, nowMs) || isChanged;
      else this.#dueMs = Math.min(this.#dueMs, dueMs);
    return isChanged;
  }

  #put(miner: SelectableMiner, version: number, nowMs: number): boolean {
    const before = this.#entries.get(miner.id);
    const [states, dueMs] = [statesOf(miner, nowMs), dueOf(miner, nowMs)];
    this.#dueMs = Math.min(this.#dueMs, dueMs);
    if (before === undefined) {
      this.#namesVersion = version;
      this.#entries.set(miner.id, { row: ++this.#lastRow, miner, version, factsVersion: version, states, dueMs });
      return true;
    }
    const isSame = before.miner === miner;
    const hasNewFacts = !isSame && differs(before.miner, miner, FACTS);
    if (!hasNewFacts && before.states === states && (isSame || !differs(before.miner, miner, VALUES))) {
      this.#entries.set(miner.id, { ...before, miner, dueMs });
      return false;
    }
    if (hasNewFacts && differs(before.miner, miner, NAMES)) this.#namesVersion = version;
    const factsVersion = hasNewFacts ? version : before.factsVersion;
    this.#entries.set(miner.id, { row: before.row, miner, version, factsVersion, states, dueMs });
    return true;
  }

  #remove(id: string, version: number): boolean {
    const row = this.#entries.get(id)?.row;
    if (row === undefined) return false;
    this.#entries.delete(id);
    this.#removed.push({ row, version });
    this.#namesVersion = version;
    return true;
  }
}

const statesOf = (miner: SelectableMiner, nowMs: number): number =>
  BOARD_STATES.reduce((mask, state, bit) => (isInState(miner, state, nowMs) ? mask | (1 << bit) : mask), 0);

/** The next time at which it is new no longer, or silent for so long that it is missing. */
function dueOf({ createdAtMs, seenAtMs }: SelectableMiner, nowMs: number): number {
  const times = [(createdAtMs ?? nowMs) + NEW_MS, (seenAtMs ?? createdAtMs ?? nowMs) + MISSING_MS];
  return Math.min(...times.filter((time) => time > nowMs));
}

function differs(a: SelectableMiner, b: SelectableMiner, names: readonly (keyof SelectableMiner)[]): boolean {
  return names.some((name) => {
    const [before, after] = [a[name], b[name]];
    if (before === after) return false;
    return typeof before !== 'object' || JSON.stringify(before) !== JSON.stringify(after);
  });
}
