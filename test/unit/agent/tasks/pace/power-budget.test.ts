// The power budget by itself, on a virtual clock: what starts in any window stays within it.
import { expect, test } from 'vitest';
import { createPowerBudget } from '../../../../../src/agent/tasks/pace/power-budget.ts';
import { createVirtualClock } from '../../../../support/virtual-clock.ts';

const { signal } = new AbortController();

function budgetOf(limitW: number, recent: { ageMs: number; powerW: number }[] = []) {
  const clock = createVirtualClock();
  const startMs = clock.monotonicMs();
  const bounds = { limitW, windowMs: 30_000 };
  const budget = createPowerBudget(clock, { bounds: () => bounds, recent });
  const passed: string[] = [];
  const ask = (name: string, powerW: number, by: AbortSignal = signal) =>
    budget.pass(powerW, by).then(
      () => void passed.push(`${name} at ${(clock.monotonicMs() - startMs) / 1_000}`),
      () => void passed.push(`${name} gave up`),
    );
  return { clock, bounds, ask, passed };
}

test('small miners go in numbers where a large one goes alone, in the order in which they asked', async () => {
  const { clock, ask, passed } = budgetOf(10_000);
  for (const [name, powerW] of [
    ['a', 4_000],
    ['b', 4_000],
    ['large', 8_000],
    ['c', 1_000],
  ] as const)
    void ask(name, powerW);
  await clock.advance(90_000);
  expect(passed).toEqual(['a at 0', 'b at 0', 'large at 30', 'c at 30']);
});

test('one that is larger than the whole budget goes alone, and not never', async () => {
  const { clock, ask, passed } = budgetOf(10_000);
  for (const name of ['first', 'second']) void ask(name, 50_000);
  await clock.advance(60_000);
  expect(passed).toEqual(['first at 0', 'second at 30']);
});

test('what started in an earlier run counts with its power until its window is over', async () => {
  const { clock, ask, passed } = budgetOf(10_000, [{ ageMs: 20_000, powerW: 9_000 }]);
  void ask('small', 1_000);
  void ask('more', 2_000);
  await clock.advance(60_000);
  expect(passed).toEqual(['small at 0', 'more at 10']);
});

test('one that gives up leaves its turn to the next, which needs less', async () => {
  const { clock, ask, passed } = budgetOf(10_000);
  const giveUp = new AbortController();
  void ask('a', 6_000);
  void ask('large', 8_000, giveUp.signal);
  void ask('small', 4_000);
  await clock.advance(1_000);
  giveUp.abort();
  await clock.advance(1_000);
  expect(passed.toSorted()).toEqual(['a at 0', 'large gave up', 'small at 1']);
});

test('a budget that is raised meanwhile holds for those that wait, with the next that leaves the window', async () => {
  const { clock, bounds, ask, passed } = budgetOf(10_000);
  for (const name of ['a', 'b', 'c', 'd']) void ask(name, 10_000);
  await clock.advance(1_000);
  bounds.limitW = 30_000;
  await clock.advance(60_000);
  expect(passed).toEqual(['a at 0', 'b at 30', 'c at 30', 'd at 30']);
});
