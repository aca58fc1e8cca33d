// The account of a scan adds up to its ranges, whatever was counted.
import { expect, test } from 'vitest';
import { ScanTally } from '../../../../src/agent/scan/tally.ts';
import { readRanges } from '../../../../src/base/net/ranges.ts';

const ranges = readRanges(['10.0.0.1-10'], ['10.0.0.10']);

test('every address is in one class, excluded or not reached', () => {
  const tally = new ScanTally(ranges);
  tally.count('identified', { status: 'identified' });
  tally.count('likely', { status: 'likely', target: { driver: { id: 'x' } } });
  tally.count('silent', undefined);
  tally.unasked = 2;
  expect(tally.account(5, true)).toEqual({
    ...{ addresses: 10, excluded: 1, notReached: 6, elapsedMs: 5, isCancelled: true, likely: { x: 1 } },
    counts: { identified: 1, unknown: 1, login_refused: 0, closed: 0, silent: 1, missing: 0 },
    notes: ['2 addresses could not be asked: this process ran out of sockets, or may not reach them'],
  });
});

test('the rest is estimated from the speed until now, and not before there is one', () => {
  const tally = new ScanTally(ranges);
  expect(tally.progress('first pass', 30)).not.toHaveProperty('remainingMs');
  tally.probed = 3;
  expect(tally.progress('first pass', 30)).toMatchObject({ toProbe: 9, probed: 3, remainingMs: 60 });
});
