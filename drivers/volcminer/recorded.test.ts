// What is known of its recorded devices beyond the values of their index: order, sensors, units, faults.
import { expect, test } from 'vitest';
import { Answer } from '../../src/driver/kit/index.ts';
import { repairJson } from '../../src/transport/cgminer/json-fixer.ts';
import { bytesOf, hasRecordings } from '../../test/contract/answers.ts';
import { firstOf, readingOf } from '../../test/contract/recorded-sets.ts';
import { readStats } from '../_dialects/bitmain.ts';

test.skipIf(!hasRecordings)('VolcMiner: the TCP answer that lacks a comma is mended, and is Bitmain’s dialect', () => {
  const answer = repairJson(bytesOf('volcminer/d1-2025-10-08-web/tcp.stats-malformed.txt'))?.value;
  expect(answer).toMatchObject({ STATS: [{}, { fan1: 5_610, chain_acn1: 105 }] });
  const stats = readStats(new Answer(answer), undefined);
  expect([stats?.fanSlots, stats?.boards?.map(({ slot, reading }) => [slot, reading.chips])]).toEqual([
    [5_610],
    [[0, 105]],
  ]);
});

test.skipIf(!hasRecordings)('VolcMiner: MH/s whatever the key says, fans that turn, its host name as its type', () => {
  const reading = readingOf(firstOf('volcminer'));
  expect(reading).toMatchObject({ make: 'VolcMiner', model: 'D1', controlBoard: 'Xilinx', tempC: 57 });
  expect(reading.boards).toMatchObject([{ slot: 0, chips: 120, frequencyMhz: 2_000, boardTempsC: [55, 57] }]);
  expect(reading.expected).toMatchObject({ fans: 4, boards: 3 });
});
