// Text of strangers, made fit to store and print.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  isVisible,
  mayHideText,
  plainText,
  visibleLines,
  visibleText,
  visibleValue,
  withoutLogin,
} from '../../../src/model/plain-text.ts';

/** Direction, zero width, ends of lines, fillers, tags, private use, no characters, empty cells. */
const UNSEEN = [
  ...'\u061c\u200e\u200f\u202a\u202e\u2066\u2069\u200b\u2060\ufeff\u00ad\u034f\u2028\u2029\u115f\u3164\uffa0\u2800\u180e\ufe00',
  ...['\u{e0041}', '\u{e01ef}', '\u{1d173}', '\u{1d159}', '\u{13441}'],
  ...['\ue000', '\uf8ff', '\u{f0000}', '\u{10fffd}', '\ufdd0', '\uffff', '\u{1ffff}'],
];
/** Drawn as blanks, although Unicode calls them letters and symbols. */
const BLANK = '\u2800\u{1d159}\u{13441}\u{13442}';
/** What Unicode says itself. */
const NEVER_SEEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\p{Co}\p{Default_Ignorable_Code_Point}\p{Noncharacter_Code_Point}]/u;

describe('what is not seen', () => {
  test.each(UNSEEN)('%j becomes a blank, and a text of nothing else is absent', (unseen) => {
    expect(visibleText(`a${unseen}b`)).toBe('a b');
    expect(visibleLines(`a${unseen}b\n\tc`)).toBe('a b\n\tc');
    expect(plainText(unseen.repeat(3))).toBeUndefined();
    expect(isVisible(`a${unseen}`)).toBe(false);
    expect(mayHideText(`{"a":"${unseen}"}`)).toBe(true);
  });

  test('of all that Unicode has, nothing that it calls unseen stays', () => {
    for (let code = 0; code <= 0x10ffff; code++) {
      const character = String.fromCodePoint(code);
      if (NEVER_SEEN.test(character) === isVisible(`a${character}b`)) expect(BLANK).toContain(character);
    }
  });

  test.each([
    ['on one letter', `a${'\u0301'.repeat(8)}`, `a${'\u0301'.repeat(8)}`],
    ['too many of one', `a${'\u0301'.repeat(2_000)}b`, `a${'\u0301'.repeat(8)}${' '.repeat(1_992)}b`],
    [
      'too many of several',
      `a${'\u0327\u0489\u1dc4'.repeat(4)}`,
      `a${'\u0327\u0489\u1dc4\u0327\u0489\u1dc4\u0327\u0489'}    `,
    ],
    ['on the letter of another text', '\u0301\u0302x', '  x'],
    ['some on each of several letters', 'a\u0301\u0323b\u0301\u0323', 'a\u0301\u0323b\u0301\u0323'],
  ])('marks %s', (_what, text, shown) => {
    expect(visibleText(text)).toBe(shown);
    expect(isVisible(text)).toBe(text === shown);
    expect(visibleLines(text)).toBe(shown);
    if (text !== shown) expect(mayHideText(JSON.stringify({ a: text }))).toBe(true);
  });

  test.each([
    ['an emoji of several', '👩‍👩‍👧 👩🏽‍🔧 🏳️‍🌈 ❤️ 1️⃣ 🇩🇪'],
    ['Persian', 'می‌خواهم'],
    ['Hindi', 'क्‍ष'],
    ['Khmer, Thai, Hebrew, Vietnamese', 'ខ្មែរ ไทย עברית Tiếng Việt'],
    ['units and signs', '65 °C, 3 µA, ½ Ω'],
  ])('%s stays as it is', (_what, text) => {
    expect(plainText(text)).toBe(text);
    expect(isVisible(text)).toBe(true);
  });

  test.each([
    ['a joiner between letters that need none', 'ad\u200dmin', 'ad min'],
    ['a joiner at the end of an emoji', '👩\u200d', '👩'],
    ['a non-joiner between Latin letters', 'ro\u200cot', 'ro ot'],
    ['a style without an emoji', 'a\ufe0f1\ufe0f', 'a 1'],
  ])('%s goes', (_what, text, clean) => {
    expect(plainText(text)).toBe(clean);
  });

  test('in a JSON value it goes at any depth, and what is far too deep is left out', () => {
    const value = { 'a\u202eb': ['x\u200by', 1, null, { c: 'two\nlines' }] };
    expect(visibleValue(value, visibleText)).toEqual({ 'a b': ['x y', 1, null, { c: 'two lines' }] });
    expect(visibleValue(value, visibleLines)).toEqual({ 'a b': ['x y', 1, null, { c: 'two\nlines' }] });
    let deep: unknown = 'x';
    for (let depth = 0; depth < 200_000; depth++) deep = [deep];
    expect(JSON.stringify(visibleValue(deep, visibleText)).length).toBeLessThan(200);
  });

  test('JSON is looked through only where there may be something', () => {
    expect(mayHideText('{"a":"two\\nlines\\twith \\"quotes\\"","b":[1,2.5e3]}')).toBe(false);
    for (const written of ['\\u202e', '\\b', '\\r']) expect(mayHideText(`{"a":"${written}"}`)).toBe(true);
  });
});

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
          expect(clean).not.toMatch(/[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_C}\u200b\u2060\ufeff]/u);
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
