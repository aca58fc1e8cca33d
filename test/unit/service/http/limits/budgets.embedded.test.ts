// What workspaces may spend: a minute's worth at once, it grows back, other copies' spending counts, and nothing is
// kept of workspaces that have all their points.
import { expect, test } from 'vitest';
import { createBudgets } from '../../../../../src/service/http/limits/budgets.ts';
import { actualCost, estimatedCost, isLarge } from '../../../../../src/service/http/limits/cost.ts';
import { shareBudgets } from '../../../../../src/service/http/limits/shared-budgets.ts';
import { createVirtualClock } from '../../../../support/virtual-clock.ts';

const [A, B] = ['019a0000-0000-7000-8000-00000000000a', '019a0000-0000-7000-8000-00000000000b'];

test('a minute of points goes at once, and comes back over a minute; each workspace has its own', async () => {
  const clock = createVirtualClock();
  const budgets = createBudgets(clock, 60);
  expect(budgets.balance(A)).toEqual({ left: 60, resetS: 0 });
  expect(budgets.take(A, 50)).toEqual({ waitS: 0 });
  expect(budgets.take(A, 20)).toEqual({ waitS: 10 });
  expect(budgets.balance(A)).toEqual({ left: 10, resetS: 50 });
  expect(budgets.take(B, 60)).toEqual({ waitS: 0 });
  await clock.advance(9_999);
  expect(budgets.take(A, 20)).toEqual({ waitS: 1 });
  await clock.advance(1);
  expect(budgets.take(A, 20)).toEqual({ waitS: 0 });
  await clock.advance(600_000);
  expect(budgets.balance(A)).toEqual({ left: 60, resetS: 0 });
});

test('what costs more than a whole minute goes when the minute is whole, and is paid for after it', async () => {
  const clock = createVirtualClock();
  const budgets = createBudgets(clock, 60);
  expect(budgets.take(A, 90)).toEqual({ waitS: 0 });
  expect(budgets.balance(A)).toEqual({ left: 0, resetS: 90 });
  expect(budgets.take(A, 1)).toEqual({ waitS: 31 });
  await clock.advance(31_000);
  expect(budgets.take(A, 1)).toEqual({ waitS: 0 });
  expect(budgets.take(A, 90)).toEqual({ waitS: 60 });
});

test('a correction takes more or gives back, never more than there is room for', () => {
  const budgets = createBudgets(createVirtualClock(), 60);
  budgets.take(A, 50);
  budgets.correct(A, -49);
  expect(budgets.balance(A).left).toBe(59);
  budgets.correct(A, 1_000);
  expect(budgets.balance(A)).toEqual({ left: 0, resetS: 120 });
  budgets.correct(B, -1_000);
  expect(budgets.balance(B).left).toBe(60);
});

test('copies report what was spent once, and their own reports do not count again', () => {
  const clock = createVirtualClock();
  const copies = [createBudgets(clock, 60), createBudgets(clock, 60)] as const;
  const sent: string[] = [];
  const ids = ['019a0000-0000-7000-8000-0000000000c1', '019a0000-0000-7000-8000-0000000000c2'];
  const sharing = copies.map((budgets, index) => shareBudgets(budgets, ids[index] ?? '', (text) => sent.push(text)));
  copies[0].take(A, 40);
  copies[0].correct(A, -10);
  copies[1].take(B, 5);
  for (const one of sharing) one.report();
  for (const one of sharing) one.report();
  expect(sent).toHaveLength(2);
  for (const text of sent) expect(text).toMatch(/^\S{1,100}$/);
  for (const text of [...sent, 'nonsense', `${ids[0]}:${A}:-5`]) for (const one of sharing) one.onSpent(text);
  for (const budgets of copies) expect([budgets.balance(A).left, budgets.balance(B).left]).toEqual([30, 55]);
});

test.each([
  [{ query: {}, body: undefined }, 1, false],
  [{ query: { pageSize: 10 }, body: undefined }, 1, false],
  [{ query: { page_size: 199 }, body: null }, 2, false],
  [{ query: { page_size: 200 }, body: null }, 3, true],
  [{ query: { page_size: 1_000 }, body: undefined }, 11, true],
  [{ query: {}, body: { limit: 10_000 } }, 101, true],
  [{ query: { limit: 'x' }, body: [1] }, 1, false],
])('%j costs %d before the work; large: %j', (asked, cost, large) => {
  expect([estimatedCost(asked), isLarge(asked)]).toEqual([cost, large]);
});

test('after the work the bytes of the answer count', () => {
  expect([0, 199_999, 200_000, 20_000_000].map(actualCost)).toEqual([1, 1, 2, 101]);
});
