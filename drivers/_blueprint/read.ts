// Replies of the example device to a Reading: pure, no clock, no socket. Any reply may be missing, and any field of it.
import type { Known } from '../../src/driver/contract.ts';
import { first, largest } from '../../src/driver/fields.ts';
import type { BoardReading, Reading } from '../../src/model/reading.ts';
import { poolReadings, present, whenS } from '../_dialects/cgminer.ts';
import { hashrates, windowHs } from '../_dialects/windows.ts';
import type { Replies } from './replies.ts';

export function read({ summary, boards, oldBoards, pools, light, system }: Replies, known: Known): Reading {
  const row = summary?.SUMMARY?.[0];
  const found = first(boards, oldBoards)?.DEVS?.map(
    (dev, place): BoardReading =>
      // `present` leaves out what is undefined: absent, never 0.
      present({
        slot: place,
        hashrateHs: windowHs(dev, '5s'),
        chipTempMaxC: dev['Chip Temp'],
        hwErrors: dev['Hardware Errors'],
      }),
  );
  return present({
    mac: system?.mac,
    serialNumber: system?.serial,
    hostname: system?.host,
    make: 'Example',
    model: known.model,
    // A row that is not there gives no field at all.
    ...(row && hashrates(row)),
    uptimeS: row?.Elapsed,
    deviceTimeS: whenS(summary),
    isLightOn: light?.on,
    tempC: largest(found?.map(({ chipTempMaxC }) => chipTempMaxC) ?? []),
    boards: found,
    pools: poolReadings(pools?.POOLS),
  });
}
