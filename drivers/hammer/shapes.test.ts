// Answers of Blackminers, of which there is no recording. Nothing false may be made of them.
import { expect, test } from 'vitest';
import { hammer } from './index.ts';

type Fields = Readonly<Record<string, unknown>>;
const chains = (numbers: readonly number[], of: (chain: number) => Fields): Fields =>
  Object.assign({}, ...numbers.map(of));

const f1 = {
  stats: {
    STATS: [
      { CGMiner: '2.3.3', Type: 'Blackminer F1-ULTRA' },
      {
        STATS: 0,
        Elapsed: 298_732,
        'GHS 5s': '4.2088',
        'GHS av': '4.5009',
        frequency: '380',
        fan_num: 2,
        fan1: 2_820,
        fan2: 2_850,
        temp1: 52,
        chipTemp1: '[65.21, 64.10, 62.38, 62.26, 67.06, 69.64]',
        temp2: 52,
        chipTemp2: '[69.40, 64.35, 63.12, 61.89, 67.55, 71.73]',
        temp3: 0,
        chipTemp3: '[0.00, 0.00, 0.00, 0.00, 0.00, 0.00]',
        ...chains([1, 2], (chain) => ({ [`chain_acn${chain}`]: 6, [`chain_acs${chain}`]: ' oooooo' })),
        chain_acn3: 0,
        chain_rate1: '1.8897',
        chain_rate2: '2.3191',
        chain_rate3: '',
      },
    ],
  },
};

test('a Blackminer is no Hammer: its make, its chips and its boards apart, the unit of its keys', () => {
  const reading = hammer.read(f1, { make: 'Blackminer', model: 'F1-ULTRA' }).reading;
  expect(reading).toMatchObject({ make: 'Blackminer', model: 'F1-ULTRA', tempC: 71.73, isMining: true });
  expect(reading.hashrateHs).toBeCloseTo(4.2088e9, 0);
  expect(
    reading.boards?.map(({ slot, boardTempsC, chipTempMaxC, frequencyMhz }) => [
      slot,
      boardTempsC,
      chipTempMaxC,
      frequencyMhz,
    ]),
  ).toEqual([
    [0, [52], 69.64, 380],
    [1, [52], 71.73, 380],
  ]);
  expect(reading).not.toHaveProperty('miningMode');
});
