// Which miners people mean by what they write.
import { expect, test } from 'vitest';
import { namedMiners } from '../../../../src/agent/fleet/miner-selectors.ts';

const miner = (number: number, mac: string | null, serialNumber: string | null) => ({
  key: `key-${number}`,
  ip: `10.0.0.${number}`,
  mac,
  serialNumber,
});
const KNOWN = [
  miner(20, '02:55:F7:00:00:01', 'SN-a1'),
  miner(3, '02:55:F7:00:00:02', '0255f7000009'),
  miner(100, '02:55:F7:00:00:02', null),
  miner(4, null, 'SN-A4'),
];
const ipsOf = (...names: string[]) => namedMiners(names, KNOWN).miners.map(({ ip }) => ip);

test('by address, MAC and serial number as people write them, and by key', () => {
  expect(ipsOf('10.0.0.20')).toEqual(['10.0.0.20']);
  expect(ipsOf('02-55-f7-00-00-01')).toEqual(['10.0.0.20']);
  expect(ipsOf('sn-A1')).toEqual(['10.0.0.20']);
  expect(ipsOf('0255F7000009')).toEqual(['10.0.0.3']);
  expect(ipsOf('key-100')).toEqual(['10.0.0.100']);
});

test('a range means the known miners in it, in the order of their addresses; each is meant once', () => {
  expect(ipsOf('10.0.0.100', '10.0.0.0/25', 'SN-A4')).toEqual(['10.0.0.100', '10.0.0.3', '10.0.0.4', '10.0.0.20']);
});

test('a MAC that two miners show means neither of them', () => {
  const { miners, unknown } = namedMiners(['0255.f700.0002', '10.0.0.4'], KNOWN);
  expect(miners.map(({ ip }) => ip)).toEqual(['10.0.0.4']);
  expect(unknown).toEqual([
    { name: '0255.f700.0002', reason: expect.stringContaining('several miners show it: 10.0.0.3, 10.0.0.100') },
  ]);
});

test('names without a miner are listed', () => {
  const { unknown } = namedMiners(['10.0.0.5', '10.9.0.0/24', 'hall 2', '', 'N/A'], KNOWN);
  expect(unknown.map(({ name }) => name)).toEqual(['10.0.0.5', '10.9.0.0/24', 'hall 2', '', 'N/A']);
});
