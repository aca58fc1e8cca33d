// What is known of its recorded devices beyond the values of their index: order, sensors, units, faults.
import { expect, test } from 'vitest';
import { hasRecordings } from '../../test/contract/answers.ts';
import { readingOf } from '../../test/contract/recorded-sets.ts';

test.skipIf(!hasRecordings)(
  'ePIC: sensors of every board that is found, clocks and serial numbers of those that are switched on',
  () => {
    const { boards, tempC, totalChips } = readingOf('epic-umcos--s19xp-bms-1.5.13');
    expect(
      boards?.map(({ slot, isAlive, boardTempsC, frequencyMhz, serialNumber }) => [
        slot,
        isAlive,
        boardTempsC,
        frequencyMhz,
        serialNumber,
      ]),
    ).toEqual([
      [0, false, [42.312, 42.875], undefined, undefined],
      [1, true, [55.062, 67], 487.5, 'YNAHYPDBCJEBC0D6S'],
      [2, true, [52.062, 64.312], 487.5, 'YNAHYPDBCJEBC0C6R'],
    ]);
    expect(boards?.map(({ inletTempC, outletTempC }) => [inletTempC, outletTempC])).toEqual([
      [42.312, 42.875],
      [55.062, 67],
      [52.062, 64.312],
    ]);
    expect([tempC, totalChips]).toEqual([67, undefined]);
  },
);
