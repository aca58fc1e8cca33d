// The state of a walk along a rack: which slot is next, what was placed, which question is open. It is what the steps
// in walk.ts change; it does no I/O.
import { locationLabel } from '../../../model/locations/location.ts';
import type { Move, RackDetail } from '../location-service.ts';

/** `holder` = the address of the miner that stands there. */
export type WalkSlot = {
  readonly position: number;
  readonly label: string;
  readonly row: number | null;
  readonly column: number | null;
  readonly holder: string | null;
};

export type Candidate = { readonly id: string; readonly ip: string };

/** A miner for the slot that is asked for. `by` = how the person named it. */
export type Wanted = { readonly miner: string; readonly by: 'typed' | 'button' | 'light' };

export type Phase =
  /** A miner for the slot is awaited. */
  | { readonly kind: 'slot' }
  /** The service is asked; what is typed meanwhile waits. */
  | { readonly kind: 'busy' }
  /** Yes puts the miner there, no leaves everything. */
  | { readonly kind: 'question'; readonly text: string; readonly wanted: Wanted }
  /** The light of the candidate is on, or is about to be. */
  | { readonly kind: 'light'; readonly candidate: Candidate; readonly rest: readonly Candidate[] };

export type Placed = { readonly at: number; readonly changeId: string; readonly ip: string; readonly id: string };

export type WalkState = {
  readonly rack: string;
  readonly slots: readonly WalkSlot[];
  /** Index of the slot that is asked for; the number of slots = the walk is over. */
  readonly at: number;
  readonly phase: Phase;
  /** The newest last. */
  readonly placed: readonly Placed[];
  readonly skipped: number;
  readonly isOver: boolean;
};

export type WalkOptions = {
  /** The first position. */
  readonly from?: number | undefined;
  /** Only slots in which no miner stands. */
  readonly isEmptyOnly?: boolean;
  /** Of a rack whose shape is not known: how many slots it has. */
  readonly slotCount?: number | undefined;
};

/** Undefined where the shape of the rack is not known, and no number of slots is given. */
export function beginWalk(
  { name, shape, slots }: Pick<RackDetail, 'name' | 'shape' | 'slots'>,
  options: WalkOptions,
): WalkState | undefined {
  const { from = 1, isEmptyOnly = false, slotCount } = options;
  const known = slots.map(({ miner, ...slot }): WalkSlot => ({ ...slot, holder: miner?.ip ?? null }));
  const all = shape === null ? (slotCount === undefined ? undefined : numbered(name, slotCount, known)) : known;
  if (all === undefined) return undefined;
  const wanted = all.filter(({ position, holder }) => position >= from && (!isEmptyOnly || holder === null));
  return {
    ...{ rack: name, slots: wanted, at: 0, phase: { kind: 'slot' }, placed: [], skipped: 0 },
    isOver: wanted.length === 0,
  };
}

function numbered(rack: string, count: number, known: readonly WalkSlot[]): WalkSlot[] {
  return Array.from({ length: count }, (_, index) => {
    const position = index + 1;
    const label = locationLabel({ rack, position }) ?? '';
    return (
      known.find((slot) => slot.position === position) ?? { position, label, row: null, column: null, holder: null }
    );
  });
}

export const slotOf = ({ slots, at }: WalkState): WalkSlot | undefined => slots[at];

/** Who stands in the slots after these moves. */
export function moved(state: WalkState, moves: readonly Move[]): WalkState {
  const slots = state.slots.map((slot) => {
    const comes = moves.find(({ after }) => after.rack === state.rack && after.position === slot.position);
    if (comes !== undefined) return { ...slot, holder: comes.ip };
    const goes = moves.some(({ before }) => before.rack === state.rack && before.position === slot.position);
    return goes ? { ...slot, holder: null } : slot;
  });
  return { ...state, slots };
}

/** To the next slot; after the last one the walk is over. */
export function advance(state: WalkState): WalkState {
  const at = state.at + 1;
  return { ...state, at, phase: { kind: 'slot' }, isOver: at >= state.slots.length };
}
