// The steps of a walk along a rack, without a terminal and without a service.
import { describe, expect, test } from 'vitest';
import type { RackDetail } from '../../../src/cli/locations/location-service.ts';
import { type Effect, opening, step, type WalkEvent } from '../../../src/cli/locations/walk/steps.ts';
import { likelyMiners } from '../../../src/model/locations/walk/likely.ts';
import { beginWalk, type WalkOptions, type WalkState } from '../../../src/model/locations/walk/state.ts';

type Slot = RackDetail['slots'][number];
const occupant = (n: number) => ({
  ...{ id: `00000000-0000-7000-8000-00000000000${n}`, ip: `10.0.0.${n}`, mac: '', serial_number: null, model: null },
});
const slot = (position: number, holder?: number): Slot => ({
  ...{ position, label: `C03-${position}`, row: 1, column: position },
  miner: holder === undefined ? null : occupant(holder),
});
const SHAPE = { rows: 1, columns: 3, first: 'top-left', direction: 'rows', serpentine: false } as const;

function begin(slots: readonly Slot[], options: WalkOptions = {}): WalkState {
  const state = beginWalk({ name: 'C03', shape: SHAPE, slots: [...slots] }, options);
  if (state === undefined) throw new Error('no walk');
  return state;
}

const nowhere = { rack: null, position: null };
const at = (position: number) => ({ rack: 'C03', position });
const move = (n: number, before: { rack: string | null; position: number | null }, after: typeof before) => ({
  ...{ id: occupant(n).id, ip: `10.0.0.${n}`, before, after },
});

/** The state after all events, and the effects of the last one. */
function run(state: WalkState, ...events: readonly WalkEvent[]): { state: WalkState; effects: readonly Effect[] } {
  return events.reduce<{ state: WalkState; effects: readonly Effect[] }>((before, event) => step(before.state, event), {
    state,
    effects: [],
  });
}
const typed = (text: string): WalkEvent => ({ kind: 'typed', text });
const wanted = (n: number, by: 'typed' | 'button' | 'light' = 'typed') => ({
  ...{ miner: by === 'typed' ? `10.0.0.${n}` : occupant(n).id, by },
});
const tried = (n: number, ...moves: ReturnType<typeof move>[]): WalkEvent => ({
  ...{ kind: 'tried', wanted: wanted(n), moves },
});
const placed = (...moves: ReturnType<typeof move>[]): WalkEvent => ({ kind: 'placed', changeId: 'change', moves });
const said = (effects: readonly Effect[]) => effects.flatMap((effect) => (effect.kind === 'say' ? [effect.text] : []));
const kinds = (effects: readonly Effect[]) => effects.map(({ kind }) => kind);

const EMPTY = [slot(1), slot(2), slot(3)];

test('a miner that is typed is tried, placed at once, and the next slot is shown', () => {
  const state = begin(EMPTY);
  expect(opening(state)).toMatchObject([{ kind: 'show', slot: { label: 'C03-1' } }]);
  const asked = run(state, typed(' 10.0.0.5 '));
  expect(asked.effects).toMatchObject([{ kind: 'try', wanted: wanted(5), slot: { position: 1 } }]);
  const sent = run(asked.state, tried(5, move(5, nowhere, at(1))));
  expect(sent.effects).toMatchObject([{ kind: 'place', wanted: wanted(5), slot: { position: 1 } }]);
  const done = run(sent.state, placed(move(5, nowhere, at(1))));
  expect(done.effects).toMatchObject([
    { kind: 'report', slot: { label: 'C03-1' }, placed: { ip: '10.0.0.5' } },
    { kind: 'show', slot: { label: 'C03-2' } },
  ]);
  expect(done.state.slots.map(({ holder }) => holder)).toEqual(['10.0.0.5', null, null]);
});

