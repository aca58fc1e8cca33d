// Every value of the recordings is reported as it is, or listed as not reported with one of five reasons; nothing else
// is reported of them.
import { describe, expect, test } from 'vitest';
import { readingSchema } from '../../src/model/reading.ts';
import { bytesByAsk, hasRecordings, rawOf } from './answers.ts';
import { NOT_REPORTED, REASONS } from './not-reported.data.ts';
import { KNOWN, sets } from './recorded-sets.ts';
import { RECORDED } from './recorded-truth.data.ts';
import { isSame, readingValues } from './recorded-truth.ts';
import { readPart } from './subsets.ts';

/** At most this share of the values may be listed as not reported. */
const MOST = 0.05;

describe.each(sets)('$id', ({ id, recording, driver }) => {
  const known = KNOWN[id] ?? recording.known ?? {};
  const raw = rawOf(driver, bytesByAsk(driver, recording, known));
  const reading = readPart({ name: id, driver, known, raw }, Object.keys(raw));
  const values = readingValues(readingSchema.parse(reading));
  const truth = RECORDED[id] ?? {};

  test('what it reports is reported as it is', () => {
    expect(Object.keys(truth).length).toBeGreaterThan(2);
    const wrong = Object.entries(truth).filter(([place, wanted]) => !isSame(values.get(place), wanted));
    expect(wrong.map(([place, wanted]) => `${place} is ${values.get(place)} instead of ${wanted}`)).toEqual([]);
  });

  test('nothing else is reported', () => {
    // The nameplate of the table is nothing that a device reports.
    const others = [...values].filter(([place]) => !(place in truth) && place !== 'expected.hashrateHs');
    expect(others.map(([place, value]) => `${place} ${value}`)).toEqual([]);
  });
});

test('what is not reported has a reason, in words of its own', () => {
  const rows = Object.values(NOT_REPORTED).flatMap((fields) => Object.values(fields));
  expect(rows.filter(({ values, why }) => values < 1 || why.length < 10)).toEqual([]);
  expect([...new Set(rows.map(({ reason }) => reason))].toSorted()).toEqual(Object.keys(REASONS).toSorted());
});

test.skipIf(!hasRecordings)('at most 5 % of the values are not reported', () => {
  const reported = Object.values(RECORDED).reduce((sum, truth) => sum + Object.keys(truth).length, 0);
  const rows = Object.values(NOT_REPORTED).flatMap((fields) => Object.values(fields));
  const notReported = rows.reduce((sum, { values }) => sum + values, 0);
  const byReason = Map.groupBy(rows, ({ reason }) => reason);
  const parts = [...byReason].map(
    ([reason, group]) => `${reason} ${group.reduce((sum, { values }) => sum + values, 0)}`,
  );
  const total = reported + notReported;
  const percent = ((100 * notReported) / total).toFixed(1);
  process.stdout.write(
    `${total} values of ${sets.length} recordings: ${reported} reported, ${notReported} (${percent} %) not: ${parts.join(', ')}\n`,
  );
  expect(notReported / total).toBeLessThanOrEqual(MOST);
});
