// Which MAC and serial number can name a miner, and the unstable reason that follows.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  factStateSchema,
  macState,
  normaliseMac,
  normaliseSerial,
  serialState,
  UNSTABLE_REASONS,
  unstableReason,
} from '../../../src/model/identity-facts.ts';

describe('a MAC address', () => {
  test.each([
    ['aa:bb:cc:dd:ee:0f', 'AA:BB:CC:DD:EE:0F'],
    ['AA-BB-CC-DD-EE-0F', 'AA:BB:CC:DD:EE:0F'],
    ['aabb.ccdd.ee0f', 'AA:BB:CC:DD:EE:0F'],
    ['  aabbccddee0f\n', 'AA:BB:CC:DD:EE:0F'],
  ])('%j is written %s', (text, mac) => {
    expect(normaliseMac(text)).toBe(mac);
    expect(macState(text)).toBe('ok');
  });

  test.each([
    [''],
    ['aa:bb:cc:dd:ee'],
    ['aa:bb:cc:dd:ee:0f:00'],
    ['aa:bb:cc:dd:ee:0g'],
    ['n/a'],
    ['aa bb cc dd ee 0f'],
    // Full width, Cyrillic, and a ligature of which two capitals are made.
    ['ＡＡ:BB:CC:DD:EE:0F'],
    ['АА:BB:CC:DD:EE:0F'],
    ['aabbccdd0f\ufb00'],
  ])('%j is none', (text) => {
    expect(normaliseMac(text)).toBeUndefined();
  });

  test.each<[string | undefined, string]>([
    [undefined, 'empty'],
    ['', 'empty'],
    ['   ', 'empty'],
    ['00:00:00:00:00:00', 'invalid'],
    ['ff:ff:ff:ff:ff:ff', 'invalid'],
    ['01:00:5e:00:00:01', 'invalid'],
    ['33:33:00:00:00:01', 'invalid'],
    ['unknown', 'invalid'],
    ['02:11:22:33:44:55', 'ok'],
    ['CE:01:19:00:00:01', 'ok'],
    ['00:00:00:00:00:01', 'ok'],
  ])('the state of %j is %s', (text, state) => {
    expect(macState(text)).toBe(state);
  });

  test('normal form is stable, whatever the separators and case', () => {
    fc.assert(
      fc.property(
        fc.uint8Array({ minLength: 6, maxLength: 6 }),
        fc.constantFrom(':', '-', '', '.'),
        fc.boolean(),
        (bytes, separator, isUpper) => {
          const octets = [...bytes].map((byte) => byte.toString(16).padStart(2, '0'));
          const text = isUpper ? octets.join(separator).toUpperCase() : octets.join(separator);
          const mac = normaliseMac(text);
          expect(mac).toBe(octets.join(':').toUpperCase());
          expect(normaliseMac(mac ?? '')).toBe(mac);
        },
      ),
    );
  });
});

describe('a serial number', () => {
  test.each<[string | undefined, string]>([
    [undefined, 'empty'],
    ['', 'empty'],
    [' \t', 'empty'],
    ['0', 'invalid'],
    ['0000000000', 'invalid'],
    ['N/A', 'invalid'],
    ['na', 'invalid'],
    ['-', 'invalid'],
    ['null', 'invalid'],
    ['Unknown', 'invalid'],
    ['FFFFFFFF', 'invalid'],
    ['xxxxxxxx', 'invalid'],
    ['1234567890', 'invalid'],
    ['To be filled by O.E.M.', 'invalid'],
    ['SN\u00001', 'invalid'],
    ['SN\u001b[0m', 'invalid'],
    ['S'.repeat(129), 'invalid'],
    ['SMTTA1BCDEF000001', 'ok'],
    ['0000000001', 'ok'],
    ['HTM31X33E29112A5110', 'ok'],
    ['020100004ee1f9a9', 'ok'],
  ])('the state of %j is %s', (text, state) => {
    expect(serialState(text)).toBe(state);
  });

  test('is compared trimmed and in capitals', () => {
    expect(normaliseSerial(' smtta1 \n')).toBe('SMTTA1');
  });
});

test.each([
  ['MASSE1', 'MAßE1'],
  ['S9', '\u017f9'],
  ['I7', '\u01317'],
  ['FF01', '\ufb0001'],
  ['A123', 'А123'],
  ['123', '１２３'],
  ['\u00c5', 'A\u030a'],
])('%j and %j are two serial numbers', (one, other) => {
  expect(normaliseSerial(one)).not.toBe(normaliseSerial(other));
  expect(normaliseSerial(one.toLowerCase())).not.toBe(normaliseSerial(other));
});

describe('the unstable reason', () => {
  test.each([
    ['ok', 'ok', null],
    ['empty', 'empty', 'ip_only'],
    ['empty', 'ok', 'mac_empty'],
    ['invalid', 'ok', 'mac_invalid'],
    ['duplicate', 'ok', 'mac_duplicate'],
    ['ok', 'empty', 'sn_empty'],
    ['ok', 'invalid', 'sn_invalid'],
    ['ok', 'duplicate', 'sn_duplicate'],
    ['invalid', 'invalid', 'all_invalid'],
    ['empty', 'invalid', 'all_invalid'],
    ['invalid', 'empty', 'all_invalid'],
    ['duplicate', 'duplicate', 'all_invalid'],
    ['duplicate', 'empty', 'all_invalid'],
    ['empty', 'duplicate', 'all_invalid'],
    ['duplicate', 'invalid', 'all_invalid'],
    ['invalid', 'duplicate', 'all_invalid'],
  ] as const)('of MAC %s and serial %s is %s', (mac, serial, reason) => {
    expect(unstableReason(mac, serial)).toBe(reason);
  });

  test('is one of the interface for every mix', () => {
    for (const mac of factStateSchema.options) {
      for (const serial of factStateSchema.options) {
        const reason = unstableReason(mac, serial);
        expect(reason === null || UNSTABLE_REASONS.includes(reason)).toBe(true);
        expect(reason === null).toBe(mac === 'ok' && serial === 'ok');
      }
    }
  });
});
