// When the time of the page moves on.
import { expect, it } from 'vitest';
import { createTicker } from '../../../src/page/ticker.ts';

/** Time passes when the test says so. */
function ticking({ isShown = true } = {}) {
  let nowMs = 0;
  let due: { readonly atMs: number; readonly work: () => void } | undefined;
  const ticks: number[] = [];
  const shown = { is: isShown };
  const ticker = createTicker({
    after(ms, work) {
      const own = { atMs: nowMs + ms, work };
      due = own;
      return () => {
        if (due === own) due = undefined;
      };
    },
    isShown: () => shown.is,
    tick: () => ticks.push(nowMs),
  });
  const pass = (ms: number) => {
    const endMs = nowMs + ms;
    while (due !== undefined && due.atMs <= endMs) {
      const { atMs, work } = due;
      due = undefined;
      nowMs = atMs;
      work();
    }
    nowMs = endMs;
  };
  ticker.start();
  return { ticker, ticks, pass, shown };
}

it('moves once a second', () => {
  const { ticks, pass } = ticking();
  pass(3_500);
  expect(ticks).toEqual([1_000, 2_000, 3_000]);
});

it('moves with news, and not beside it, also where it is a little late', () => {
  const { ticker, ticks, pass } = ticking();
  for (const ms of [700, 1_000, 1_300, 900]) {
    pass(ms);
    ticker.news();
  }
  expect(ticks).toEqual([700, 1_700, 3_000, 3_900]);
});

it('moves by itself again when no news comes any more', () => {
  const { ticker, ticks, pass } = ticking();
  pass(200);
  ticker.news();
  pass(4_000);
  expect(ticks).toEqual([200, 1_700, 2_700, 3_700]);
});

it('rests while the page is hidden, and moves when it is shown', () => {
  const { ticks, pass, shown } = ticking({ isShown: false });
  pass(5_000);
  expect(ticks).toEqual([]);
  shown.is = true;
  pass(1_000);
  expect(ticks).toEqual([6_000]);
});
