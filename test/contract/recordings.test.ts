// Recorded answers of real devices: there where a driver claims one, and read as the index says. All other checks of
// answers, also with these, are in drivers.test.ts.
import { describe, expect, test } from 'vitest';
import { drivers } from '../../drivers/index.ts';
import { DRIVER_NAMES } from '../../fixtures/farm/mix.ts';
import { bytesByAsk, cases, hasRecordings, mustHaveRecordings, rawOf, recordings } from './answers.ts';
import { contractOf, recordingData } from './contract-files.ts';
import { KNOWN, sets } from './recorded-sets.ts';

test('the recordings are there wherever they are required', () => {
  expect(hasRecordings || !mustHaveRecordings).toBe(true);
});

test('each case of our own names a driver', () => {
  expect(cases.length).toBeGreaterThan(0);
  const ids = new Set([...drivers.map(({ id }) => id), 'blueprint']);
  const lost = cases.filter(({ firmware }) => !ids.has(firmware)).map(({ folder }) => folder);
  expect(lost, 'write the id of the driver into `firmware` of case.json').toEqual([]);
});

describe('a row of evidence has its proof', () => {
  // That `recording` has a case is a check of each driver: it may be one of these.
  test.skipIf(!hasRecordings)('each recording that a driver names is there, of a real device', () => {
    const real = new Set(sets.filter(({ recording }) => recording.isSimulated !== true).map(({ id }) => id));
    const missing = [...recordingData.keys()].filter((id) => !real.has(id));
    expect(missing, 'delete the row in recordings.data.ts of the driver, or add the recording').toEqual([]);
  });

  test('`simulated`: a device in the simulated farm', () => {
    const claiming = drivers.filter(({ covers }) => covers.some(({ evidence }) => evidence === 'simulated'));
    const missing = claiming.filter(({ id }) => !DRIVER_NAMES.includes(id)).map(({ id }) => id);
    expect(missing, 'add farm.ts to the folder and its line to drivers/farm-index.ts').toEqual([]);
  });
});

describe.skipIf(!hasRecordings)('recordings', () => {
  test('each that is there is named by its driver', () => {
    const unnamed = sets.filter(({ id, recording }) => recordings.includes(recording) && !recordingData.has(id));
    expect(unnamed.map(({ id, driver }) => `drivers/${driver.id}/recordings.data.ts: ${id}`)).toEqual([]);
  });

  test('what is compared elsewhere is compared there', () => {
    const lost = [...recordingData].flatMap(([id, { comparedAt = {}, values }]) =>
      Object.entries(comparedAt).flatMap(([name, place]) =>
        place === REMARK || place in values ? [] : [`${id} ${name}: ${place} is no place of its values`],
      ),
    );
    expect(lost).toEqual([]);
  });

  const variants = sets.flatMap(({ id, recording, driver }) =>
    (recording.variants ?? []).map((variant) => ({ id, recording, driver, variant, name: `${id} ${variant.id}` })),
  );
  test.each(variants)('variant $name', ({ id, recording, driver, variant: { replace, expect: wanted } }) => {
    const known = KNOWN[id] ?? recording.known ?? {};
    const { reading } = driver.read(rawOf(driver, bytesByAsk(driver, recording, known, replace)), known);
    const errors: unknown = wanted.errors;
    if (!Array.isArray(errors)) throw new Error('the variant has nothing that this test knows how to compare');
    expect(reading.errors?.map(({ code, index }) => ({ code, index }))).toEqual(
      errors.map(({ code, index }) => ({ code: String(code), index })),
    );
  });
});

/** Of the index: words that are no value of the device. */
const REMARK = 'no value';

test('a driver is called by the recordings as it says', () => {
  const called = drivers.flatMap(({ id }) => contractOf(id).recordedAs ?? []);
  expect(new Set(called).size).toBe(called.length);
});
