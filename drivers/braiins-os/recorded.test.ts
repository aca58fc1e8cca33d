// What is known of its recorded devices beyond the values of their index: order, sensors, units, faults.
import { describe, expect, test } from 'vitest';
import { hasRecordings } from '../../test/contract/answers.ts';
import { readingOf } from '../../test/contract/recorded-sets.ts';

describe.skipIf(!hasRecordings)('Braiins OS', () => {
  test('REST: two clocks, the hottest chips, fans in percent, and of a history of errors only what is recent', () => {
    const reading = readingOf('braiins-os--s19xp-25.07-rest');
    expect(reading).toMatchObject({
      make: 'Antminer',
      model: 'S19 XP',
      uptimeS: 69_685,
      systemUptimeS: 69_725,
      controlBoard: 'AMLogic',
      miningMode: 'power_tuning',
      tempC: 70.5,
      errors: [],
      expected: { boards: 3, chipsPerBoard: 110, fans: 4 },
    });
    expect(reading.boards?.map(({ chipTempMaxC }) => chipTempMaxC)).toEqual([70.5, 67, 69]);
    expect(reading.fans?.map(({ dutyPercent }) => dutyPercent)).toEqual([100, 100, 100, 100]);
  });

  test('GraphQL: sensors by their old and their newer names; two groups of pools are one list', () => {
    const chips = (id: string) => readingOf(id).boards?.map(({ chipTempMaxC }) => chipTempMaxC);
    expect(chips('braiins-os--s9-22.08-gql')).toEqual([81.625, 89.25, 80]);
    expect(chips('braiins-os--s21plus-25.03-gql')).toEqual([75, 73.5, 72.5]);
    expect(readingOf('braiins-os--s21-24.09-gql').pools?.map(({ accepted, rejected }) => [accepted, rejected])).toEqual(
      [
        [111_393, 239],
        [13, 0],
      ],
    );
    expect(readingOf('braiins-os--s9-22.08-gql').pools?.map(({ index, url }) => [index, url])).toEqual([
      [0, 'stratum+tcp://btc1.example.pool:3333'],
      [1, 'stratum+tcp://btc2.example.pool:3333'],
    ]);
  });
});
