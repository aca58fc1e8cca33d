// The clock that other tests trust must itself be true.
import { expect, test } from 'vitest';
import { createVirtualClock } from '../../support/virtual-clock.ts';

test('due timers run in order of time, then of setting, and never before their time', async () => {
  const clock = createVirtualClock();
  const startMs = clock.monotonicMs();
  const seen: [string, number][] = [];
  const note = (name: string) => () => seen.push([name, clock.monotonicMs() - startMs]);
  clock.after(30, note('c'));
  clock.after(10, note('a'));
  clock.after(10, note('b'));
  clock.after(31, note('late'));
  await clock.advance(30);
  expect(seen).toEqual([
    ['a', 10],
    ['b', 10],
    ['c', 30],
  ]);
  expect(clock.pending()).toBe(1);
});

test('what a timer sets off settles before the next instant, timers set on the way included', async () => {
  const clock = createVirtualClock();
  const seen: string[] = [];
  const run = async () => {
    for (let i = 0; i < 3; i++) {
      await clock.sleep(10);
      seen.push(`sleep ${i}`);
    }
  };
  const done = run();
  clock.after(15, () => seen.push('timer at 15'));
  await clock.advance(30);
  await done;
  expect(seen).toEqual(['sleep 0', 'timer at 15', 'sleep 1', 'sleep 2']);
});

test('a cancelled timer does not run and an aborted sleep leaves nothing behind', async () => {
  const clock = createVirtualClock();
  const seen: string[] = [];
  const cancel = clock.after(5, () => seen.push('cancelled'));
  cancel();
  cancel();
  const abort = new AbortController();
  const sleeping = clock.sleep(50, abort.signal).catch(() => seen.push('aborted'));
  abort.abort();
  await sleeping;
  await clock.advance(100);
  expect(seen).toEqual(['aborted']);
  expect(clock.pending()).toBe(0);
});

test('finish moves time only as far as needed and says so when nothing can settle the promise', async () => {
  const clock = createVirtualClock();
  const startMs = clock.monotonicMs();
  await clock.finish(clock.sleep(3_600_000));
  expect(clock.monotonicMs() - startMs).toBe(3_600_000);
  await expect(clock.finish(new Promise(() => {}))).rejects.toThrow(/nothing left/);
});

test('a step of the wall clock moves stamps only', () => {
  const clock = createVirtualClock();
  const monotonicMs = clock.monotonicMs();
  const nowMs = clock.nowMs();
  clock.stepWall(-86_400_000);
  expect(clock.monotonicMs()).toBe(monotonicMs);
  expect(clock.nowMs()).toBe(nowMs - 86_400_000);
});
