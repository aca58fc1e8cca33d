// Durations as people write them.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { formatDurationMs, parseDurationMs } from '../../../../src/base/time/duration.ts';

describe('a duration', () => {
  test.each([
    ['0s', 0],
    ['250ms', 250],
    ['90s', 90_000],
    ['5m', 300_000],
    ['1h30m', 5_400_000],
    ['2d', 172_800_000],
    ['1.5s', 1_500],
    ['1d2h3m4s5ms', 93_784_005],
  ])('%s is %d ms', (text, durationMs) => {
    expect(parseDurationMs(text)).toBe(durationMs);
  });

  test.each([[''], ['90'], ['s'], ['5 m'], ['-5s'], ['5m '], ['5min'], ['1h30'], ['.5s'], ['1e3s'], ['5M']])(
    '%j is none',
    (text) => {
      expect(parseDurationMs(text)).toBeUndefined();
    },
  );

  test.each([
    [0, '0ms'],
    [250, '250ms'],
    [1_000, '1s'],
    [90_000, '1m30s'],
    [5_400_000, '1h30m'],
    [172_800_000, '2d'],
  ])('%d ms is written %s', (durationMs, text) => {
    expect(formatDurationMs(durationMs)).toBe(text);
  });

  test('whole seconds survive being written and read', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 10_000_000 }), (seconds) => {
        expect(parseDurationMs(formatDurationMs(seconds * 1_000))).toBe(seconds * 1_000);
      }),
    );
  });
});
