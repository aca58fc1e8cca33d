// Every value of the recordings is reported as it is, or listed as not reported with one of five reasons; nothing else
// is reported of them.
import { describe, expect, test } from 'vitest';
import { isSame, valuesOf } from '../../src/driver/check/cases/values.ts';
import { REASONS } from '../../src/driver/check/contract-data.ts';
import { readingSchema } from '../../src/model/reading.ts';
import { bytesByAsk, cases, hasRecordings, rawOf, recordings } from './answers.ts';
import { recordingData } from './contract-files.ts';
import { KNOWN, sets } from './recorded-sets.ts';
import { readPart } from './subsets.ts';

/** At most this share of the values may be listed as not reported. */
const MOST = 0.05;
/** What a driver adds of its own: the window of a rate, what the table of models expects. */
const OWN = /(^|\.)(hashrateWindow|make)$|^expected\./;

describe.each(sets.filter(({ recording }) => recordings.includes(recording)))('$id', ({ id, recording, driver }) => {
  const known = KNOWN[id] ?? recording.known ?? {};
  const raw = rawOf(driver, bytesByAsk(driver, recording, known));
  const reading = readPart({ name: id, driver, known, raw }, Object.keys(raw));
  const values = new Map(valuesOf(readingSchema.parse(reading)));
  const truth = recordingData.get(id)?.values ?? {};
  const file = `drivers/${driver.id}/recordings.data.ts`;

  test('what it reports is reported as it is', () => {
    expect(Object.keys(truth).length, `list its values in ${file}`).toBeGreaterThan(2);
    const wrong = Object.entries(truth).filter(([place, wanted]) => !isSame(values.get(place), wanted));
    expect(wrong.map(([place, wanted]) => `${place} is ${values.get(place)} instead of ${wanted}`)).toEqual([]);
  });

  test('nothing else is reported', () => {
    const others = [...values].filter(([place]) => !(place in truth) && !OWN.test(place));
    const next = `read the answers again: list these in ${file}, or do not report them`;
    expect(
      others.map(([place, value]) => `${place} ${value}`),
      next,
    ).toEqual([]);
  });
});

test.skipIf(!hasRecordings)('at most 5 % of the values are not reported', () => {
  const all = [...recordingData.values()];
  const captured = cases.filter(({ capturedBy }) => capturedBy !== undefined);
  const reported = [...all, ...captured].reduce((sum, { values = {} }) => sum + Object.keys(values).length, 0);
  const rows = all.flatMap(({ notReported = {} }) => Object.values(notReported));
  const notReported = rows.reduce((sum, { values }) => sum + values, 0);
  const byReason = Map.groupBy(rows, ({ reason }) => reason);
  const parts = [...byReason].map(
    ([reason, group]) => `${reason} ${group.reduce((sum, { values }) => sum + values, 0)}`,
  );
  const total = reported + notReported;
  const percent = ((100 * notReported) / total).toFixed(1);
  process.stdout.write(
    `${total} values of ${all.length + captured.length} recordings: ${reported} reported, ${notReported} (${percent} %) not: ${parts.join(', ')}\n`,
  );
  expect(notReported / total).toBeLessThanOrEqual(MOST);
});

test('every reason for not reporting a value is a reason that is given', () => {
  const used = [...recordingData.values()].flatMap(({ notReported = {} }) => Object.values(notReported));
  expect(used.every(({ reason }) => reason in REASONS)).toBe(true);
});
