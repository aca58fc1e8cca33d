// The board as it travels: what comes out is what went in, and a reader that is told changes has the same rows as one
// that asks for all.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { BoardMiner } from '../../../src/model/board/board-miner.ts';
import { BoardRows } from '../../../src/model/board/board-rows.ts';
import { parseSelector, type SelectableMiner, select } from '../../../src/model/selector/selector.ts';
import { answerBoard, type BoardRequest } from '../../../src/wire/api/board/answer.ts';
import { type Board, decodeBoard } from '../../../src/wire/api/board/codec.ts';
import { boardSchema, LACKS } from '../../../src/wire/api/board/messages.ts';
import { BoardReader } from '../../../src/wire/api/board/reader.ts';
import { anyMiner, boardMiner, NOW_MS } from '../model/board/board-miners.ts';

const HOUR_MS = 3_600_000;

function answer(rows: BoardRows, request: BoardRequest, atMs = NOW_MS, lacks: (typeof LACKS)[number][] = []) {
  const outcome = answerBoard({ epoch: 'e', rows, atMs, lacks }, { with_keys: true, ...request });
  if (outcome.kind !== 'ok') throw new Error(JSON.stringify(outcome));
  return boardSchema.parse(JSON.parse(JSON.stringify(outcome.board)));
}

const rowsOf = (miners: readonly SelectableMiner[]) => {
  const rows = new BoardRows();
  rows.takeAll(miners, NOW_MS);
  return rows;
};
const shown = ({ serials: _, pools: __, workers: ___, ...miner }: SelectableMiner): BoardMiner => miner;
const byId = (a: BoardMiner, b: BoardMiner) => (a.id < b.id ? -1 : 1);
const minersOf = (board: Board | undefined) => (board?.miners ?? []).toSorted(byId);

const IDS = ['0197a000-0000-7000-8000-000000000001', 'key 2', '=3', '0197a000-0000-7000-8000-000000000004'];
const farm = fc
  .subarray(IDS)
  .chain((ids) => fc.tuple(...ids.map(anyMiner)))
  .map((miners): readonly SelectableMiner[] => miners);

it('gives back the rows that went in, whatever is in them', () => {
  fc.assert(
    fc.property(farm, (miners) => {
      const board = decodeBoard(answer(rowsOf(miners), {}));
      expect(minersOf(board)).toEqual(miners.map(shown).toSorted(byId));
    }),
  );
});

const SELECTORS = [
  ...['', 'flag:fan', 'not flag:fan', 'state:missing', 'state:new', 'not state:silent', 'SN1', 'not SN1'],
  ...['02:AA:00:00:00:01 state:ill', '10.0.0.0/8,SN2'],
];

it('tells a reader who comes back the same as one who comes for the first time', () => {
  const step = fc.record({ miners: farm, passedMs: fc.integer({ min: 0, max: 2 * HOUR_MS }), isRead: fc.boolean() });
  fc.assert(
    fc.property(fc.array(step, { minLength: 1, maxLength: 6 }), fc.constantFrom(...SELECTORS), (steps, wanted) => {
      const rows = new BoardRows();
      let atMs = NOW_MS;
      let board: Board | undefined;
      for (const { miners, passedMs, isRead } of [
        ...steps,
        { miners: steps[0]?.miners ?? [], passedMs: 1, isRead: true },
      ]) {
        atMs += passedMs;
        rows.takeAll(miners, atMs);
        if (!isRead) continue;
        const since = board && { epoch: board.epoch, since: board.seq };
        board = decodeBoard(answer(rows, { select: wanted, ...since }, atMs), board);
        const read = parseSelector(wanted);
        const expected = read.kind === 'ok' ? select(read.selector, miners, atMs).miners : [];
        expect(minersOf(board)).toEqual(expected.map(shown).toSorted(byId));
      }
    }),
    { numRuns: 300 },
  );
});

