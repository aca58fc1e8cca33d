// Which miners people mean by what they write.
import { expect, test } from 'vitest';
import { namedMiners } from '../../../../src/agent/fleet/miner-selectors.ts';
import { toBitmask } from '../../../../src/model/flags/anomaly-types.ts';
import type { SelectableMiner } from '../../../../src/model/selector/selector.ts';
import { boardMiner, NOW_MS } from '../../model/board/board-miners.ts';

const miner = (number: number, mac: string | null, serial: string | null, with_: Partial<SelectableMiner> = {}) =>
  boardMiner(number, { id: `key-${number}`, mac, serials: serial === null ? [] : [serial], ...with_ });
const KNOWN = [
  miner(20, '02:55:F7:00:00:01', 'SN-a1'),
  miner(3, '02:55:F7:00:00:02', '0255f7000009', { flags: toBitmask(['fan']) }),
  miner(100, '02:55:F7:00:00:02', null, { flags: toBitmask(['fan']), model: 'M30S' }),
  miner(4, null, 'SN-A4'),
];
const ipsOf = (...words: string[]) => namedMiners(words, KNOWN, NOW_MS).miners.map(({ ip }) => ip);
const refusalOf = (...words: string[]) => {
  try {
    return ipsOf(...words);
  } catch (error) {
    return error;
  }
};

test('by address, MAC and serial number as people write them, and by key', () => {
  expect(ipsOf('10.0.0.20')).toEqual(['10.0.0.20']);
  expect(ipsOf('02-55-f7-00-00-01')).toEqual(['10.0.0.20']);
  expect(ipsOf('sn-A1')).toEqual(['10.0.0.20']);
  expect(ipsOf('0255F7000009')).toEqual(['10.0.0.3']);
  expect(ipsOf('key-100')).toEqual(['10.0.0.100']);
});

test('by what they are', () => {
  expect(ipsOf('flag:fan', 'model:m30')).toEqual(['10.0.0.100']);
  expect(ipsOf('flag:fan', 'not', 'model:m30')).toEqual(['10.0.0.3']);
});

test('those that are named come as they are named, and then those of ranges by address; each is meant once', () => {
  expect(ipsOf('10.0.0.100', '10.0.0.0/25', 'SN-A4')).toEqual(['10.0.0.100', '10.0.0.4', '10.0.0.3', '10.0.0.20']);
  expect(ipsOf('all')).toEqual(['10.0.0.3', '10.0.0.4', '10.0.0.20', '10.0.0.100']);
});

test('a MAC that two miners show means neither of them', () => {
  const { miners, unknown } = namedMiners(['0255.f700.0002', '10.0.0.4'], KNOWN, NOW_MS);
  expect(miners.map(({ ip }) => ip)).toEqual(['10.0.0.4']);
  expect(unknown).toEqual([
    { name: '0255.f700.0002', reason: expect.stringContaining('several miners show it: 10.0.0.3, 10.0.0.100') },
  ]);
});

test('names without a miner are listed', () => {
  const { unknown } = namedMiners(['10.0.0.5', '10.9.0.0/24', 'hall 2', 'N/A'], KNOWN, NOW_MS);
  expect(unknown.map(({ name }) => name)).toEqual(['10.0.0.5', '10.9.0.0/24', 'hall 2', 'N/A']);
});

test('no word means no miner, and what cannot be read or needs a service is refused', () => {
  expect(refusalOf(' ')).toMatchObject({ code: 'select.wrong' });
  expect(refusalOf('flag:fam')).toMatchObject({ code: 'select.wrong', message: expect.stringContaining('fan') });
  expect(refusalOf('rack:C03')).toMatchObject({ code: 'select.lacking', message: expect.stringContaining('--server') });
});
