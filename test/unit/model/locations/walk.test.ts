// The steps of a walk that only the web page takes: any slot is chosen by a tap, held ones are passed by, and one light
// after the other is tried. Those of the command line are in test/unit/cli/walk-steps.test.ts.
import { expect, test } from 'vitest';
import { beginWalk, type Move, type WalkState } from '../../../../src/model/locations/walk/state.ts';
import { type Step, step, type WalkEvent } from '../../../../src/model/locations/walk/steps.ts';

const SHAPE = { rows: 1, columns: 4, first: 'top-left', direction: 'rows', serpentine: false } as const;
const NOWHERE = { rack: null, position: null };

/** Of a rack of four slots; `held` = positions in which miners stand. */
function begin(...held: number[]): WalkState {
  const slots = [1, 2, 3, 4].map((position) => ({
    ...{ position, label: `C03-${position}`, row: 1, column: position },
    miner: held.includes(position) ? { id: `m${position}`, ip: `10.0.0.${position}` } : null,
  }));
  const state = beginWalk({ name: 'C03', shape: SHAPE, slots }, { passesHeld: true });
  if (state === undefined) throw new Error('no walk');
  return state;
}

const run = (state: WalkState, ...events: readonly WalkEvent[]): Step =>
  events.reduce<Step>((before, event) => step(before.state, event), { state, effects: [] });
const comes = (n: number, position: number): Move => ({
  ...{ id: `m${n}`, ip: `10.0.0.${n}`, before: NOWHERE, after: { rack: 'C03', position } },
});
const CANDIDATES = [
  { id: 'm8', ip: '10.0.0.8' },
  { id: 'm9', ip: '10.0.0.9' },
];
const kinds = ({ effects }: Step) => effects.map(({ kind }) => kind);

test('slots in which a miner stands are passed by; a tap and back still go to one', () => {
  const state = begin(1, 3);
  expect(state.at).toBe(1);
  expect(run(state, { kind: 'skip' }).state.at).toBe(3);
  expect(run(state, { kind: 'skip' }, { kind: 'back' }).state.at).toBe(2);
  expect(run(state, { kind: 'slot', at: 0 })).toMatchObject({ state: { at: 0 }, effects: [{ kind: 'show' }] });
  expect(run(state, { kind: 'slot', at: 4 }).state).toBe(state);
  expect(begin(1, 2, 3, 4).isOver).toBe(true);
  expect(run(begin(1, 2, 3, 4), { kind: 'back' }).state).toMatchObject({ at: 3, isOver: false });
});

test('the lit miner is tried where a person taps, and its light goes out', () => {
  const lit = run(begin(), { kind: 'light' }, { kind: 'likely', candidates: CANDIDATES });
  const tapped = run(lit.state, { kind: 'slot', at: 2 });
  expect(tapped.effects).toMatchObject([
    { kind: 'light', candidate: { id: 'm8' }, on: false },
    { kind: 'try', wanted: { miner: 'm8', by: 'light' }, slot: { position: 3 } },
  ]);
  const { state } = run(tapped.state, { kind: 'placed', changeId: 'change', moves: [comes(8, 3)] });
  expect(state).toMatchObject({ at: 3, placed: [{ at: 2, id: 'm8' }] });
});

test('lights end when a person ends them, and nothing else is done meanwhile', () => {
  const lit = run(begin(), { kind: 'light' }, { kind: 'likely', candidates: CANDIDATES });
  expect(run(lit.state, { kind: 'skip' })).toEqual({ state: lit.state, effects: [] });
  const ended = run(lit.state, { kind: 'stop-lights' });
  expect(kinds(ended)).toEqual(['light', 'show']);
  expect(ended.state.phase).toEqual({ kind: 'slot' });
  expect(run(begin(), { kind: 'stop-lights' }).effects).toEqual([]);
});

test('a tap answers no question, and a slot that is held asks with both addresses', () => {
  const wanted = { miner: 'm9', by: 'button' } as const;
  const goes: Move = { id: 'm1', ip: '10.0.0.1', before: { rack: 'C03', position: 1 }, after: NOWHERE };
  const asked = run(begin(1), { kind: 'slot', at: 0 }, { kind: 'tried', wanted, moves: [comes(9, 1), goes] });
  expect(asked.state.phase).toMatchObject({ question: { kind: 'held', comes: '10.0.0.9', ip: '10.0.0.1' } });
  expect(run(asked.state, { kind: 'slot', at: 3 }).state).toBe(asked.state);
});