it('keeps for a reader each miner by its id, whatever came and went', () => {
  fc.assert(
    fc.property(fc.array(farm, { minLength: 1, maxLength: 6 }), fc.boolean(), (farms, isAnew) => {
      const rows = new BoardRows();
      const reader = new BoardReader();
      for (const miners of farms) {
        rows.takeAll(miners, NOW_MS);
        const since = isAnew || reader.epoch === '' ? {} : { epoch: reader.epoch, since: reader.seq };
        expect(reader.apply(answer(rows, since)).kind).toBe('rows');
        const all = [...reader.rows.values()];
        expect(all.toSorted(byId)).toEqual(miners.map(shown).toSorted(byId));
        for (const id of IDS) expect(reader.minerOf(id)).toBe(all.find((miner) => miner.id === id));
      }
    }),
  );
});

describe('what has changed', () => {
  const rows = rowsOf([1, 2, 3].map((n) => boardMiner(n)));
  const first = answer(rows, {});

  it('is without facts where these are as they were, and with them where not', () => {
    rows.takeAll([boardMiner(1), boardMiner(2, { tempC: 70 }), boardMiner(3, { rack: 'C03' })], NOW_MS);
    const { is_snapshot, columns, facts } = answer(rows, { epoch: 'e', since: first.seq });
    expect([is_snapshot, columns.row, facts.row]).toEqual([false, [2, 3], [3]]);
  });

  it('is all again for another epoch, and for a number that this one never had', () => {
    expect(answer(rows, { epoch: 'other', since: first.seq }).is_snapshot).toBe(true);
    expect(answer(rows, { epoch: 'e', since: 1_000 }).is_snapshot).toBe(true);
    expect(answer(rows, { epoch: 'e' }).is_snapshot).toBe(true);
  });

  it('does not fit a reader that lacks the row, or has another epoch', () => {
    const later = answer(rows, { epoch: 'e', since: first.seq });
    const nothing = { epoch: 'e', seq: 0, atMs: 0, unmatched: [], lacks: [], miners: [], rows: new Map() };
    expect(() => decodeBoard(later)).toThrow('not asked for');
    expect(() => decodeBoard(later, nothing)).toThrow('its row 2 lacks a part');
    expect(() => decodeBoard({ ...later, epoch: 'f' }, decodeBoard(first))).toThrow('not asked for');
    expect(decodeBoard(later, decodeBoard(first)).miners).toHaveLength(3);
  });
});

it('says which words fit no miner, what is wrong, and what an agent alone does not know', () => {
  const rows = rowsOf([boardMiner(1, { serials: ['A'] }), boardMiner(2, { serials: ['A'] })]);
  const { columns, unmatched } = answer(rows, { select: '10.0.0.1,10.0.0.9,A' });
  expect([columns.row, unmatched.map(({ text }) => text)]).toEqual([[1], ['10.0.0.9', 'A']]);
  const state = { epoch: 'e', rows, atMs: NOW_MS, lacks: [...LACKS] };
  expect(answerBoard(state, { select: 'flag:fam' })).toMatchObject({ kind: 'wrong', problems: [expect.any(String)] });
  expect(answerBoard(state, { select: 'not rack:C03' })).toEqual({ kind: 'lacking', word: 'rack:C03' });
  expect(answerBoard(state, { select: 'state:ill,maintenance' })).toEqual({
    kind: 'lacking',
    word: 'state:maintenance',
  });
  expect(answerBoard({ ...state, lacks: [] }, { select: 'rack:C03' })).toMatchObject({ kind: 'ok' });
});

it('does not take columns of different lengths, or an index that leads nowhere', () => {
  const message = answer(rowsOf([boardMiner(1)]), {});
  expect(() => decodeBoard({ ...message, columns: { ...message.columns, power: [] } })).toThrow('different lengths');
  expect(() => decodeBoard({ ...message, facts: { ...message.facts, kind: [7] } })).toThrow('lacks a part');
  expect(() => decodeBoard({ ...message, columns: { ...message.columns, flag: [7] } })).toThrow('lacks a part');
});
