import { describe, expect, test } from 'vitest';
import { decodeReply, MAX_DEPTH, MAX_EDITS, repairJson } from '../../../../src/transport/cgminer/json-fixer.ts';
import { cpuMsOf } from '../../../support/cpu-time.ts';

const repair = (text: string) => repairJson(Buffer.from(text));

describe('strict JSON is left alone', () => {
  test('no repair is reported', () => {
    expect(repair('{"a":[1,"two",null]}')).toEqual({ value: { a: [1, 'two', null] }, repairs: [], isPartial: false });
  });
  test('text inside strings that looks broken stays as it is', () => {
    const value = { user: 'a}{b', note: ',} ,] [,{ nan', sn: '""x' };
    expect(repair(JSON.stringify(value))?.value).toEqual(value);
  });
  test('text inside strings stays as it is even when something else is repaired', () => {
    expect(repair('{"user":"a}{b ,} [,{","x":nan}')).toEqual({
      value: { user: 'a}{b ,} [,{', x: null },
      repairs: ['non-finite'],
      isPartial: false,
    });
  });
});

describe('each known damage is repaired and named', () => {
  test.each<[string, string, unknown, readonly string[]]>([
    ['a NUL at the end', '{"a":1}\0', { a: 1 }, []],
    ['bytes behind the NUL', '{"a":1}\0{"junk":', { a: 1 }, ['nul-tail']],
    ['white space around', ' \r\n{"a":1}\n\n', { a: 1 }, []],
    ['a byte order mark', '\ufeff{"a":1}', { a: 1 }, ['bom']],
    ['a newline inside a string', '{"version":"2022\n0407\t"}', { version: '20220407' }, ['control-characters']],
    ['a control character between values', '{"a":1,\u0001"b":2}', { a: 1, b: 2 }, ['control-characters']],
    [
      'objects without a comma between',
      '{"S":[{"a":1}{"b":2} {"c":3}]}',
      { S: [{ a: 1 }, { b: 2 }, { c: 3 }] },
      ['joined-objects'],
    ],
    ['a comma before a brace', '{"a":1,}', { a: 1 }, ['stray-commas']],
    ['a comma before a bracket', '{"a":[1,2, ]}', { a: [1, 2] }, ['stray-commas']],
    ['a comma behind a bracket', '{"a":[,{"b":1}]}', { a: [{ b: 1 }] }, ['stray-commas']],
    ['a comma behind the first brace', '{,"a":1}', { a: 1 }, ['stray-commas']],
    ['a comma in place of the first brace', ',"a":1}', { a: 1 }, ['stray-commas']],
    [
      'bare nan and inf',
      '{"a":nan,"b":-NaN,"c":inf,"d":-Inf,"e":[nan]}',
      { a: null, b: null, c: null, d: null, e: [null] },
      ['non-finite'],
    ],
    [
      'a comma lost after an empty string',
      '{"fan":""temp0":55,"b":2}',
      { fan: '', temp0: 55, b: 2 },
      ['missing-comma'],
    ],
    [
      'pairs in a list',
      '{"error_code":["110":"2024-06-15","541":"x"],"b":1}',
      { error_code: { 110: '2024-06-15', 541: 'x' }, b: 1 },
      ['pairs-in-list'],
    ],
  ])('%s', (_name, text, value, repairs) => {
    expect(repair(text)).toEqual({ value, repairs, isPartial: false });
  });

  test('bytes that are not UTF-8 are read as Latin-1', () => {
    expect(repairJson(Buffer.from('{"user":"caf\xe9"}', 'latin1'))).toEqual({
      value: { user: 'café' },
      repairs: ['latin1'],
      isPartial: false,
    });
  });
  test('nan and inf as text are read as null, also in strict JSON', () => {
    expect(repair('{"a":"nan","b":["-inf","Inf"],"user":"nancy"}')?.value).toEqual({
      a: null,
      b: [null, null],
      user: 'nancy',
    });
  });
  test('the last of duplicate keys wins', () => {
    expect(repair('{"temp1":1,"temp1":2}')?.value).toEqual({ temp1: 2 });
  });
  test('several kinds of damage at once are named in a fixed order', () => {
    const text = '{"S":[{"v":"a\nb"}{"x":nan,}],"f":""t0":1,"E":["1":"2"]}';
    expect(repair(text)).toEqual({
      value: { S: [{ v: 'ab' }, { x: null }], f: '', t0: 1, E: { 1: '2' } },
      repairs: ['control-characters', 'joined-objects', 'stray-commas', 'non-finite', 'missing-comma', 'pairs-in-list'],
      isPartial: false,
    });
  });
});

