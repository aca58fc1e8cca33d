// How fresh the page says that its miners are, how long it waits, and when it tries a socket.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  failed,
  freshnessOf,
  heard,
  isBlocked,
  type Liveness,
  mayTrySocket,
  pauseMs,
  SILENT_MS,
  START,
  tryAnew,
} from '../../../src/page/live/liveness.ts';

const ASK_MS = 5_000;
const NOW = 1_000_000;
const MINUTES_5 = 300_000;
const times = (count: number, state: Liveness, what: 'socket' | 'request', atMs = NOW) =>
  Array.from({ length: count }).reduce<Liveness>((before) => failed(before, what, atMs), state);

describe('the pause before the next try', () => {
  it.each([
    [1, 500, 1_000],
    [2, 1_000, 2_000],
    [3, 2_000, 4_000],
    [5, 8_000, 16_000],
    [6, 15_000, 30_000],
    [60, 15_000, 30_000],
    [5_000, 15_000, 30_000],
  ])('after %d failures is between %d and %d ms', (failures, least, most) => {
    const state = times(failures, START, 'request');
    expect([pauseMs(state, 0), pauseMs(state, 1)]).toEqual([least, most]);
  });

  it('lies within its bounds for any chance', () => {
    const chance = fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true });
    fc.assert(
      fc.property(fc.nat(100), chance, (failures, random) => {
        const pause = pauseMs({ ...START, failures }, random);
        expect(pause).toBeGreaterThanOrEqual(500);
        expect(pause).toBeLessThanOrEqual(30_000);
      }),
    );
  });

  it('is short again when something came', () => {
    expect(pauseMs(failed(heard(times(9, START, 'request'), 'request', NOW), 'request', NOW), 1)).toBe(1_000);
  });
});

describe('sockets', () => {
  it('are blocked after three that gave nothing, also when requests are answered in between', () => {
    let state = START;
    for (let n = 1; n <= 3; n++) {
      expect(isBlocked(state)).toBe(false);
      state = failed(heard(state, 'request', NOW), 'socket', NOW);
    }
    expect(isBlocked(state)).toBe(true);
  });

  it('are no longer blocked when one gave a frame; requests prove nothing of them', () => {
    const blocked = times(3, START, 'socket');
    expect(isBlocked(heard(blocked, 'request', NOW))).toBe(true);
    expect(isBlocked(heard(blocked, 'socket', NOW))).toBe(false);
    expect(isBlocked(times(50, START, 'request'))).toBe(false);
  });

  it('that are blocked are tried again five minutes after the last one', () => {
    const blocked = times(3, START, 'socket');
    expect([NOW, NOW + MINUTES_5 - 1, NOW + MINUTES_5].map((at) => mayTrySocket(blocked, at))).toEqual([
      false,
      false,
      true,
    ]);
    const again = failed(blocked, 'socket', NOW + MINUTES_5);
    expect(mayTrySocket(again, NOW + MINUTES_5 + 1)).toBe(false);
    expect(mayTrySocket(again, NOW + 2 * MINUTES_5)).toBe(true);
  });

  it('are tried at once where the way may be another one, and still count as blocked', () => {
    const state = tryAnew(times(3, START, 'socket'));
    expect([mayTrySocket(state, NOW), isBlocked(state)]).toEqual([true, true]);
  });
});

describe('freshness', () => {
  const fresh = (state: Liveness, agoMs: number) => freshnessOf(state, ASK_MS, NOW + agoMs);

  it('waits until something came, however much failed', () => {
    expect(fresh(START, 1e6)).toEqual({ kind: 'waiting' });
    expect(fresh(times(9, START, 'socket'), 1e6)).toEqual({ kind: 'waiting' });
  });

  it('is live for five seconds after each frame, then says since when nothing came', () => {
    const state = heard(START, 'socket', NOW);
    expect(fresh(state, SILENT_MS)).toEqual({ kind: 'live' });
    expect(fresh(state, SILENT_MS + 1)).toEqual({ kind: 'lost', sinceMs: NOW });
    expect(fresh(failed(state, 'socket', NOW), SILENT_MS + 1)).toEqual({ kind: 'lost', sinceMs: NOW });
  });

  it('of a page that asks has the time between two questions on top', () => {
    const state = heard(times(3, START, 'socket'), 'request', NOW);
    expect(fresh(state, ASK_MS + SILENT_MS)).toEqual({ kind: 'asking' });
    expect(fresh(state, ASK_MS + SILENT_MS + 1)).toEqual({ kind: 'lost', sinceMs: NOW });
  });
});
