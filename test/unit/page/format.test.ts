// Numbers, times and ages as people of a language write them.
import { expect, test } from 'vitest';
import { createFormat, UNKNOWN } from '../../../src/page/text/format.ts';
import { LANGUAGES } from '../../../src/page/text/texts.ts';

const en = createFormat('en');
const SECOND = 1_000;
const HOUR = 3_600 * SECOND;

test.each(LANGUAGES)('%s: what is not known is a dash, and 0 is 0', (language) => {
  const show = createFormat(language);
  for (const unknown of [null, undefined, Number.NaN, Number.POSITIVE_INFINITY]) {
    const shown = [show.number(unknown), show.withUnit(unknown, 'rpm'), show.hashrate(unknown), show.power(unknown)];
    expect(shown).toEqual([UNKNOWN, UNKNOWN, UNKNOWN, UNKNOWN]);
    const others = [
      show.tempC(unknown),
      show.percent(unknown),
      show.duration(unknown),
      show.moment(unknown ?? Number.NaN, 0),
    ];
    expect(others).toEqual([UNKNOWN, UNKNOWN, UNKNOWN, UNKNOWN]);
  }
  expect(UNKNOWN).toBe('–');
  expect([show.number(0), show.hashrate(0), show.power(0)]).toEqual(['0', '0 H/s', '0 W']);
  expect([show.tempC(0), show.percent(0)]).toEqual(['0 °C', '0 %']);
});

test.each([
  [999, '999 H/s'],
  [1_000, '1.00 kH/s'],
  [9_500e6, '9.50 GH/s'],
  [104.249e12, '104.25 TH/s'],
  [999.99e12, '999.99 TH/s'],
  [999.999e12, '1.00 PH/s'],
  [1.41e18, '1.41 EH/s'],
  [2_500e18, '2,500.00 EH/s'],
])('a hashrate of %d H/s', (hashrateHs, text) => {
  expect(en.hashrate(hashrateHs)).toBe(text);
});

test.each([
  [3_250, '3,250 W'],
  [9_999, '9,999 W'],
  [10_000, '10.0 kW'],
  [999_940, '999.9 kW'],
  [999_960, '1.00 MW'],
  [24.6e6, '24.60 MW'],
])('a power of %d W', (powerW, text) => {
  expect(en.power(powerW)).toBe(text);
});

test('a little less than 0 has no sign, frost has', () => {
  expect([en.tempC(-0.3), en.tempC(-12), en.number(-0), en.percent(-0.001)]).toEqual(['0 °C', '-12 °C', '0', '0 %']);
});

test('shares', () => {
  expect([0.974, 1, 1.031, 0.004].map(en.percent)).toEqual(['97 %', '100 %', '103 %', '0 %']);
});

test('an age is in its largest unit, rounded down, and never below 0', () => {
  const ages = [-5 * SECOND, 999, SECOND, 59_999, 60 * SECOND, 59 * 60 * SECOND, HOUR, 47 * HOUR, 400 * 24 * HOUR];
  const texts = ['0 s', '0 s', '1 s', '59 s', '1 min', '59 min', '1 h', '1 d', '400 d'];
  expect(ages.map(en.duration)).toEqual(texts);
});

test.each([
  ['en', ['7 s', '14 min', '3 h', '2 d']],
  ['es', ['7 s', '14 min', '3 h', '2 d']],
  ['ru', ['7 с', '14 мин', '3 ч', '2 д']],
  ['zh', ['7秒', '14分钟', '3小时', '2天']],
] as const)('ages in %s', (language, texts) => {
  const ages = [7 * SECOND, 14 * 60 * SECOND, 3 * HOUR, 48 * HOUR];
  expect(ages.map(createFormat(language).duration)).toEqual(texts);
});

test.each([
  ['en', '12,345.67', '1.41 EH/s'],
  ['es', '12.345,67', '1,41 EH/s'],
  ['ru', '12\u00a0345,67', '1,41 EH/s'],
  ['zh', '12,345.67', '1.41 EH/s'],
] as const)('numbers in %s', (language, number, hashrate) => {
  const show = createFormat(language);
  expect([show.number(12_345.67, 2), show.hashrate(1.41e18)]).toEqual([number, hashrate]);
});

test('a moment of today is its time, of another day it has the day', () => {
  const now = new Date(2026, 5, 10, 15, 0).getTime();
  expect(en.moment(new Date(2026, 5, 10, 7, 5).getTime(), now)).toBe('07:05');
  expect(en.moment(new Date(2026, 5, 10, 0, 0).getTime(), now)).toBe('00:00');
  const yesterday = new Date(2026, 5, 9, 23, 59).getTime();
  expect(en.moment(yesterday, now)).toBe('Jun 9, 23:59');
  // The end of a key that lasts a year is not tomorrow.
  expect(en.moment(new Date(2027, 5, 11, 0, 0).getTime(), now)).toBe('Jun 11, 2027, 00:00');
  expect(LANGUAGES.map((language) => createFormat(language).clock(yesterday))).toEqual(LANGUAGES.map(() => '23:59'));
  expect(createFormat('ru').moment(yesterday, now)).toContain('9 июн');
  expect(createFormat('zh').moment(yesterday, now)).toContain('6月9日');
  expect(createFormat('es').moment(yesterday, now)).toContain('9 jun');
});
