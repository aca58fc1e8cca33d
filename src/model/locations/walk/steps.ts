// The steps of a walk: what a person does, and what the service answers, becomes the next state and what is to be done.
// Pure and without texts: the command line and the web page do it, each in its own words.
import type { Location } from '../location.ts';
import {
  advance,
  type Candidate,
  goTo,
  type Move,
  moved,
  type Placed,
  type Question,
  slotOf,
  type WalkSlot,
  type WalkState,
  type Wanted,
} from './state.ts';

/** What is only taken while a miner is awaited. */
type Command =
  /** A person names the miner: its address, or another name that the service knows. */
  { readonly kind: 'named'; readonly miner: string } | { readonly kind: 'skip' | 'back' | 'undo' | 'light' };

export type WalkEvent =
  | Command
  /** The IP-report button of a miner; `miner` = its id. */
  | { readonly kind: 'button'; readonly miner: string }
  | { readonly kind: 'answer'; readonly isYes: boolean }
  /** To the slot at this index; while a light is on, the lit miner stands there. */
  | { readonly kind: 'slot'; readonly at: number }
  /** Leaves the lights; `end` leaves the walk. */
  | { readonly kind: 'stop-lights' | 'end' }
  /** What would move if the miner went there. */
  | { readonly kind: 'tried'; readonly wanted: Wanted; readonly moves: readonly Move[] }
  | { readonly kind: 'placed'; readonly changeId: string | null; readonly moves: readonly Move[] }
  | { readonly kind: 'undone'; readonly moves: readonly Move[] }
  /** The miners whose light may be tried, the likeliest first. */
  | { readonly kind: 'likely'; readonly candidates: readonly Candidate[] }
  | { readonly kind: 'lit'; readonly problem: string | null }
  | { readonly kind: 'refused'; readonly message: string };

export type WalkMessage =
  | { readonly kind: 'nothing-placed' | 'no-light-left' }
  | { readonly kind: 'refused'; readonly message: string }
  | { readonly kind: 'ask' | 'button-waits'; readonly question: Question }
  /** `ip` may be another name of it, where it was named so. */
  | { readonly kind: 'stands-already'; readonly ip: string }
  | { readonly kind: 'back-again'; readonly ip: string; readonly to: Location }
  | { readonly kind: 'lights-up'; readonly ip: string }
  | { readonly kind: 'not-lit'; readonly ip: string; readonly problem: string };

export type Effect =
  | { readonly kind: 'say'; readonly message: WalkMessage }
  /** Shows the slot that is asked for. */
  | { readonly kind: 'show'; readonly slot: WalkSlot }
  /** Asks the service what would move, or moves it. */
  | { readonly kind: 'try' | 'place'; readonly wanted: Wanted; readonly slot: WalkSlot }
  | { readonly kind: 'report'; readonly slot: WalkSlot; readonly placed: Placed }
  | { readonly kind: 'undo'; readonly changeId: string }
  | { readonly kind: 'find-likely' }
  | { readonly kind: 'light'; readonly candidate: Candidate; readonly on: boolean };

export type Step<E = Effect> = { readonly state: WalkState; readonly effects: readonly E[] };

const say = (message: WalkMessage): Effect => ({ kind: 'say', message });

export function step(state: WalkState, event: WalkEvent): Step {
  switch (event.kind) {
    case 'button':
      return pressed(state, event.miner);
    case 'answer':
      return answered(state, event.isYes);
    case 'slot':
      return chosen(state, event.at);
    case 'stop-lights':
      return state.phase.kind === 'light' ? again(state, dark(state)) : { state, effects: [] };
    case 'end':
      return { state: { ...state, isOver: true }, effects: dark(state) };
    case 'tried':
      return tried(state, event.wanted, event.moves);
    case 'placed':
      return placed(state, event.changeId, event.moves);
    case 'undone':
      return undone(state, event.moves);
    case 'likely':
      return lightNext(state, event.candidates, []);
    case 'lit':
      return lit(state, event.problem);
    case 'refused':
      return again(state, [say({ kind: 'refused', message: event.message })]);
    case 'named':
    case 'skip':
    case 'back':
    case 'undo':
    case 'light':
      return state.phase.kind === 'slot' ? command(state, event) : { state, effects: [] };
  }
}

/** The slot that is asked for, where one is. */
export function shown(state: WalkState): readonly Effect[] {
  const slot = slotOf(state);
  return state.isOver || slot === undefined ? [] : [{ kind: 'show', slot }];
}

const asking = (state: WalkState): Step => ({ state, effects: shown(state) });

/** Back to the slot, which is asked for once more. */
function again(state: WalkState, effects: readonly Effect[]): Step {
  const next = asking({ ...state, phase: { kind: 'slot' } });
  return { ...next, effects: [...effects, ...next.effects] };
}

/** What puts out the light that is on. */
const dark = ({ phase }: WalkState): readonly Effect[] =>
  phase.kind === 'light' ? [{ kind: 'light', candidate: phase.candidate, on: false }] : [];

function answered(state: WalkState, isYes: boolean): Step {
  const { phase } = state;
  if (phase.kind === 'question') return isYes ? attempt(state, 'place', phase.wanted) : again(state, []);
  if (phase.kind !== 'light') return { state, effects: [] };
  return isYes ? shines(state, phase.candidate) : lightNext(state, phase.rest, dark(state));
}

