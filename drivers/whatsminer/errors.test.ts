// Fault codes of Whatsminers: every shape of the list, every rule of decoding, severities.
import { describe, expect, test } from 'vitest';
import { errorReadingSchema } from '../../src/model/reading.ts';
import { HARMLESS, NOTICES, SLOT_CODES, WARNINGS, WHOLE_CODES } from './errors.data.ts';
import { errorReading, faultsOf } from './errors.ts';

const codes = (value: unknown) => faultsOf(value)?.map(({ code }) => code);
const meaning = (code: number) => {
  const { category, message, index } = errorReading({ code: String(code) }, undefined);
  return [category, message, index];
};

describe('the list of faults', () => {
  test('is read from objects, numbers and texts, each code once', () => {
    const list = ['2010', 541, { 541: 'Slot 1', reason: 'hashboard' }, { 5032: 'Slot 2' }, 'not-a-code', null];
    expect(codes(list)).toEqual(['2010', '541', '5032']);
  });
  test('is read from one object, as the repaired list of API 2.0.4 is', () => {
    expect(codes({ 110: '2024-06-15 09:15:00', 2010: '2024-06-15 09:15:01' })).toEqual(['110', '2010']);
  });
  test('is empty, not absent, when the device has none or writes words', () => {
    expect(faultsOf([])).toEqual([]);
    expect(faultsOf('btminer process is down err')).toEqual([]);
    expect(faultsOf(['0', 0])).toEqual([]);
  });
  test('is absent when nothing was given', () => {
    expect(faultsOf(undefined)).toBeUndefined();
    expect(faultsOf(null)).toBeUndefined();
  });
  test("keeps the device's reason, but takes no time for one", () => {
    expect(faultsOf([{ 264: '2026-05-23 09:19:10', reason: 'no reply' }])).toEqual([
      { code: '264', detail: 'no reply', since: '2026-05-23 09:19:10' },
    ]);
    expect(faultsOf([{ 264: '2026-05-23 09:19:10' }, { 110: '1700000000' }])).toEqual([
      { code: '264', since: '2026-05-23 09:19:10' },
      { code: '110' },
    ]);
  });
  test('keeps the time of each, on API 2 and 3', () => {
    const api2 = { 218: '2022-04-12 05:12:11', 110: '2022-04-12 05:13:00' };
    const api3 = [{ 218: '2022-04-12 05:12:11', reason: 'low mains' }, 110];
    expect(faultsOf(api2)).toEqual([
      { code: '110', since: '2022-04-12 05:13:00' },
      { code: '218', since: '2022-04-12 05:12:11' },
    ]);
    const [first, second] = faultsOf(api3) ?? [];
    expect(first && errorReading(first, undefined)).toMatchObject({ code: '218', since: '2022-04-12 05:12:11' });
    expect(second && errorReading(second, undefined)).not.toHaveProperty('since');
    expect(errorReadingSchema.safeParse(first && errorReading(first, undefined)).success).toBe(true);
  });
  test('is bounded', () => {
    expect(faultsOf(Array.from({ length: 5_000 }, (_, index) => index + 1))?.length).toBeLessThanOrEqual(64);
  });
});

describe('a code', () => {
  test('is looked up whole first', () => {
    expect(meaning(110)).toEqual(['fan', 'Intake fan speed deviates from target', 0]);
    // 202 is also the prefix of the pool codes.
    expect(meaning(202)[0]).toBe('psu');
    expect(meaning(100001)[0]).toBe('security');
  });
  test('without its last digit names a slot or a pool', () => {
    expect(meaning(541)).toEqual(['hashboard', 'Slot 1: chip id cannot be read', 1]);
    expect(meaning(5032)).toEqual(['temperature', 'Slot 2: chip temperature spread too large', 2]);
    expect(meaning(2021)).toEqual(['pool', 'Pool 1: connection failed', 1]);
    expect(meaning(5070)[0]).toBe('cooling');
  });
  test('of a chip names slot and chip', () => {
    expect(meaning(531123)).toEqual(['chip', 'Slot 1 chip 123: too few nonces', 1]);
    expect(meaning(5607)).toEqual(['chip', 'Slot 0 chip 7: no nonces', 0]);
  });
  test('of a level names the level', () => {
    expect(meaning(8531)).toEqual(['performance', 'Power consumption below standard, level 3', undefined]);
  });
  test('that nobody knows keeps its number and the words of the device', () => {
    expect(errorReading({ code: '77', detail: 'odd' }, undefined)).toEqual({
      code: '77',
      category: 'unknown',
      severity: 'major',
      message: 'odd',
    });
    expect(meaning(123456)).toEqual(['unknown', undefined, undefined]);
  });
  test('is minor where farms know it as harmless, and info for a missing humidity sensor', () => {
    const severity = (code: number, model?: string) => errorReading({ code: String(code) }, model).severity;
    expect(severity(2320, 'M30S+ VE40')).toBe('minor');
    expect(severity(2320, 'M60S VK40')).toBe('major');
    expect(severity(5140, 'M56S VH30')).toBe('minor');
    expect(severity(263)).toBe('minor');
    expect(severity(381)).toBe('info');
  });
});

test('every row of the tables gives an error that the model accepts', () => {
  const all = [
    ...Object.keys(WHOLE_CODES),
    ...Object.keys(SLOT_CODES).map((code) => `${code}3`),
    ...[...WARNINGS, ...NOTICES, ...Object.values(HARMLESS).flat()].map(String),
  ];
  expect(all.length).toBeGreaterThan(200);
  for (const code of all) {
    const reading = errorReadingSchema.parse(errorReading({ code, detail: 'x'.repeat(256) }, 'M30S V10'));
    expect(reading.category, code).not.toBe(undefined);
    expect(reading.message, code).not.toContain('{');
  }
});
