// What is left to do after a step of the clock, and how two steps become one. That the store is carried over is
// test/fault and clock-repairs.
import { expect, test } from 'vitest';
import { ALL_SEE_MS, joinedMs, type TakenStep, workLeft } from '../../../src/service/clock-carrier.ts';

const back = { fromMs: 10_000, toMs: 4_000 };
const taken = (byMs: number, isCarried: boolean): TakenStep => ({ byMs, atElapsedMs: 0, isCarried, isOurs: true });

test('a step while an earlier one is not carried over makes one step with it', () => {
  expect(joinedMs(back, undefined)).toBe(-6_000);
  expect(joinedMs(back, taken(-1_000, false))).toBe(-7_000);
  expect(joinedMs(back, taken(8_000, false))).toBe(2_000);
  expect(joinedMs(back, taken(-1_000, true))).toBe(-6_000);
});

test('a step back is carried over at once by a single service, by copies when all have seen it', () => {
  expect(workLeft(taken(-6_000, false), 0, false)).toBe('carry');
  expect(workLeft(taken(-6_000, false), ALL_SEE_MS - 1, true)).toBe('wait');
  expect(workLeft(taken(-6_000, false), ALL_SEE_MS, true)).toBe('carry');
});

test('stragglers are carried over when every copy goes by the new time', () => {
  expect(workLeft(taken(6_000, true), ALL_SEE_MS - 1, false)).toBe('wait');
  expect(workLeft(taken(6_000, true), ALL_SEE_MS, false)).toBe('stragglers');
});
