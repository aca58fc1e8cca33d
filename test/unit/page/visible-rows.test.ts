// Which rows of a long list are drawn.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Seen, visibleRows, within } from '../../../src/page/model/list/visible-rows.ts';

const ROW_PX = 88;
const drawn = (seen: Seen, count: number) => within(visibleRows(seen, ROW_PX), count);

describe('the rows that are drawn', () => {
  it.each([
    ['at the top', { scrolledPx: -120, screenPx: 860 }, 10_000, { first: 0, end: 16 }],
    ['in the middle', { scrolledPx: 88_000, screenPx: 860 }, 10_000, { first: 992, end: 1_016 }],
    ['at the end', { scrolledPx: 10_000 * ROW_PX - 860, screenPx: 860 }, 10_000, { first: 9_984, end: 10_000 }],
    ['of a short list', { scrolledPx: 0, screenPx: 860 }, 3, { first: 0, end: 3 }],
    [
      'of a list that has become shorter than where the screen is',
      { scrolledPx: 88_000, screenPx: 860 },
      3,
      { first: 3, end: 3 },
    ],
    ['of none', { scrolledPx: 0, screenPx: 860 }, 0, { first: 0, end: 0 }],
    ['of a list that begins below the screen', { scrolledPx: -2_000, screenPx: 860 }, 100, { first: 0, end: 0 }],
  ])('%s', (_, seen, count, range) => {
    expect(drawn(seen, count)).toEqual(range);
  });

  it('are all that is on the screen, and few more', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 800_000 }),
        fc.integer({ min: 200, max: 3_000 }),
        (scrolledPx, screenPx) => {
          const { first, end } = drawn({ scrolledPx, screenPx }, 10_000);
          expect(first * ROW_PX).toBeLessThanOrEqual(scrolledPx);
          expect(end * ROW_PX).toBeGreaterThanOrEqual(Math.min(scrolledPx + screenPx, 10_000 * ROW_PX));
          expect(end - first).toBeLessThanOrEqual(screenPx / ROW_PX + 22);
        },
      ),
    );
  });
});
