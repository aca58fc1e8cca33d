// Which ranges and names the certificates of a farm may be for.
import { expect, test } from 'vitest';
import { mergeSpans } from '../../../../src/base/net/intervals.ts';
import { parseIpv4Range } from '../../../../src/base/net/ipv4.ts';
import {
  localNameOf,
  permittedAddresses,
  permittedRanges,
  strayAddresses,
} from '../../../../src/service/certificates/permitted.ts';

const spans = (...texts: string[]) =>
  texts.map((text) => {
    const range = parseIpv4Range(text);
    if (typeof range === 'string') throw new Error(range);
    return range;
  });

test.each([
  ['nothing', [], []],
  ['a network', ['10.31.0.0/22'], ['10.31.0.0/22']],
  ['one in another', ['10.31.0.0/22', '10.31.1.7', '10.31.0.0/22'], ['10.31.0.0/22']],
  ['a part of a network', ['10.31.0.1-10.31.3.200'], ['10.31.0.0/22']],
  ['one address', ['192.168.7.9'], ['192.168.7.9/32']],
  ['what is public', ['8.8.8.0/24', '172.32.0.0/16'], []],
  ['what is private in part', ['172.0.0.0/8'], ['172.16.0.0/12']],
  ['everything', ['0.0.0.0/0'], ['10.0.0.0/8', '100.64.0.0/10', '127.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16']],
])('%s', (_what, written, ranges) => expect(permittedRanges(spans(...written))).toEqual(ranges));

test('more than a certificate should carry become the blocks that hold them', () => {
  const many = Array.from({ length: 64 }, (_, index) => `10.${index * 2}.0.0/24`);
  expect(permittedRanges(mergeSpans(spans(...many, '192.168.0.0/24')))).toEqual(['10.0.0.0/8', '192.168.0.0/16']);
});

test('addresses inside the ranges count, those outside are named, and neither are public ones and 127.0.0.1', () => {
  const addresses = ['203.0.113.9', '192.168.1.5', '10.31.0.5', '127.0.0.1', 'fd00::1', '10.31.0.5'];
  expect(permittedAddresses(addresses, ['10.31.0.0/22'])).toEqual(['10.31.0.5']);
  expect(strayAddresses(addresses, ['10.31.0.0/22'])).toEqual(['192.168.1.5']);
});

test.each([
  ['Hall 2', 'pithead-hall-2.local'],
  ['Málaga', 'pithead-malaga.local'],
  ['pithead-7', 'pithead-7.local'],
  ['ферма', 'pithead.local'],
  ['--', 'pithead.local'],
  ['x'.repeat(90), `pithead-${'x'.repeat(40)}.local`],
  [`${'x'.repeat(39)} y`, `pithead-${'x'.repeat(39)}.local`],
])('%s is called %s', (name, called) => expect(localNameOf(name)).toBe(called));
