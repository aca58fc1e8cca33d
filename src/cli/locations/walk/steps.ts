// The steps of a walk: what a person types or presses, and what the service answers, becomes the next state and what is
// to be done. Pure: walk.ts does it.
import { shownLocation } from '../../../model/locations/location.ts';
import type { Move } from '../location-service.ts';
import {
  advance,
  type Candidate,
  moved,
  type Placed,
  slotOf,
  type WalkSlot,
  type WalkState,
  type Wanted,
} from './walk-state.ts';

export type WalkEvent =
  | { readonly kind: 'typed'; readonly text: string }
  /** The IP-report button of a miner; `miner` = its id. */
  | { readonly kind: 'button'; readonly miner: string }
  /** What would move if the miner went there. */
  | { readonly kind: 'tried'; readonly wanted: Wanted; readonly moves: readonly Move[] }
  | { readonly kind: 'placed'; readonly changeId: string | null; readonly moves: readonly Move[] }
  | { readonly kind: 'undone'; readonly moves: readonly Move[] }
  /** The miners whose light may be tried, the likeliest first. */
  | { readonly kind: 'likely'; readonly candidates: readonly Candidate[] }
  | { readonly kind: 'lit'; readonly problem: string | null }
  | { readonly kind: 'refused'; readonly message: string };

export type Effect =
  | { readonly kind: 'say'; readonly text: string }
  /** Shows the slot that is asked for. */
  | { readonly kind: 'show'; readonly slot: WalkSlot }
  /** Asks the service what would move, or moves it. */
  | { readonly kind: 'try' | 'place'; readonly wanted: Wanted; readonly slot: WalkSlot }
  | { readonly kind: 'report'; readonly slot: WalkSlot; readonly placed: Placed }
  | { readonly kind: 'undo'; readonly changeId: string }
  | { readonly kind: 'find-likely' }
  | { readonly kind: 'light'; readonly candidate: Candidate; readonly on: boolean };

export type Step = { readonly state: WalkState; readonly effects: readonly Effect[] };

const say = (text: string): Effect => ({ kind: 'say', text });

/** What to show at the beginning. */
export const opening = (state: WalkState): readonly Effect[] => shown(state);

export function step(state: WalkState, event: WalkEvent): Step {
  switch (event.kind) {
    case 'typed':
      return typed(state, event.text.trim());
    case 'button':
      return pressed(state, event.miner);
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
      return again(state, [say(event.message)]);
  }
}

const shown = (state: WalkState): readonly Effect[] => {
  const slot = slotOf(state);
  return state.isOver || slot === undefined ? [] : [{ kind: 'show', slot }];
};

/** Back to the slot, which is asked for once more. */
function again(state: WalkState, effects: readonly Effect[]): Step {
  const asking: WalkState = { ...state, phase: { kind: 'slot' } };
  return { state: asking, effects: [...effects, ...shown(asking)] };
}

function typed(state: WalkState, text: string): Step {
  const { phase } = state;
  if (phase.kind === 'busy') return { state, effects: [] };
  if (phase.kind === 'slot') return command(state, text);
  const answer = /^(y|yes|n|no)$/i.exec(text)?.[1]?.[0]?.toLowerCase();
  if (/^(q|quit)$/i.test(text)) return over(state);
  if (answer === undefined) return { state, effects: [say('y or n?')] };
  if (phase.kind === 'question') return answer === 'y' ? attempt(state, 'place', phase.wanted) : again(state, []);
  const { candidate, rest } = phase;
  const dark: Effect = { kind: 'light', candidate, on: false };
  if (answer === 'n') return lightNext(state, rest, [dark]);
  const found = attempt(state, 'try', { miner: candidate.id, by: 'light' });
  return { ...found, effects: [dark, ...found.effects] };
}

function command(state: WalkState, text: string): Step {
  switch (text.toLowerCase()) {
    case '':
      return { state, effects: [] };
    case 'q':
    case 'quit':
      return over(state);
    case 's':
    case 'skip': {
      const next = advance({ ...state, skipped: state.skipped + 1 });
      return { state: next, effects: shown(next) };
    }
    case 'u':
    case 'undo': {
      const last = state.placed.at(-1);
      if (last === undefined) return { state, effects: [say('nothing was placed yet')] };
      return { state: { ...state, phase: { kind: 'busy' } }, effects: [{ kind: 'undo', changeId: last.changeId }] };
    }
    case 'l':
    case 'light':
      return { state: { ...state, phase: { kind: 'busy' } }, effects: [{ kind: 'find-likely' }] };
    default:
      return attempt(state, 'try', { miner: text, by: 'typed' });
  }
}

