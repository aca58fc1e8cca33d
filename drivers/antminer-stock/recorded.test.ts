// What is known of its recorded devices beyond the values of their index: order, sensors, units, faults.
import { expect, test } from 'vitest';
import { hasRecordings } from '../../test/contract/answers.ts';
import { firstOf, readingOf } from '../../test/contract/recorded-sets.ts';

test.skipIf(!hasRecordings)('Antminer: the hottest chip of each recorded board', () => {
  const reading = readingOf(firstOf('antminer-stock'));
  expect(reading.boards?.map((board) => board.chipTempMaxC)).toEqual([78, 71, 69]);
  // The PIC sensors of this unit show the intake hotter than the exhaust: another layout than the one we know, so
  // nothing is told.
  expect(reading).not.toHaveProperty('inletTempC');
});
