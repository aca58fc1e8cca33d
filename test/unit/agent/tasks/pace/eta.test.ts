// How long a batch will take: by capacity, by the power budget, by a canary; and what was learnt of durations.
import { expect, test } from 'vitest';
import { Durations, usualTimes } from '../../../../../src/agent/tasks/pace/durations.ts';
import { etaS, type PlannedTask } from '../../../../../src/agent/tasks/pace/eta.ts';

const NO_LIMIT = { limitW: Number.POSITIVE_INFINITY, windowMs: 30_000 };
const many = (count: number, task: Partial<PlannedTask> = {}): PlannedTask[] =>
  Array.from({ length: count }, () => ({ checkS: 0, holdS: 10, totalS: 10, startingW: 0, ...task }));

test('nothing takes no time', () => {
  expect(etaS([], { atOnce: 5, budget: NO_LIMIT })).toBe(0);
});

test('capacity: as many waves as are needed, the check before each counted', () => {
  expect(etaS(many(200), { atOnce: 200, budget: NO_LIMIT })).toBe(10);
  expect(etaS(many(201), { atOnce: 200, budget: NO_LIMIT })).toBe(20);
  expect(etaS(many(100, { checkS: 2 }), { atOnce: 10, budget: NO_LIMIT })).toBe(120);
});

test('a miner whose capacity is free before its proof is over holds up nobody', () => {
  expect(etaS(many(10, { holdS: 60, totalS: 300 }), { atOnce: 5, budget: NO_LIMIT })).toBe(360);
});

test('power: so much per window, whatever the capacity', () => {
  const budget = { limitW: 20_000, windowMs: 30_000 };
  const wakes = many(20, { startingW: 5_000 });
  expect(etaS(wakes, { atOnce: 1_000, budget })).toBe(4 * 30 + 10);
  expect(etaS(many(20), { atOnce: 1_000, budget })).toBe(10);
  expect(etaS(many(3, { startingW: 50_000 }), { atOnce: 1_000, budget })).toBe(70);
});

test('no window of the plan holds more power than the budget', () => {
  // Mixed draws at a tight budget take at least as long as their sum needs.
  const tasks = [3_000, 7_000, 1_000, 9_000, 2_000, 8_000].flatMap((startingW) => many(10, { startingW }));
  const s = etaS(tasks, { atOnce: 1_000, budget: { limitW: 10_000, windowMs: 30_000 } });
  expect(s).toBeGreaterThanOrEqual(((300 - 10) / 10) * 30);
  expect(s).toBeLessThanOrEqual(60 * 30);
});

test('a canary is over before the others begin', () => {
  expect(etaS(many(21), { atOnce: 20, budget: NO_LIMIT, canary: 1 })).toBe(20);
});

test('three that ended are believed: of the own driver before those of the queue, each in its turn', () => {
  const durations = new Durations();
  const usual = usualTimes('powerMode', undefined);
  const learn = (driverId: string, totalS: number) =>
    durations.learn('sleep', driverId, { checkS: 1, holdS: totalS, totalS });
  learn('whatsminer', 4);
  learn('whatsminer', 5);
  expect(durations.of('sleep', 'whatsminer', usual, 0.5)).toEqual(usual);
  learn('whatsminer', 60);
  expect(durations.of('sleep', 'whatsminer', usual, 0.5)).toEqual({ checkS: 1, holdS: 5, totalS: 5 });
  expect([0, 0.99, 1].map((at) => durations.of('sleep', 'whatsminer', usual, at).totalS)).toEqual([4, 60, 60]);
  expect(durations.of('sleep', 'avalon', usual, 0.5)).toEqual({ checkS: 1, holdS: 5, totalS: 5 });
  for (const totalS of [30, 32, 31]) learn('avalon', totalS);
  expect(durations.of('sleep', 'avalon', usual, 0.5).totalS).toBe(31);
  expect(durations.of('sleep', 'whatsminer', usual, 0.5).totalS).toBe(5);
  expect(durations.of('reboot', 'whatsminer', usual, 0.5)).toEqual(usual);
});

test('what the journal told of the length says nothing of the check', () => {
  const durations = new Durations();
  for (const totalS of [40, 40, 40]) durations.learn('reboot', 'avalon', { holdS: 20, totalS });
  expect(durations.of('reboot', 'avalon', { checkS: 1, holdS: 100, totalS: 100 }, 0.5)).toEqual({
    checkS: 1,
    holdS: 20,
    totalS: 40,
  });
});

test('only the newest count', () => {
  const durations = new Durations();
  for (let n = 0; n < 64; n++) durations.learn('reboot', 'avalon', { holdS: 600, totalS: 600 });
  for (let n = 0; n < 64; n++) durations.learn('reboot', 'avalon', { holdS: 60, totalS: 60 });
  expect(durations.of('reboot', 'avalon', usualTimes('reboot', undefined), 1).totalS).toBe(60);
});