const over = (state: WalkState): Step => {
  const { phase } = state;
  const dark: readonly Effect[] =
    phase.kind === 'light' ? [{ kind: 'light', candidate: phase.candidate, on: false }] : [];
  return { state: { ...state, isOver: true }, effects: dark };
};

function attempt(state: WalkState, kind: 'try' | 'place', wanted: Wanted): Step {
  const slot = slotOf(state);
  if (slot === undefined) return { state, effects: [] };
  return { state: { ...state, phase: { kind: 'busy' } }, effects: [{ kind, wanted, slot }] };
}

/** A button is heard only where a miner is awaited; some devices send their report several times. */
function pressed(state: WalkState, miner: string): Step {
  const { phase } = state;
  if (state.placed.at(-1)?.id === miner) return { state, effects: [] };
  if (phase.kind === 'question') return { state, effects: [say(`a button was pressed, but first: ${phase.text}`)] };
  if (phase.kind === 'busy') return { state, effects: [] };
  const wanted = attempt(state, 'try', { miner, by: 'button' });
  const dark: readonly Effect[] =
    phase.kind === 'light' ? [{ kind: 'light', candidate: phase.candidate, on: false }] : [];
  return { ...wanted, effects: [...dark, ...wanted.effects] };
}

function tried(state: WalkState, wanted: Wanted, moves: readonly Move[]): Step {
  const slot = slotOf(state);
  const [move, swapped] = moves;
  if (slot === undefined) return { state, effects: [] };
  if (move === undefined) {
    const next = advance(state);
    return { state: next, effects: [say(`${slot.holder ?? wanted.miner} stands there already`), ...shown(next)] };
  }
  const before = state.placed.find(({ ip }) => ip === move.ip);
  const question =
    swapped !== undefined
      ? `${slot.label} is held by ${swapped.ip}, which would go to ${shownLocation(swapped.after)}: swap?`
      : before !== undefined
        ? `${move.ip} was put at ${shownLocation(move.before)} before: move it to ${slot.label}?`
        : undefined;
  if (question === undefined) return attempt(state, 'place', wanted);
  return {
    state: { ...state, phase: { kind: 'question', text: question, wanted } },
    effects: [say(`${question} y or n`)],
  };
}

function placed(state: WalkState, changeId: string | null, moves: readonly Move[]): Step {
  const slot = slotOf(state);
  const move = moves.find(({ after }) => after.rack === state.rack && after.position === slot?.position);
  if (slot === undefined || move === undefined || changeId === null) return again(state, []);
  const one: Placed = { at: state.at, changeId, ip: move.ip, id: move.id };
  const next = advance(moved({ ...state, placed: [...state.placed, one] }, moves));
  return { state: next, effects: [{ kind: 'report', slot, placed: one }, ...shown(next)] };
}

/** Back to the slot that the miner was put into. */
function undone(state: WalkState, moves: readonly Move[]): Step {
  const last = state.placed.at(-1);
  const before = moved({ ...state, at: last?.at ?? state.at, placed: state.placed.slice(0, -1) }, moves);
  const where = moves.map(({ ip, after }) => `${ip} is back: ${shownLocation(after)}`);
  return again({ ...before, isOver: false }, where.map(say));
}

function lightNext(state: WalkState, candidates: readonly Candidate[], effects: readonly Effect[]): Step {
  const [candidate, ...rest] = candidates;
  if (candidate === undefined)
    return again(state, [...effects, say('no miner without a location is left whose light could be tried')]);
  const on: Effect = { kind: 'light', candidate, on: true };
  const text = `the light of ${candidate.ip} goes on in a few seconds: is it here? y or n`;
  return { state: { ...state, phase: { kind: 'light', candidate, rest } }, effects: [...effects, on, say(text)] };
}

/** One whose light cannot be switched is no candidate. */
function lit(state: WalkState, problem: string | null): Step {
  const { phase } = state;
  if (problem === null || phase.kind !== 'light') return { state, effects: [] };
  return lightNext(state, phase.rest, [say(`${phase.candidate.ip}: ${problem}`)]);
}
