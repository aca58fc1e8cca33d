// The words with which devices fill a place that they have nothing for, and what becomes of them in any driver.
import { expect, test } from 'vitest';
import { toTold } from '../../../src/driver/fields.ts';
import { onlySaid } from '../../../src/driver/said.ts';
import { isFine, isNoName, isUnsaid } from '../../../src/driver/unsaid.ts';

test.each([
  'N/A',
  'n/a',
  'N.A.',
  'null',
  '(null)',
  '<null>',
  'nil',
  'NaN',
  'undefined',
  'unknown',
  'unknow',
  '-',
  '--',
  '?',
])('%j says that the device does not know', (word) => {
  expect(isUnsaid(word)).toBe(true);
  expect(isNoName(word)).toBe(true);
  expect(isFine(word)).toBe(true);
  expect(toTold(` ${word} `)).toBeUndefined();
});

test.each(['none', '(none)', '0', '00', '0x0', '0x00000000', '.'])('%j names nothing, but may be said', (word) => {
  expect(isUnsaid(word)).toBe(false);
  expect(isNoName(word)).toBe(true);
  expect(toTold(word)).toBe(word);
});

test.each(['', ' 0X0 ', '0', 'none', 'OK', 'no error', 'No_Faults', 'normal'])('%j is fine', (word) => {
  expect(isFine(word)).toBe(true);
});

test.each(['S19', 'KS0', 'NULL-7', 'unknown error 7', '1', '0x10', 'nano', 'Nano 3s', 'Noname', 'r0'])(
  '%j is said',
  (word) => {
    expect([isUnsaid(word), isNoName(word), isFine(word)]).toEqual([false, false, false]);
  },
);

test('no name, part or fault is told that only looks like one', () => {
  const reading = onlySaid({
    ...{
      mac: 'N/A',
      serialNumber: '0x0',
      controllerSerialNumber: '0000',
      hostname: '(none)',
      model: 'unknown',
      firmwareVersion: '0',
    },
    boards: [
      { slot: 0, serialNumber: '0x0', chips: 63 },
      { slot: 1, serialNumber: 'SN1' },
    ],
    psus: [{ serialNumber: 'null', model: 'none', tempC: 40 }],
    errors: [
      { code: '0x00000000', category: 'psu' },
      { code: '0', message: 'ok', category: 'unknown' },
      { code: 'N/A', message: 'Fan 2 is lost', category: 'fan' },
      { code: '541', category: 'hashboard' },
    ],
  });
  expect(reading).toEqual({
    // Of the miner itself: a filler in their place is a finding of its own.
    ...{ mac: 'N/A', serialNumber: '0x0' },
    boards: [
      { slot: 0, chips: 63 },
      { slot: 1, serialNumber: 'SN1' },
    ],
    psus: [{ tempC: 40 }],
    errors: [
      { code: 'unknown', message: 'Fan 2 is lost', category: 'fan' },
      { code: '541', category: 'hashboard' },
    ],
  });
});

test('what is said stays the same object', () => {
  const reading = { model: 'S19', boards: [{ slot: 0, serialNumber: 'SN1' }], errors: [] };
  expect(onlySaid(reading)).toBe(reading);
});
