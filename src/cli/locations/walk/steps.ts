// The steps of a walk at a terminal: lines that are typed become what a person does, and what the steps say becomes
// text. What follows what is in model/locations/walk.
import { shownLocation } from '../../../model/locations/location.ts';
import type { Question, WalkState } from '../../../model/locations/walk/state.ts';
import {
  step as follow,
  type Effect as PureEffect,
  type WalkEvent as PureEvent,
  type Step as PureStep,
  shown,
  type WalkMessage,
} from '../../../model/locations/walk/steps.ts';

export type WalkEvent = PureEvent | { readonly kind: 'typed'; readonly text: string };

export type Effect = Exclude<PureEffect, { kind: 'say' }> | { readonly kind: 'say'; readonly text: string };

export type Step = PureStep<Effect>;

/** What to show at the beginning. */
export const opening = (state: WalkState): readonly Effect[] => shown(state).map(worded);

export function step(state: WalkState, event: WalkEvent): Step {
  if (event.kind === 'typed') return typed(state, event.text.trim());
  const { state: next, effects } = follow(state, event);
  return { state: next, effects: effects.map(worded) };
}

function typed(state: WalkState, text: string): Step {
  const { phase } = state;
  if (phase.kind === 'busy') return { state, effects: [] };
  if (/^(q|quit)$/i.test(text)) return step(state, { kind: 'end' });
  if (phase.kind === 'slot') return text === '' ? { state, effects: [] } : step(state, commandOf(text));
  const answer = /^(y|yes|n|no)$/i.exec(text)?.[1]?.[0]?.toLowerCase();
  if (answer === undefined) return { state, effects: [{ kind: 'say', text: 'y or n?' }] };
  return step(state, { kind: 'answer', isYes: answer === 'y' });
}

function commandOf(text: string): PureEvent {
  switch (text.toLowerCase()) {
    case 's':
    case 'skip':
      return { kind: 'skip' };
    case 'u':
    case 'undo':
      return { kind: 'undo' };
    case 'l':
    case 'light':
      return { kind: 'light' };
    default:
      return { kind: 'named', miner: text };
  }
}

const worded = (effect: PureEffect): Effect =>
  effect.kind === 'say' ? { kind: 'say', text: textOf(effect.message) } : effect;

function textOf(message: WalkMessage): string {
  switch (message.kind) {
    case 'refused':
      return message.message;
    case 'nothing-placed':
      return 'nothing was placed yet';
    case 'no-light-left':
      return 'no miner without a location is left whose light could be tried';
    case 'ask':
      return `${questionText(message.question)} y or n`;
    case 'button-waits':
      return `a button was pressed, but first: ${questionText(message.question)}`;
    case 'stands-already':
      return `${message.ip} stands there already`;
    case 'back-again':
      return `${message.ip} is back: ${shownLocation(message.to)}`;
    case 'lights-up':
      return `the light of ${message.ip} goes on in a few seconds: is it here? y or n`;
    case 'not-lit':
      return `${message.ip}: ${message.problem}`;
  }
}

const questionText = (question: Question): string =>
  question.kind === 'held'
    ? `${question.slot} is held by ${question.ip}, which would go to ${shownLocation(question.to)}: swap?`
    : `${question.ip} was put at ${shownLocation(question.from)} before: move it to ${question.slot}?`;
