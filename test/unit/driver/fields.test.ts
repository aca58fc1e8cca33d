// Fields that devices fill with text: what cannot be seen does not get through, and a field of nothing else is absent.
import { expect, test } from 'vitest';
import { toText } from '../../../src/driver/fields.ts';

test.each([
  ['S19\u202eorP', 'S19 orP'],
  ['ad\u200bmin', 'ad min'],
  ['a\u2028b', 'a b'],
  ['\ufeffS21', 'S21'],
  ['\u200b\u2060\u3164', undefined],
  ['a\u001b[31mb', 'a [31mb'],
  ['矿机 一号', '矿机 一号'],
  [`${' '.repeat(2_000)}name`, 'name'],
  [42, '42'],
  [null, undefined],
])('%j is read as %j', (written, read) => {
  expect(toText(written)).toBe(read);
});

test('the cut splits no character', () => {
  expect(toText(`${'a'.repeat(255)}👩`)?.isWellFormed()).toBe(true);
});
