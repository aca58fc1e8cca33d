// An answer read field by field: nothing that a device writes throws, and nothing that is not there becomes 0.
import { describe, expect, test } from 'vitest';
import { Answer, daysClockS, poolUrl, uptimeWordsS } from '../../../../src/driver/kit/index.ts';

const of = (value: unknown) => new Answer({ value });

describe('what was not answered', () => {
  test.each([undefined, null, '', 'text', 0, [], [[]], true])('%j has no fields', (raw) => {
    const answer = new Answer(raw);
    expect(answer.isThere).toBe(false);
    expect(answer.keys()).toEqual([]);
    expect(answer.at('a', 'b').number('c')).toBeUndefined();
    expect(answer.row('a').text('b')).toBeUndefined();
    expect(answer.has('length')).toBe(false);
  });
  test('a text is its body, a list its rows', () => {
    expect(new Answer('log').body).toBe('log');
    expect(new Answer({ a: 'log' }).body).toBeUndefined();
    expect(new Answer([{ a: 1 }, 2]).rows()?.map((row) => row.number('a'))).toEqual([1]);
  });
  test('a text may hold JSON', () => {
    expect(new Answer('{"result":-1}').parsed().number('result')).toBe(-1);
    for (const raw of ['<html>', '', undefined, { result: -1 }]) expect(new Answer(raw).parsed().isThere).toBe(false);
  });
});

describe('numbers', () => {
  test.each([
    ['37,603.30', 37_603.3],
    [' 12 ', 12],
    [0, 0],
    ['', undefined],
    [null, undefined],
    ['nan', undefined],
    [Number.POSITIVE_INFINITY, undefined],
    [{}, undefined],
    [[5], undefined],
  ])('%j is %j', (value, number) => expect(of(value).number('value')).toBe(number));

  test('each reader has the range of its unit', () => {
    expect(of(30_001).rpm('value')).toBeUndefined();
    expect(of(101).percent('value')).toBeUndefined();
    expect(of(4e9 + 1).seconds('value')).toBeUndefined();
    expect(of(-1).count('value')).toBeUndefined();
    expect(of('156.0').count('value')).toBe(156);
    expect(of('11750').milli('value', { min: 5_000 })).toBe(11.75);
    expect(of(11.75).milli('value', { min: 5_000 })).toBeUndefined();
    expect(of(201).tempC('value')).toBeUndefined();
  });
  test('0 is a rate, a count and a speed, and no temperature, clock, power or what must be positive', () => {
    const zero = of(0);
    expect([zero.rateHs('value', 'T'), zero.count('value'), zero.rpm('value')]).toEqual([0, 0, 0]);
    expect([zero.tempC('value'), zero.mhz('value'), zero.watts('value'), zero.positive('value')]).toEqual(
      Array.from({ length: 4 }, () => undefined),
    );
  });
});

describe('lists', () => {
  test('rows are the objects of a list; a list of other things says nothing', () => {
    expect(of([{ a: 1 }, null, 'x', [2]]).rows('value')).toHaveLength(1);
    expect(of([]).rows('value')).toEqual([]);
    expect(of(['x']).rows('value')).toBeUndefined();
    expect(of({ 0: {} }).rows('value')).toBeUndefined();
  });
  test('no more than the bound is read', () => {
    const rows = Array.from({ length: 1_000 }, () => ({}));
    expect(of(rows).rows('value')).toHaveLength(64);
    expect(of(rows).rows('value', 3)).toHaveLength(3);
    expect(of(rows).list('value')).toHaveLength(64);
  });
});

describe('texts', () => {
  test.each([
    ['N/A', undefined, undefined],
    ['none', 'none', undefined],
    ['0', '0', undefined],
    ['  S19\u001b[31m ', 'S19 [31m', 'S19 [31m'],
    [7, '7', '7'],
  ])('%j: text %j, name %j', (value, text, name) => {
    expect(of(value).text('value')).toBe(text);
    expect(of(value).name('value')).toBe(name);
  });
  test('a MAC and a serial number arrive as written, a part without one has none', () => {
    expect(of('N/A').asWritten('value')).toBe('N/A');
    expect(of('0x0').partSerial('value')).toBeUndefined();
  });
  test('a word is one of those that are known, in any case', () => {
    expect(of('ECO').word('value', ['eco', 'turbo'])).toBe('eco');
    expect(of('other').word('value', ['eco', 'turbo'])).toBeUndefined();
  });
  test('an address that is hidden is not one that is empty', () => {
    expect([of('***').poolAddress('value'), of(' ').poolAddress('value')]).toEqual([undefined, '']);
  });
});

describe('times in words', () => {
  test.each([
    ['03:09:36:02', 293_762],
    ['0:0:0:0', 0],
    ['09:36:02', undefined],
    [5, undefined],
  ])('%j is %j', (written, seconds) => expect(daysClockS(written)).toBe(seconds));
  test.each([
    [' 17:30:43 up 5 days, 19:20,  0 users,  load average: 3.00', 501_600],
    ['10:22:33 up 1 day, 3 min,  load average: 0.10', 86_580],
    ['10:22:33 up  1:05,  1 user', 3_900],
    ['up 12 min', 720],
    ['up 3 days', 259_200],
    ['up 3 days, and more', undefined],
    ['up soon', undefined],
    ['up', undefined],
    ['load average: 3.00', undefined],
  ])('%j is %j', (written, seconds) => expect(uptimeWordsS(written)).toBe(seconds));
});

test.each([
  [['a.example:3333'], 'stratum+tcp://a.example:3333'],
  [['a.example', 25], 'stratum+tcp://a.example:25'],
  [['ssl://a.example:1', 25], 'ssl://a.example:1'],
  [['a.example', undefined, 'stratum2+tcp'], 'stratum2+tcp://a.example'],
] as const)('the address %j is %s', ([address, port, scheme], url) => expect(poolUrl(address, port, scheme)).toBe(url));
