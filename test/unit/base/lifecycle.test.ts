// A round does its step every so often, outlives a failure of it, and ends with its part.
import { expect, test } from 'vitest';
import { createRound } from '../../../src/base/lifecycle.ts';
import { silentLog } from '../../../src/base/log.ts';
import { createVirtualClock } from '../../support/virtual-clock.ts';

const EVERY_MS = 1_000;

test('a step is done every so often until the part stops', async () => {
  const clock = createVirtualClock();
  let steps = 0;
  const round = createRound('counting', EVERY_MS, () => void steps++, clock, silentLog);
  expect(round.name).toBe('counting');
  await clock.advance(3 * EVERY_MS);
  expect(steps).toBe(0);
  round.start();
  await clock.advance(3 * EVERY_MS);
  expect(steps).toBeGreaterThanOrEqual(3);
  await round.stop();
  const atStop = steps;
  await clock.advance(3 * EVERY_MS);
  expect(steps).toBe(atStop);
  expect(clock.pending()).toBe(0);
});

test('a step that fails is logged with its cause, and done again', async () => {
  const clock = createVirtualClock();
  const errors: unknown[] = [];
  let steps = 0;
  const step = async () => {
    if (++steps === 1) throw new Error('no disk');
  };
  const log = { ...silentLog, error: (fields: object, message: string) => void errors.push([fields, message]) };
  const round = createRound('writing', EVERY_MS, step, clock, log);
  round.start();
  await clock.advance(3 * EVERY_MS);
  await round.stop();
  expect(steps).toBeGreaterThan(1);
  expect(errors).toEqual([[{ error: expect.stringContaining('no disk') }, 'writing failed']]);
});

test('a part that stops waits for the step that is under way', async () => {
  const clock = createVirtualClock();
  const { promise, resolve } = Promise.withResolvers<void>();
  const round = createRound('waiting', EVERY_MS, () => promise, clock, silentLog);
  round.start();
  await clock.advance(2 * EVERY_MS);
  let hasStopped = false;
  const stopped = round.stop().then(() => {
    hasStopped = true;
  });
  await clock.settle();
  expect(hasStopped).toBe(false);
  resolve();
  await stopped;
});
