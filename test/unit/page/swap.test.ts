// Who may be two units of one chassis: one that is silent and one that answers and stands nowhere yet, the likeliest
// first.
import { expect, it } from 'vitest';
import { swapCandidates, swapSideOf } from '../../../src/page/model/field/swap.ts';
import { boardMiner, NOW_MS } from '../model/board/board-miners.ts';

const placed = { rack: 'C03', position: 1 };
const silent = { isOnline: false, seenAtMs: NOW_MS - 600_000 };

it.each([
  ['answers where it stands', placed, undefined],
  ['answers and stands nowhere', {}, 'unit'],
  ['is new, though it has a place', { ...placed, createdAtMs: NOW_MS - 1_000 }, 'unit'],
  ['is silent', { ...placed, ...silent }, 'old'],
  ['hangs, and so is there', { ...placed, ...silent, isHung: true }, undefined],
  ['is of a silent agent', { ...silent, isUnknown: true }, undefined],
  ['is retired', { ...silent, opsStatus: 'retired' as const }, undefined],
  ['is in maintenance', { ...silent, opsStatus: 'maintenance' as const }, 'old'],
])('one that %s', (_, with_, side) => {
  expect(swapSideOf(boardMiner(1, with_), NOW_MS)).toBe(side);
});

it('has the other side as candidates, of the same model and with a place first', () => {
  const unit = boardMiner(9, { createdAtMs: NOW_MS });
  const others = [
    boardMiner(1, { ...silent, model: 'M50' }),
    boardMiner(2, silent),
    boardMiner(3, { ...silent, ...placed }),
    boardMiner(4, { ...silent, ...placed, model: 'M50' }),
    boardMiner(5, placed),
  ];
  expect(swapCandidates(unit, [unit, ...others], NOW_MS).map(({ ip }) => ip)).toEqual([
    ...['10.0.0.3', '10.0.0.2', '10.0.0.4', '10.0.0.1'],
  ]);
});

it('of a silent one has new units first, and of one that stands well none', () => {
  const old = boardMiner(3, { ...silent, ...placed });
  const units = [boardMiner(1), boardMiner(2, { createdAtMs: NOW_MS })];
  expect(swapCandidates(old, [old, ...units], NOW_MS).map(({ ip }) => ip)).toEqual(['10.0.0.2', '10.0.0.1']);
  expect(swapCandidates(boardMiner(7, placed), [old, ...units], NOW_MS)).toEqual([]);
});