describe('a truncated tail is cut after the last whole value and marked', () => {
  test.each<[string, unknown]>([
    ['{"a":1,"b":{"c":2,"d":', { a: 1, b: { c: 2 } }],
    ['{"a":1,"b":"half', { a: 1 }],
    ['{"a":[1,2,34', { a: [1, 2] }],
    ['{"a":[{"b":1},{"c"', { a: [{ b: 1 }] }],
    ['{"a":{"b":1}', { a: { b: 1 } }],
    ['{"a":["1":"x","2":"y","3', { a: { 1: 'x', 2: 'y' } }],
    ['{"a":[{"b":1}{"c":2,"d":nan,"e":1', { a: [{ b: 1 }, { c: 2, d: null }] }],
  ])('%s', (text, value) => {
    const repaired = repair(text);
    expect(repaired?.value).toEqual(value);
    expect(repaired?.isPartial).toBe(true);
    expect(repaired?.repairs).toContain('truncated-tail');
  });
  test('every cut of a real answer is undefined, or holds nothing that the whole does not say', () => {
    const whole =
      '{"STATUS":[{"STATUS":"S","When":1773930539}],"STATS":[{"CGMiner":"2.3.3"},{"fan1":5610,"chain_acn1":105,"t":""}],"id":1}';
    const flat = (value: unknown) => JSON.stringify(value).match(/"[^"]*":("[^"]*"|[\d.]+)/g) ?? [];
    const truth = new Set(flat(JSON.parse(whole)));
    for (let end = 0; end < whole.length; end++) {
      const repaired = repair(whole.slice(0, end));
      if (!repaired) continue;
      expect(repaired.isPartial).toBe(true);
      expect(flat(repaired.value).filter((pair) => !truth.has(pair))).toEqual([]);
    }
  });
});

describe('what is not on the list is refused', () => {
  test.each([
    '',
    'Socket connect failed: Connection refused',
    '<html><body>404</body></html>',
    '{"a":1}{"b":2}',
    '{"a" 1}',
    '{"a":[1,,2]}',
    '{"a":1]}',
    '{"a":wat}',
    '}',
    '{"a":1} trailing',
    '{a:1}',
  ])('%s', (text) => {
    expect(repair(text)).toBeUndefined();
  });
});

describe('hostile values become harmless', () => {
  test('numbers beyond the range are null', () => {
    expect(repair('{"a":1e999,"b":[-1e999]}')?.value).toEqual({ a: null, b: [null] });
  });
  test('__proto__ is dropped, in strict and in mended answers', () => {
    for (const text of ['{"__proto__":{"isAdmin":true},"a":1}', '{"__proto__":{"isAdmin":true},"a":1,}']) {
      const value = repair(text)?.value;
      expect(JSON.stringify(value)).toBe('{"a":1}');
      expect(Object.assign({}, value)).not.toHaveProperty('isAdmin');
    }
  });
  test('nesting up to the limit is read, beyond it is refused, whether whole or broken', () => {
    const nested = (depth: number, inner = '1') => `${'['.repeat(depth)}${inner}${']'.repeat(depth)}`;
    expect(repair(nested(MAX_DEPTH))).toBeDefined();
    expect(repair(nested(MAX_DEPTH + 1))).toBeUndefined();
    expect(repair(nested(MAX_DEPTH, 'nan'))).toBeDefined();
    expect(repair(nested(MAX_DEPTH + 1, 'nan'))).toBeUndefined();
    expect(repair('['.repeat(1_000_000))).toBeUndefined();
    expect(repair(nested(1_000_000))).toBeUndefined();
  });
  test('thousands of repairs are made in one answer, an answer that needs more is refused', () => {
    const broken = (count: number) => `[${'nan,'.repeat(count)}1]`;
    expect(repair(broken(MAX_EDITS))?.value).toHaveLength(MAX_EDITS + 1);
    expect(repair(broken(MAX_EDITS + 1))).toBeUndefined();
  });
});

describe('the work grows with the length and no faster', () => {
  const shapes: readonly (readonly [string, string])[] = [
    ['open braces', '{'],
    ['open lists', '['],
    ['closers', '}'],
    ['joined objects', '{}'],
    ['commas', ','],
    ['quotes', '"'],
    ['backslashes', '\\'],
    ['control characters', '\u0001'],
    ['newlines', '\n'],
    ['nan', 'nan,'],
    ['pairs', '"1":"2",'],
    ['lost commas', '""a":'],
    ['pair lists', '["1":"2",'],
    ['letters', 'a'],
    ['high bytes', '\u00ff'],
  ];
  const prefixes = ['', '{"a":[', '[', '{"a":"', '["'];
  test.each(shapes)('%s', (_name, unit) => {
    for (const prefix of prefixes) {
      const costMs = (size: number) => {
        const text = Buffer.from(prefix + unit.repeat(Math.ceil(size / unit.length)));
        return cpuMsOf(() => repairJson(text));
      };
      costMs(20_000);
      // Quadratic work would take seconds for 400 KB; the better of two keeps a collection of garbage out of the
      // verdict.
      expect(Math.min(costMs(400_000), costMs(400_000))).toBeLessThan(400);
    }
  });
});

test('decoding gives the text alone', () => {
  expect(decodeReply(Buffer.from('\ufeff hi \0there'))).toEqual({ text: 'hi', repairs: ['nul-tail', 'bom'] });
});
