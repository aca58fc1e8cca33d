// The state of a walk along a rack: which slot is next, what was placed, which question is open. It is what the steps
// change; it does no I/O and has no texts.
import { type Location, locationLabel } from '../location.ts';
import type { RackShape } from '../rack-grid.ts';

export type Move = { readonly id: string; readonly ip: string; readonly before: Location; readonly after: Location };

/** A rack as the service lists it. */
export type WalkRack = {
  readonly name: string;
  readonly shape: RackShape | null;
  readonly slots: readonly (Omit<WalkSlot, 'holder'> & { readonly miner: Candidate | null })[];
};

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

export type Question =
  /** The slot is held by `ip`, which would go to `to` when `comes` is put there. */
  | {
      readonly kind: 'held';
      readonly slot: string;
      readonly comes: string;
      readonly ip: string;
      readonly to: Location;
    }
  /** The miner was put elsewhere on this walk. */
  | { readonly kind: 'placed-before'; readonly slot: string; readonly ip: string; readonly from: Location };

export type Phase =
  /** A miner for the slot is awaited. */
  | { readonly kind: 'slot' }
  /** The service is asked; what is typed meanwhile waits. */
  | { readonly kind: 'busy' }
  /** Yes puts the miner there, no leaves everything. */
  | { readonly kind: 'question'; readonly question: Question; readonly wanted: Wanted }
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
  /** The walk passes by slots in which a miner stands; a person may still go to one. */
  readonly passesHeld: boolean;
  readonly isOver: boolean;
};

export type WalkOptions = {
  /** The first position. */
  readonly from?: number | undefined;
  /** Only slots in which no miner stands. */
  readonly isEmptyOnly?: boolean;
  /** Held slots are listed, and passed by. */
  readonly passesHeld?: boolean;
  /** Of a rack whose shape is not known: how many slots it has. */
  readonly slotCount?: number | undefined;
};

/** Undefined where the shape of the rack is not known, and no number of slots is given. */
export function beginWalk({ name, shape, slots }: WalkRack, options: WalkOptions): WalkState | undefined {
  const { from = 1, isEmptyOnly = false, passesHeld = false, slotCount } = options;
  const known = slots.map(({ miner, ...slot }): WalkSlot => ({ ...slot, holder: miner?.ip ?? null }));
  const all = shape === null ? (slotCount === undefined ? undefined : numbered(name, slotCount, known)) : known;
  if (all === undefined) return undefined;
  const wanted = all.filter(({ position, holder }) => position >= from && (!isEmptyOnly || holder === null));
  const at = nextFrom(wanted, 0, passesHeld);
  return {
    ...{ rack: name, slots: wanted, at, phase: { kind: 'slot' }, placed: [], skipped: 0, passesHeld },
    isOver: at >= wanted.length,
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
export const advance = (state: WalkState): WalkState =>
  goTo(state, nextFrom(state.slots, state.at + 1, state.passesHeld));

/** Asks for the slot at this index. */
export const goTo = (state: WalkState, at: number): WalkState => ({
  ...{ ...state, at, phase: { kind: 'slot' }, isOver: at >= state.slots.length },
});

function nextFrom(slots: readonly WalkSlot[], from: number, passesHeld: boolean): number {
  const found = slots.findIndex(({ holder }, index) => index >= from && (!passesHeld || holder === null));
  return found < 0 ? slots.length : found;
}
