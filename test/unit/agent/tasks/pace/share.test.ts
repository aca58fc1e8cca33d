// Bounds as a number or a share of the farm: how they are written, and what they come to.
import { expect, test } from 'vitest';
import { minersAtOnce, startingKw } from '../../../../../src/agent/tasks/pace/share.ts';
import { taskSettingsSchema } from '../../../../../src/agent/tasks/settings.ts';

const read = (concurrency: unknown) => taskSettingsSchema.safeParse({ pools: { concurrency } });

test.each([
  [7, 7],
  ['5 %', { share: 0.05 }],
  ['12.5%', { share: 0.125 }],
  [' 100 % ', { share: 1 }],
])('%j is taken', (written, meant) => {
  expect(read(written).data?.pools.concurrency).toEqual(meant);
});

test.each([0, 1_001, 1.5])('%j is out of bounds', (written) => {
  expect(read(written).error?.issues[0]?.path).toEqual(['pools', 'concurrency']);
});

test.each(['5', '0 %', '101 %', '-5 %', 'five %', null])('%j is refused, with what is accepted', (written) => {
  const [issue] = read(written).error?.issues ?? [];
  expect(issue?.path).toEqual(['pools', 'concurrency']);
  expect(issue?.message).toBe("accepted: a whole number, 1 to 1000, or a share such as '5 %'");
});

test('a share of a small farm is not none, and of a huge one not all; a number is as it is written', () => {
  const share = { share: 0.05 };
  expect([0, 30, 500, 2_000, 25_000].map((miners) => minersAtOnce(share, miners))).toEqual([5, 5, 25, 100, 200]);
  expect([0, 25_000].map((miners) => minersAtOnce(3, miners))).toEqual([3, 3]);
});

test('the power of a small farm may still start twenty miners at once', () => {
  const share = { share: 0.05 };
  expect([0, 100_000, 6_800_000].map((farmW) => startingKw(share, farmW))).toEqual([90, 90, 340]);
  expect(startingKw(12, 6_800_000)).toBe(12);
});