test('after the last slot the walk is over', () => {
  const { state, effects } = run(
    begin([slot(1)]),
    typed('x'),
    tried(5, move(5, nowhere, at(1))),
    placed(move(5, nowhere, at(1))),
  );
  expect([state.isOver, kinds(effects)]).toEqual([true, ['report']]);
  expect(run(begin(EMPTY), typed('s'), typed('skip'), typed('s')).state).toMatchObject({ isOver: true, skipped: 3 });
  expect(run(begin(EMPTY), typed('q')).state.isOver).toBe(true);
});

describe('a slot that is held', () => {
  const state = begin([slot(1, 9), slot(2), slot(3)]);
  const swap = [move(5, at(7), at(1)), move(9, at(1), at(7))] as const;

  test('is swapped only after a yes', () => {
    const asked = run(state, typed('10.0.0.5'), tried(5, ...swap));
    expect(said(asked.effects)).toEqual(['C03-1 is held by 10.0.0.9, which would go to C03-7: swap? y or n']);
    expect(said(run(asked.state, typed('10.0.0.6')).effects)).toEqual(['y or n?']);
    expect(kinds(run(asked.state, typed('n')).effects)).toEqual(['show']);
    const yes = run(asked.state, typed('Y'));
    expect(yes.effects).toMatchObject([{ kind: 'place', wanted: wanted(5) }]);
    expect(run(yes.state, placed(...swap)).state.slots[0]?.holder).toBe('10.0.0.5');
  });

  test('by the same miner is as it is', () => {
    const { effects, state: next } = run(state, typed('10.0.0.9'), tried(9));
    expect([said(effects), next.at]).toEqual([['10.0.0.9 stands there already'], 1]);
  });

  test('is left out where only empty ones are wanted', () => {
    expect(begin([slot(1, 9), slot(2), slot(3)], { isEmptyOnly: true }).slots.map(({ position }) => position)).toEqual([
      2, 3,
    ]);
    expect(begin(EMPTY, { from: 3 }).slots.map(({ position }) => position)).toEqual([3]);
  });
});

test('undo goes back to the slot of the last miner, again and again', () => {
  const one = [typed('a'), tried(5, move(5, nowhere, at(1))), placed(move(5, nowhere, at(1)))];
  const two = [typed('b'), tried(6, move(6, nowhere, at(2))), placed(move(6, nowhere, at(2)))];
  const both = run(begin(EMPTY), ...one, ...two);
  const asked = run(both.state, typed('u'));
  expect(asked.effects).toEqual([{ kind: 'undo', changeId: 'change' }]);
  const back = run(asked.state, { kind: 'undone', moves: [move(6, at(2), nowhere)] });
  expect(back.state).toMatchObject({ at: 1, phase: { kind: 'slot' } });
  expect(said(back.effects)).toEqual(['10.0.0.6 is back: no rack']);
  const first = run(back.state, typed('u'), { kind: 'undone', moves: [move(5, at(1), nowhere)] });
  expect([first.state.at, first.state.placed]).toEqual([0, []]);
  expect(said(run(first.state, typed('u')).effects)).toEqual(['nothing was placed yet']);
});

test('what the service refuses is said, and the slot is asked for again', () => {
  const { state, effects } = run(begin(EMPTY), typed('nobody'), { kind: 'refused', message: 'no such miner' });
  expect([kinds(effects), said(effects), state.at]).toEqual([['say', 'show'], ['no such miner'], 0]);
});

describe('a button', () => {
  test('places its miner, and a second report of it does not place it once more', () => {
    const pressed: WalkEvent = { kind: 'button', miner: occupant(5).id };
    const asked = run(begin(EMPTY), pressed);
    expect(asked.effects).toMatchObject([{ kind: 'try', wanted: wanted(5, 'button') }]);
    const done = run(asked.state, tried(5, move(5, nowhere, at(1))), placed(move(5, nowhere, at(1))));
    expect(run(done.state, pressed)).toEqual({ state: done.state, effects: [] });
  });

  test('changes nothing while the service is asked or a question is open', () => {
    const pressed: WalkEvent = { kind: 'button', miner: occupant(6).id };
    const busy = run(begin(EMPTY), typed('10.0.0.5'));
    expect(run(busy.state, pressed)).toEqual({ state: busy.state, effects: [] });
    const held = run(begin([slot(1, 9)]), typed('x'), tried(5, move(5, nowhere, at(1)), move(9, at(1), nowhere)));
    expect(run(held.state, pressed).state).toEqual(held.state);
  });
});

