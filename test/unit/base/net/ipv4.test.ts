// Addresses and ranges as people write them, and nothing that only looks like one.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { formatIpv4, isInRange, parseIpv4, parseIpv4Range } from '../../../../src/base/net/ipv4.ts';

const anyAddress = fc.integer({ min: 0, max: 2 ** 32 - 1 });

describe('an address', () => {
  test('goes to a number and back', () => {
    fc.assert(
      fc.property(anyAddress, (address) => {
        expect(parseIpv4(formatIpv4(address))).toBe(address);
      }),
    );
  });

  test.each([
    ['0.0.0.0', 0],
    ['10.0.0.1', 167_772_161],
    ['192.168.1.255', 3_232_236_031],
    ['255.255.255.255', 4_294_967_295],
  ])('%s is %d', (text, number) => {
    expect(parseIpv4(text)).toBe(number);
    expect(formatIpv4(number)).toBe(text);
  });

  test.each([
    [''],
    ['10.0.0'],
    ['10.0.0.256'],
    ['10.0.0.1.1'],
    ['010.0.0.1'],
    ['0x0a.0.0.1'],
    ['10.0.0.-1'],
    ['10.0.0.1 '],
    ['a.b.c.d'],
    ['1e1.0.0.1'],
    ['167772161'],
  ])('%j is none', (text) => {
    expect(parseIpv4(text)).toBeUndefined();
  });
});

describe('a range', () => {
  test.each([
    ['10.0.0.5', 'single', '10.0.0.5', '10.0.0.5', 1],
    ['10.0.0.0/24', 'cidr', '10.0.0.0', '10.0.0.255', 256],
    ['10.0.0.77/24', 'cidr', '10.0.0.0', '10.0.0.255', 256],
    ['10.0.0.1/32', 'cidr', '10.0.0.1', '10.0.0.1', 1],
    ['0.0.0.0/0', 'cidr', '0.0.0.0', '255.255.255.255', 4_294_967_296],
    ['10.0.0.1-10.0.1.4', 'hyphen', '10.0.0.1', '10.0.1.4', 260],
    ['10.0.0.1-50', 'hyphen', '10.0.0.1', '10.0.0.50', 50],
    [' 10.0.0.1 - 10.0.0.2 ', 'hyphen', '10.0.0.1', '10.0.0.2', 2],
    ['10.0.0.7-7', 'hyphen', '10.0.0.7', '10.0.0.7', 1],
  ])('%j is understood', (text, form, first, last, size) => {
    const range = parseIpv4Range(text);
    if (typeof range === 'string') throw new Error(range);
    expect({ form: range.form, first: formatIpv4(range.first), last: formatIpv4(range.last) }).toEqual({
      form,
      first,
      last,
    });
    expect(range.last - range.first + 1).toBe(size);
    expect(range.text).toBe(text.trim());
  });

  test.each([
    [''],
    ['10.0.0.0/33'],
    ['10.0.0.0/'],
    ['10.0.0.0/a'],
    ['10.0.0/24'],
    ['10.0.0.1-'],
    ['-10.0.0.1'],
    ['10.0.0.1-256'],
    ['10.0.0.1-10.0.0.2-10.0.0.3'],
    ['10.0.0.*'],
  ])('%j is refused with what is accepted', (text) => {
    const problem = parseIpv4Range(text);
    expect(problem).toBeTypeOf('string');
    expect(problem).toContain('10.0.0.0/24');
  });

  test.each([['10.0.0.9-10.0.0.1'], ['10.0.0.9-1']])('%j runs downwards and is told so', (text) => {
    expect(parseIpv4Range(text)).toContain('downwards');
  });

  test('holds exactly the addresses between its ends', () => {
    fc.assert(
      fc.property(anyAddress, anyAddress, anyAddress, (a, b, address) => {
        const [first, last] = [Math.min(a, b), Math.max(a, b)];
        const range = parseIpv4Range(`${formatIpv4(first)}-${formatIpv4(last)}`);
        if (typeof range === 'string') throw new Error(range);
        expect(isInRange(range, address)).toBe(address >= first && address <= last);
      }),
    );
  });
});
