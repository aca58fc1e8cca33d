// What is known of its recorded devices beyond the values of their index: order, sensors, units, faults.
import { expect, test } from 'vitest';
import { hasRecordings } from '../../test/contract/answers.ts';
import { firstOf, readingOf } from '../../test/contract/recorded-sets.ts';

test.skipIf(!hasRecordings)(
  'LuxOS: boards are told in the order of their slots, and events with what they are about',
  () => {
    const reading = readingOf(firstOf('luxos'));
    expect(reading.boards?.map(({ slot, serialNumber }) => [slot, serialNumber])).toEqual([
      [0, 'JYZZYRSBDJEBI06Z5'],
      [1, 'JYZZYRSBDJEBI06ZM'],
      [2, 'JYZZYRSBDJEBI06ZR'],
    ]);
    expect(reading.errors).toEqual([
      {
        code: 'NOPIC_PROTECTION',
        message: '[MINER] Miner shutdown due to NOPIC protection.',
        category: 'hashboard',
        severity: 'minor',
      },
      {
        code: 'REBOOT_NOT_HASHING',
        message: '[BOARD 0] Board reboot due to it not hashing.',
        category: 'hashboard',
        severity: 'minor',
        index: 0,
      },
    ]);
  },
);
