// What is known of its recorded devices beyond the values of their index: order, sensors, units, faults.
import { expect, test } from 'vitest';
import { hasRecordings } from '../../test/contract/answers.ts';
import { readingOf } from '../../test/contract/recorded-sets.ts';

test.skipIf(!hasRecordings)(
  'Proto: both power supplies, what goes in and comes out of each board, and the chips that belong on it',
  () => {
    const reading = readingOf('proto--rig-1.8.0');
    expect(reading.psus).toHaveLength(2);
    expect(reading.psus).toMatchObject([
      {
        serialNumber: 'PSU-PROTO-SIM-b6bdaf86-0',
        inputPowerW: 1774.4900359549026,
        inputVoltageV: 230.96996200756033,
        tempC: 37.901950839067965,
      },
      { serialNumber: 'PSU-PROTO-SIM-b6bdaf86-1', inputPowerW: 1751.847016486352 },
    ]);
    expect(reading.boards?.map(({ inletTempC }) => inletTempC)).toEqual([
      41.257896451539054, 38.73552243664069, 38.642894869829554, 39.25599482703729,
    ]);
    expect(reading.boards?.map(({ outletTempC }) => outletTempC)).toEqual([
      55.241942214972724, 54.978843834992624, 55.43768806658174, 53.387135818884865,
    ]);
    expect(reading.expected).toMatchObject({ chipsPerBoard: 120, fans: 4 });
    // Four are there and four are counted: how many belong there nobody says.
    expect(reading.expected).not.toHaveProperty('boards');
  },
);