test('a miner that this walk has placed is moved only after a yes', () => {
  const first = run(begin(EMPTY), typed('a'), tried(5, move(5, nowhere, at(1))), placed(move(5, nowhere, at(1))));
  const asked = run(first.state, typed('a'), tried(5, move(5, at(1), at(2))));
  expect(said(asked.effects)).toEqual(['10.0.0.5 was put at C03-1 before: move it to C03-2? y or n']);
});

describe('light', () => {
  const candidates = [5, 6].map((n) => ({ id: occupant(n).id, ip: `10.0.0.${n}` }));
  const lit = run(begin(EMPTY), typed('light'), { kind: 'likely', candidates });

  test('goes on at the likeliest, and a yes places it and switches the light off', () => {
    expect(lit.effects).toMatchObject([{ kind: 'light', on: true, candidate: { ip: '10.0.0.5' } }, { kind: 'say' }]);
    const yes = run(lit.state, typed('y'));
    expect(yes.effects).toMatchObject([
      { kind: 'light', on: false, candidate: { ip: '10.0.0.5' } },
      { kind: 'try', wanted: wanted(5, 'light') },
    ]);
  });

  test('goes on at the next after a no, or where it cannot be switched, until none is left', () => {
    const no = run(lit.state, typed('n'));
    expect(no.effects).toMatchObject([
      { on: false, candidate: { ip: '10.0.0.5' } },
      { on: true, candidate: { ip: '10.0.0.6' } },
      {},
    ]);
    const cannot = run(lit.state, { kind: 'lit', problem: 'cannot do this' });
    expect(said(cannot.effects)[0]).toBe('10.0.0.5: cannot do this');
    const none = run(no.state, typed('n'));
    expect([none.state.phase.kind, said(none.effects)]).toEqual([
      'slot',
      [expect.stringContaining('no miner without a location')],
    ]);
    expect(run(lit.state, { kind: 'lit', problem: null }).state).toEqual(lit.state);
  });

  test('goes off when the walk ends, or a button says which it is', () => {
    expect(run(lit.state, typed('q')).effects).toMatchObject([{ kind: 'light', on: false }]);
    const pressed = run(lit.state, { kind: 'button', miner: occupant(7).id });
    expect(kinds(pressed.effects)).toEqual(['light', 'try']);
  });
});

test('a rack without a shape needs the number of its slots', () => {
  const rack = { name: 'C03', shape: null, slots: [slot(2, 9)] };
  expect(beginWalk(rack, {})).toBeUndefined();
  expect(beginWalk(rack, { slotCount: 3 })?.slots.map(({ label, holder }) => [label, holder])).toEqual([
    ['C03-1', null],
    ['C03-2', '10.0.0.9'],
    ['C03-3', null],
  ]);
});

test('likely are those of the rack without a position, then the addresses that follow', () => {
  const miner = (n: number, rack: string | null = null, position: number | null = null) => ({
    ...{ ...occupant(1), id: String(n), ip: `10.0.0.${n}` },
    ...{ container: null, rack, position },
  });
  const miners = [miner(1), miner(2), miner(6), miner(7), miner(8, 'C03'), miner(9, 'C03', 2), miner(10, 'C04')];
  const state = { rack: 'C03', placed: [{ at: 0, changeId: '', ip: '10.0.0.5', id: '5' }] };
  expect(likelyMiners(state, miners).map(({ ip }) => ip)).toEqual([
    '10.0.0.8',
    '10.0.0.6',
    '10.0.0.7',
    '10.0.0.2',
    '10.0.0.1',
  ]);
});
