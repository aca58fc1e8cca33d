// What is known of its recorded devices beyond the values of their index: order, sensors, units, faults.
import { expect, test } from 'vitest';
import { hasRecordings } from '../../test/contract/answers.ts';
import { readingOf } from '../../test/contract/recorded-sets.ts';

test.skipIf(!hasRecordings)(
  'Auradine: a lamp that shows that all is well is no fault; chips are not counted from the sensors',
  () => {
    const reading = readingOf('auradine-fluxos--at1500-2023-12.27');
    expect([reading.errors, reading.isLightOn]).toEqual([[], false]);
    expect(reading.totalChips).toBe(396);
    expect(reading.pools?.map(({ accepted, rejected }) => [accepted, rejected])).toEqual([
      [10, 1],
      [0, 0],
      [0, 0],
    ]);
  },
);