/** The lit miner stands in the slot that is asked for. */
function shines(state: WalkState, { id }: Candidate): Step {
  const found = attempt(state, 'try', { miner: id, by: 'light' });
  return { ...found, effects: [...dark(state), ...found.effects] };
}

function chosen(state: WalkState, at: number): Step {
  const { phase } = state;
  if (state.slots[at] === undefined) return { state, effects: [] };
  if (phase.kind === 'slot') return asking(goTo(state, at));
  return phase.kind === 'light' ? shines({ ...state, at }, phase.candidate) : { state, effects: [] };
}

function command(state: WalkState, event: Command): Step {
  switch (event.kind) {
    case 'named':
      return attempt(state, 'try', { miner: event.miner, by: 'typed' });
    case 'skip':
      return asking(advance({ ...state, skipped: state.skipped + 1 }));
    case 'back':
      return asking(goTo(state, Math.max(0, state.at - 1)));
    case 'undo': {
      const last = state.placed.at(-1);
      if (last === undefined) return { state, effects: [say({ kind: 'nothing-placed' })] };
      return { state: { ...state, phase: { kind: 'busy' } }, effects: [{ kind: 'undo', changeId: last.changeId }] };
    }
    case 'light':
      return { state: { ...state, phase: { kind: 'busy' } }, effects: [{ kind: 'find-likely' }] };
  }
}

function attempt(state: WalkState, kind: 'try' | 'place', wanted: Wanted): Step {
  const slot = slotOf(state);
  if (slot === undefined) return { state, effects: [] };
  return { state: { ...state, phase: { kind: 'busy' } }, effects: [{ kind, wanted, slot }] };
}

/** A button is heard only where a miner is awaited; some devices send their report several times. */
function pressed(state: WalkState, miner: string): Step {
  const { phase } = state;
  if (state.placed.at(-1)?.id === miner) return { state, effects: [] };
  if (phase.kind === 'question') return { state, effects: [say({ kind: 'button-waits', question: phase.question })] };
  if (phase.kind === 'busy') return { state, effects: [] };
  const wanted = attempt(state, 'try', { miner, by: 'button' });
  return { ...wanted, effects: [...dark(state), ...wanted.effects] };
}

function tried(state: WalkState, wanted: Wanted, moves: readonly Move[]): Step {
  const slot = slotOf(state);
  const [move] = moves;
  if (slot === undefined) return { state, effects: [] };
  if (move === undefined) {
    const next = asking(advance(state));
    const there = say({ kind: 'stands-already', ip: slot.holder ?? wanted.miner });
    return { ...next, effects: [there, ...next.effects] };
  }
  const question = questionOf(state, slot, moves);
  if (question === undefined) return attempt(state, 'place', wanted);
  return {
    state: { ...state, phase: { kind: 'question', question, wanted } },
    effects: [say({ kind: 'ask', question })],
  };
}

/** What a person is asked before these moves; undefined = nothing. */
function questionOf(state: WalkState, slot: WalkSlot, [move, swapped]: readonly Move[]): Question | undefined {
  if (move === undefined) return undefined;
  if (swapped !== undefined)
    return { kind: 'held', slot: slot.label, comes: move.ip, ip: swapped.ip, to: swapped.after };
  if (!state.placed.some(({ ip }) => ip === move.ip)) return undefined;
  return { kind: 'placed-before', slot: slot.label, ip: move.ip, from: move.before };
}

function placed(state: WalkState, changeId: string | null, moves: readonly Move[]): Step {
  const slot = slotOf(state);
  const move = moves.find(({ after }) => after.rack === state.rack && after.position === slot?.position);
  if (slot === undefined || move === undefined || changeId === null) return again(state, []);
  const one: Placed = { at: state.at, changeId, ip: move.ip, id: move.id };
  const next = asking(advance(moved({ ...state, placed: [...state.placed, one] }, moves)));
  return { ...next, effects: [{ kind: 'report', slot, placed: one }, ...next.effects] };
}

/** Back to the slot that the miner was put into. */
function undone(state: WalkState, moves: readonly Move[]): Step {
  const last = state.placed.at(-1);
  const before = moved({ ...state, at: last?.at ?? state.at, placed: state.placed.slice(0, -1) }, moves);
  const where = moves.map(({ ip, after }) => say({ kind: 'back-again', ip, to: after }));
  return again({ ...before, isOver: false }, where);
}

function lightNext(state: WalkState, candidates: readonly Candidate[], effects: readonly Effect[]): Step {
  const [candidate, ...rest] = candidates;
  if (candidate === undefined) return again(state, [...effects, say({ kind: 'no-light-left' })]);
  const on: Effect = { kind: 'light', candidate, on: true };
  return {
    state: { ...state, phase: { kind: 'light', candidate, rest } },
    effects: [...effects, on, say({ kind: 'lights-up', ip: candidate.ip })],
  };
}

/** One whose light cannot be switched is no candidate. */
function lit(state: WalkState, problem: string | null): Step {
  const { phase } = state;
  if (problem === null || phase.kind !== 'light') return { state, effects: [] };
  return lightNext(state, phase.rest, [say({ kind: 'not-lit', ip: phase.candidate.ip, problem })]);
}
