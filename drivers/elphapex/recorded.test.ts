// What is known of its recorded devices beyond the values of their index: order, sensors, units, faults.
import { expect, test } from 'vitest';
import { hasRecordings } from '../../test/contract/answers.ts';
import { firstOf, readingOf } from '../../test/contract/recorded-sets.ts';

test.skipIf(!hasRecordings)(
  'Elphapex: chip sensors in thousandths, its own clock; no board sensors, no clock of its chips, no chips marked while it stands',
  () => {
    const reading = readingOf(firstOf('elphapex'));
    expect(reading).toMatchObject({
      model: 'DG1Home',
      tempC: 25.687,
      deviceTimeS: 1_742_264_353,
      controlBoard: 'DG-Home1_HW_V1.0',
      isMining: false,
      errors: [],
      expected: { chipsPerBoard: 120, fans: 4 },
    });
    expect(reading.boards).toHaveLength(1);
    expect(reading.boards?.[0]).toMatchObject({ slot: 3, chipTempMaxC: 25.687, chips: 120 });
    expect(reading.boards?.[0]?.chipTempAvgC).toBeCloseTo(25.5465, 9);
    for (const field of ['boardTempsC', 'frequencyMhz', 'hwErrors', 'badChips'])
      expect(reading.boards?.[0]).not.toHaveProperty(field);
  },
);
