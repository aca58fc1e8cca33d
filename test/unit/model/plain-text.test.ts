// Text of strangers, made fit to store and print.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { plainText, withoutLogin } from '../../../src/model/plain-text.ts';

describe('plain text', () => {
  test.each([
    ['S19 Pro', 'S19 Pro'],
    ['  padded\n', 'padded'],
    ['a\u001b[31mb', 'a [31mb'],
    ['a\u202eb\u2028c', 'a b c'],
    ['Größe 温度', 'Größe 温度'],
  ])('%j becomes %j', (text, clean) => {
    expect(plainText(text)).toBe(clean);
  });

  test.each([[undefined], [''], [' \u0000\u001b ']])('nothing is left of %j', (text) => {
    expect(plainText(text)).toBeUndefined();
  });

  test('is bounded, well-formed and free of control codes for any input', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'binary', maxLength: 600 }),
        fc.integer({ min: 1, max: 300 }),
        (text, maxLength) => {
          const clean = plainText(`${text}\ud800`, maxLength) ?? '';
          expect(clean.length).toBeLessThanOrEqual(maxLength);
          expect(clean.isWellFormed()).toBe(true);
          expect(clean).not.toMatch(/[\p{Cc}\p{Cf}]/u);
        },
      ),
    );
  });
});

describe('a pool address', () => {
  test.each([
    ['stratum+tcp://pool.example:3333', 'stratum+tcp://pool.example:3333'],
    ['stratum+tcp://user:secret@pool.example:3333/path', 'stratum+tcp://pool.example:3333/path'],
    ['user:secret@pool.example:3333', 'pool.example:3333'],
    ['stratum+ssl://user:se@cret@pool.example', 'stratum+ssl://pool.example'],
    ['pool.example/a@b', 'pool.example/a@b'],
    ['', ''],
  ])('%j is shown as %j', (url, shown) => {
    expect(withoutLogin(url)).toBe(shown);
  });
});
