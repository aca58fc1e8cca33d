// Which slices an uplink sends under which epoch, and how far its peer has confirmed them. Pure: it reads and stores
// nothing.
import type { EpochCursor } from './store.ts';

/** Of one uplink, oldest first. Each begins where the one before ends; the last one is open: new slices join it. */
export type Epochs = readonly [EpochCursor, ...EpochCursor[]];

export const newCursor = (name: string, epoch: string, base: number, through: number | null = null): EpochCursor => ({
  name,
  epoch,
  base,
  acked: base,
  through,
});

const listOf = ([first, ...rest]: readonly EpochCursor[]): Epochs | undefined =>
  first === undefined ? undefined : [first, ...rest];

/** Id of the newest slice of the epoch. */
const lastOf = ({ through }: EpochCursor, nextId: number) => through ?? nextId - 1;

/** Slices of the epoch that the peer has not confirmed. */
export const waitingIn = (cursor: EpochCursor, nextId: number): number => lastOf(cursor, nextId) - cursor.acked;

/** The peer has all up to `seq` of this epoch. `done` = epochs that are over. Undefined when that is not news. */
export function acknowledged(
  epochs: Epochs,
  { epoch, seq, nextId }: { readonly epoch: string; readonly seq: number; readonly nextId: number },
): { readonly epochs: Epochs; readonly done: readonly EpochCursor[] } | undefined {
  const cursor = epochs.find((each) => each.epoch === epoch);
  if (cursor === undefined) return undefined;
  const id = cursor.base + seq;
  if (!Number.isSafeInteger(id) || id <= cursor.acked || id > lastOf(cursor, nextId)) return undefined;
  const now = epochs.map((each) => (each === cursor ? { ...cursor, acked: id } : each));
  // Only from the front: a row that is missing in the middle is then known to be damage. The open epoch is never over.
  const firstLeft = now.findIndex(({ acked, through }) => acked !== through);
  const left = listOf(now.slice(firstLeft));
  return left && { epochs: left, done: now.slice(0, firstLeft) };
}

/** Closes the open epoch and begins another one. Undefined when the open one has nothing that waits. */
export function split(epochs: Epochs, nextId: number, newEpoch: () => string): Epochs | undefined {
  const open = epochs.at(-1);
  const through = nextId - 1;
  if (open === undefined || open.acked >= through) return undefined;
  return listOf([...epochs.slice(0, -1), { ...open, through }, newCursor(open.name, newEpoch(), through)]);
}

/** What the peer lacks of this epoch gets a new one; all unconfirmed slices where it has more than was written. */
export function renewed(
  epochs: Epochs,
  { epoch, peerAckedSeq }: { readonly epoch: string; readonly peerAckedSeq: number },
  { nextId, deletedThrough }: { readonly nextId: number; readonly deletedThrough: number },
  newEpoch: () => string,
): Epochs {
  const list = epochs.flatMap((cursor, index): EpochCursor[] => {
    if (cursor.epoch !== epoch) return [cursor];
    const peerHas = cursor.base + peerAckedSeq;
    const base = peerHas > lastOf(cursor, nextId) ? cursor.acked : Math.max(deletedThrough, peerHas);
    const rest = { ...cursor, epoch: newEpoch(), base, acked: base };
    // What the peer has stays accounted for, so that it does not look like a row that is missing.
    return index === 0 || base <= cursor.base ? [rest] : [{ ...cursor, acked: base, through: base }, rest];
  });
  return listOf(list) ?? epochs;
}

/** Rows by uplink. A new epoch (`made`) replaces a damaged row: its slices go out again rather than not at all. */
export function byUplink(
  stored: readonly EpochCursor[],
  firstId: number,
  newEpoch: () => string,
): { readonly epochsOf: Map<string, Epochs>; readonly made: readonly string[] } {
  const made: string[] = [];
  const make = (name: string, base: number, through: number | null) => {
    const cursor = newCursor(name, newEpoch(), base, through);
    made.push(cursor.epoch);
    return cursor;
  };
  const epochsOf = new Map<string, Epochs>();
  for (const [name, rows = []] of Map.groupBy(stored, (row) => row.name)) {
    const whole: EpochCursor[] = [];
    let at: number | null = firstId;
    for (const cursor of rows) {
      if (at === null) break;
      if (cursor.base > at) whole.push(make(name, at, cursor.base));
      whole.push(cursor);
      at = cursor.through;
    }
    if (at !== null) whole.push(make(name, at, null));
    const epochs = listOf(whole);
    if (epochs !== undefined) epochsOf.set(name, epochs);
  }
  return { epochsOf, made };
}
