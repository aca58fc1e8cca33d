// Pairs are found as these patterns find them, one by one, in any text; the patterns are the definition.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ASSIGNED, BRACKETED, MAILED, NESTED, QUOTED, replaceValues, Scanned } from '../../../src/driver/pairs.ts';

/** Groups: what stays before the value, then the value. */
const FORMS = {
  'with quotes': [QUOTED, /((?<!\\)(["'])([\w .-]{1,64})\2\s{0,8}:\s{0,8}")((?:[^"\\]|\\.){0,4096})/gs],
  nested: [NESTED, /((\\{0,3}["'])([\w .-]{1,64})\2\s{0,8}[:=]\s{0,8}\\{0,3}["'])((?:[^"'\\]|\\[^"']){0,4096})/g],
  'in brackets': [BRACKETED, /(()\b(\w{1,64})\[)([^\][]{1,4096})/g],
  assigned: [ASSIGNED, /(()\b([\w .-]{1,64})=)([^,|&\s"'<>]{1,4096})/g],
  mail: [MAILED, /()()()([^\s"'<>:,=@]{1,64}@[^\s"'<>:,=]{1,255})/g],
} as const;

const PIECES = [
  ...[
    '"',
    "'",
    '\\',
    '\\\\',
    '\\"',
    ':',
    '=',
    '[',
    ']',
    '@',
    ' ',
    '\n',
    '\u00a0',
    '\ufeff',
    ',',
    '|',
    '&',
    '<',
    '.',
    '-',
  ],
  ...[
    'user',
    'Pass word',
    'a',
    '_',
    'é',
    '漢',
    '\ud83d',
    '"user":"',
    '"user" : "',
    '\\"pass\\":\\"',
    "'pwd'='x'",
    'user=',
  ],
  ...['\\\\\\"pass\\\\\\":\\\\\\"bob\\\\\\"', 'Worker[', 'DNA[x]', 'bob@host.x', ' '.repeat(8), ' '.repeat(9)],
  ...[63, 64, 65].map((length) => 'k'.repeat(length)),
];
const text = fc.array(fc.constantFrom(...PIECES), { maxLength: 24 }).map((pieces) => pieces.join(''));

test.each(Object.entries(FORMS))('pairs %s', (_, [form, pattern]) => {
  const shown = (value: string) => `<${value.length}>`;
  const found = (whole: string) =>
    replaceValues(new Scanned(whole), form, (within, { valueFrom, to }) => shown(within.slice(valueFrom, to))).text;
  const due = (whole: string) =>
    whole.replaceAll(pattern, (...groups) => `${String(groups[1])}${shown(String(groups[4]))}`);
  fc.assert(
    fc.property(text, (whole) => {
      expect(found(whole)).toBe(due(whole));
    }),
    { numRuns: 3_000 },
  );
  for (const value of ['x'.repeat(5_000), '\\x'.repeat(5_000), '\\'.repeat(4_999), `${'y'.repeat(4_096)}z"`])
    for (const lead of ['"pass":"', '\\"pass\\":\\"', 'pass[', 'pass=', 'a@'])
      expect(found(`${lead}${value}${lead}${value}`)).toBe(due(`${lead}${value}${lead}${value}`));
});

test('the key is told, and what stays is not copied', () => {
  const keys: string[] = [];
  const whole = new Scanned('{"User" : "bob", "n": 1}');
  const rest = replaceValues(whole, QUOTED, (within, { from, keyTo }) => void keys.push(within.slice(from, keyTo)));
  expect(keys).toEqual(['User']);
  expect(rest).toBe(whole);
});
