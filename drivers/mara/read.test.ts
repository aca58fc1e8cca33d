// MARA firmware where the unit of its rates is hard to see: dips, builds that mix units, figures that no machine
// reaches; and fans of unknown models.
import { describe, expect, test } from 'vitest';
import { mara } from './index.ts';

const IDEAL_GHS = 100_000;
type Rates = { now?: number; average?: number; boards?: readonly number[] };

function read({ now, average, boards }: Rates) {
  const brief = { hashrate_ideal: IDEAL_GHS, hashrate_realtime: now, hashrate_average: average };
  const rows = boards?.map((rate, index) => ({ index, asic_num: 126, hashrate_average: rate }));
  const { reading } = mara.read({ brief, ...(rows && { hashboards: { hashboards: rows } }) }, {});
  return {
    now: reading.hashrateHs,
    average: reading.hashrateAverageHs,
    boards: reading.boards?.map((board) => board.hashrateHs),
  };
}

describe('the unit of the rates', () => {
  test.each<[string, Rates, Rates]>([
    [
      'GH/s, in a dip: what could be TH/s is not told',
      { now: 120, average: 98_000, boards: [32_600, 32_600, 20] },
      { average: 98e12, boards: [32.6e12, 32.6e12, Number.NaN] },
    ],
    ['GH/s, seen by the boards alone', { now: 2_000, boards: [32_600, 0, 0] }, { now: 2e12, boards: [32.6e12, 0, 0] }],
    ['GH/s, starting: the one figure that is no TH/s decides', { now: 20_000, average: 90 }, { now: 20e12 }],
    ['now in TH/s, the average in GH/s', { now: 98, average: 98_000 }, { average: 98e12 }],
    ['TH/s, in a dip', { now: 0.2, average: 98 }, { now: 0.2e12, average: 98e12 }],
    [
      'TH/s, with one figure that no machine reaches',
      { now: 98, average: 9.8e6, boards: [32, 33, 1e9] },
      { now: 98e12, boards: [32e12, 33e12, Number.NaN] },
    ],
    ['stopped', { now: 0, average: 98_000 }, { now: 0, average: 98e12 }],
    ['nothing but what no machine reaches', { now: 1e6, average: 1e6 }, {}],
  ])('%s', (_, written, { now, average, boards }) => {
    const told = boards?.map((hs) => (Number.isNaN(hs) ? undefined : hs));
    expect(read(written)).toEqual({ now, average, boards: told });
  });
});

test('headers without a fan are none, where the model does not say how many there are', () => {
  const fans = (model: string) =>
    mara.read(
      { fans: { fans: [6_000, 6_000, 0, 0].map((current_speed) => ({ current_speed })) }, overview: { model } },
      {},
    ).reading.fans;
  const turning = [0, 1].map((index) => ({ index, rpm: 6_000 }));
  expect(fans('Antminer S99')).toEqual(turning);
  expect(fans('Antminer S21')).toEqual([...turning, { index: 2, rpm: 0 }, { index: 3, rpm: 0 }]);
});
