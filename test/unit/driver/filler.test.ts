// The words with which devices fill a place that they have nothing for, and what becomes of them in any driver.
import { expect, test } from 'vitest';
import { firstMac, firstSerial, isFiller, isFillerName, isNoFault, toKnownText } from '../../../src/driver/fields.ts';
import { withoutFillers } from '../../../src/driver/reported.ts';

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
  expect(isFiller(word)).toBe(true);
  expect(isFillerName(word)).toBe(true);
  expect(isNoFault(word)).toBe(true);
  expect(toKnownText(` ${word} `)).toBeUndefined();
});

test.each(['none', '(none)', '0', '00', '0x0', '0x00000000', '.'])('%j names nothing, but may be said', (word) => {
  expect(isFiller(word)).toBe(false);
  expect(isFillerName(word)).toBe(true);
  expect(toKnownText(word)).toBe(word);
});

test.each(['', ' 0X0 ', '0', 'none', 'OK', 'no error', 'No_Faults', 'normal'])('%j is fine', (word) => {
  expect(isNoFault(word)).toBe(true);
});

test.each(['S19', 'KS0', 'NULL-7', 'unknown error 7', '1', '0x10', 'nano', 'Nano 3s', 'Noname', 'r0'])(
  '%j is said',
  (word) => {
    expect([isFiller(word), isFillerName(word), isNoFault(word)]).toEqual([false, false, false]);
  },
);

test('no name, part or fault is told that only looks like one', () => {
  const reading = withoutFillers({
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
  expect(withoutFillers(reading)).toBe(reading);
});

test('a board that hashes has chips, however many of them it tells', () => {
  const boards = [
    { slot: 0, hashrateHs: 1e14, chips: 0 },
    { slot: 1, hashrateHs: 0, chips: 0 },
  ];
  expect(withoutFillers({ boards }).boards).toEqual([{ slot: 0, hashrateHs: 1e14 }, boards[1]]);
});

test('a place for a pool with a word instead of an address is not set', () => {
  const pool = (index: number, url: string) => ({ index, url, user: '' });
  const urls = ['stratum+tcp://pool.example:3333', 'stratum+tcp://none:0', 'N/A', '0x0', 'none'];
  expect(withoutFillers({ pools: urls.map((url, index) => pool(index, url)) }).pools).toEqual([pool(0, urls[0] ?? '')]);
});

test('of two serial numbers and two MACs the one counts that can identify', () => {
  expect(firstSerial('N/A', undefined, 'SN7')).toBe('SN7');
  expect(firstSerial('0x0', undefined)).toBe('0x0');
  expect(firstMac('00:00:00:00:00:00', '02:55:97:22:33:72')).toBe('02:55:97:22:33:72');
  expect(firstMac(undefined, undefined)).toBeUndefined();
});
