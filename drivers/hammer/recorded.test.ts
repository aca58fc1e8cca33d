// What is known of its recorded devices beyond the values of their index: order, sensors, units, faults.
import { expect, test } from 'vitest';
import { hasRecordings } from '../../test/contract/answers.ts';
import { firstOf, readingOf } from '../../test/contract/recorded-sets.ts';

test.skipIf(!hasRecordings)('Hammer: the last of the repeated keys is a chip; the light answers with a code', () => {
  const reading = readingOf(firstOf('hammer'));
  expect(reading).toMatchObject({ make: 'Hammer', model: 'D10', tempC: 45, isLightOn: true, miningMode: 'normal' });
  expect(reading.boards?.map((board) => [board.chipTempMaxC, board.frequencyMhz])).toEqual([
    [45, 810],
    [42, 810],
    [40, 810],
  ]);
});
