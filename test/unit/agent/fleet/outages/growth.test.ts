// A finding is reported when it has stopped growing, and stays as large as it ever was.
import { expect, test } from 'vitest';
import { grown, isStillGrowing, merged } from '../../../../../src/agent/fleet/outages/outages.ts';

const POLL_MS = 60_000;
const finding = (minerCount: number, sinceMs: number) => ({
  ...{ key: 'contact:10.0.0.0/24@1', kind: 'contact' as const, title: 'silent', severity: 'critical' as const },
  ...{ sinceMs, minerCount, of: 20, sample: [] },
});

test('it grows until its size stays for a poll interval, and for five minutes at most', () => {
  let growth = grown(undefined, 5, 0);
  expect([isStillGrowing(growth, POLL_MS, 59_999), isStillGrowing(growth, POLL_MS, 60_000)]).toEqual([true, false]);
  growth = grown(growth, 6, 50_000);
  expect(growth).toEqual({ count: 6, sinceMs: 50_000, fromMs: 0 });
  expect(grown(growth, 4, 70_000)).toBe(growth);
  expect(isStillGrowing(growth, POLL_MS, 100_000)).toBe(true);
  expect(isStillGrowing(grown(growth, 9, 300_000), POLL_MS, 300_000)).toBe(false);
});

test('it keeps its largest size, its earliest time and the spell of its last silence', () => {
  const spell = { sinceMs: 1, untilMs: 2 };
  const first = merged(undefined, finding(8, 500), spell);
  expect(first).toEqual({ outage: { finding: finding(8, 500), spell }, hasGrown: true });
  const before = { ...first.outage, isReported: true };
  expect(merged(before, finding(6, 400), undefined)).toEqual({ outage: first.outage, hasGrown: false });
  expect(merged(before, finding(9, 600), undefined).outage).toEqual({ finding: finding(9, 500), spell });
});
