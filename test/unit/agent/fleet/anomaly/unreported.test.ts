// A flag outlasts the value that raised it: a part that no longer reports the value is not cleared by that.
import { expect, test } from 'vitest';
import type { BoardReading } from '../../../../../src/model/reading.ts';
import { type Change, createBench, put } from './fixture.ts';

const second =
  (change: (board: BoardReading) => BoardReading): Change =>
  (reading) =>
    put({ boards: (reading.boards ?? []).map((board) => (board.slot === 1 ? change(board) : board)) })(reading);

test.each<[string, Change, Change, string]>([
  [
    'the temperature of a hot chip',
    second((board) => ({ ...board, chipTempMaxC: 99 })),
    second(({ chipTempMaxC: _, ...board }) => board),
    'temperature',
  ],
  [
    'the sensors of a hot board',
    second((board) => ({ ...board, boardTempsC: [88] })),
    second((board) => ({ ...board, boardTempsC: [] })),
    'temperature',
  ],
  [
    'the rate of a dead board',
    second((board) => ({ ...board, hashrateHs: 0 })),
    second(({ hashrateHs: _, ...board }) => board),
    'hashboard',
  ],
])('%s that is told no more', (_, bad, untold, type) => {
  const bench = createBench();
  bench.polls(5);
  bench.polls(4, bad);
  expect(bench.types()).toEqual([type]);
  const { since } = bench.judgement?.flags[0] ?? {};
  bench.polls(20, untold);
  expect(bench.judgement?.flags).toMatchObject([{ type, since }]);
  // What is not told again for long is forgotten.
  bench.polls(12, untold);
  expect(bench.types()).toEqual([]);
  const well = createBench();
  well.polls(5);
  well.polls(4, bad);
  well.polls(4, untold);
  well.polls(3);
  expect(well.types()).toEqual([]);
});
