// Pools as farms have them: backups, lists with empty places, other spellings, rare shares.
import { describe, expect, test } from 'vitest';
import { anomalySettingsSchema } from '../../../../../src/agent/fleet/anomaly/settings.ts';
import type { PoolReading, Reading } from '../../../../../src/model/reading.ts';
import { type Change, createBench, put } from './fixture.ts';

const first =
  (fields: Partial<PoolReading>, ...others: PoolReading[]): Change =>
  ({ pools: [pool] = [], ...reading }) =>
    put({ pools: pool && [{ ...pool, ...fields }, ...others] })(reading);
const backup: PoolReading = { index: 1, url: 'backup.example:443', user: 'w', isAlive: true, isActive: true };

describe('dead pools', () => {
  test('are dead, whatever stands in empty places of the list', () => {
    const bench = createBench();
    bench.polls(5);
    bench.polls(3, first({ isAlive: false }, { index: 1, url: '', user: '' }));
    expect(bench.flag('pool')).toMatchObject({ severity: 'critical', message: 'none of 1 pools is alive' });
    const other = createBench();
    other.polls(5);
    other.polls(3, first({ isAlive: false }, { index: 1, url: '', user: '', isAlive: true }));
    expect(other.types()).toEqual(['pool']);
  });

  test('whose miner uses a backup for long are said mildly, and are no cause of a low rate', () => {
    const bench = createBench();
    bench.polls(40);
    const elsewhere = first({ isAlive: false, isActive: false, accepted: 5_000 }, { ...backup, accepted: 9_000 });
    bench.polls(10, (reading) => elsewhere(reading));
    expect(bench.types()).toEqual([]);
    for (let minute = 0; minute < 40; minute++)
      bench.poll(first({ isAlive: false, isActive: false, accepted: 5_000 }, { ...backup, accepted: 9_001 + minute }));
    expect(bench.judgement?.flags).toMatchObject([
      { type: 'pool', severity: 'minor', finding: 'pool:eu.pool.example:3333#elsewhere' },
    ]);
    for (let minute = 0; minute < 4; minute++)
      bench.poll((reading) =>
        put({ hashrateSettledHs: 20e12 })(
          first({ isAlive: false, isActive: false, accepted: 5_000 }, { ...backup, accepted: 9_100 + minute })(reading),
        ),
      );
    expect(bench.flag('low_hashrate')?.finding).toBeUndefined();
    bench.polls(4);
    expect(bench.types()).toEqual([]);
  });

  test.each<[string, Change]>([
    ['that is in use all the same', first({ isAlive: false, isActive: true }, { ...backup, isActive: false })],
    [
      'of which nothing is told',
      ({ pools: [pool] = [], ...reading }) =>
        first({}, backup)({ ...reading, pools: pool ? [{ ...pool, isAlive: true }] : [] }),
    ],
    ['that stands second', first({}, { ...backup, isAlive: false, isActive: false })],
  ])('a first one %s is none', (_, change) => {
    const bench = createBench();
    bench.polls(40, change);
    expect(bench.types()).toEqual([]);
  });
});

test.each([
  ['stratum+tcp://EU.Pool.Example.:3333', 'pool.example'],
  ['stratum+ssl://w:x@[2001:DB8::1]:443/#xnsub', '[2001:db8::1]'],
])('the spelling %s is the allowed host %s', (url, host) => {
  const bench = createBench(anomalySettingsSchema.parse({ pool: { allowedHosts: [host] } }));
  bench.polls(5, first({ url }));
  expect(bench.types()).toEqual([]);
});

describe('rare shares', () => {
  const small: Change = (reading) =>
    put({
      ...{ boards: undefined, fans: undefined, powerLimitW: undefined, powerW: 18, expected: { hashrateHs: 1.2e12 } },
      ...{ hashrateHs: 1.1e12 + (reading.hashrateHs ?? 0) / 1e6, hashrateSettledHs: 1.1e12 },
    })(reading);
  const young =
    (fields: Partial<PoolReading>, start: number, minute: () => number): Change =>
    (reading: Reading) => ({ ...first(fields)(small(reading)), uptimeS: (minute() - start) * 60 });

  test('of a small miner at a pool with one difficulty for all: the first one may take hours', () => {
    const bench = createBench();
    // 2^32 million hashes: more than an hour on the average.
    const lottery = { accepted: 0, rejected: 0, difficultyAccepted: 0, difficulty: 1e6 };
    bench.polls(
      300,
      young(lottery, 0, () => bench.minute),
    );
    expect(bench.types()).toEqual([]);
    bench.polls(
      400,
      young(lottery, 0, () => bench.minute),
    );
    expect(bench.flag('pool')?.source).toBe('pools.accepted');
  });

  test('of a pool that hands out harder work than the one before', () => {
    const bench = createBench();
    bench.polls(60);
    const accepted = bench.judgement?.history.shares?.accepted ?? 0;
    // A hundred times of the 10 s that a share took.
    const hard = { accepted, difficultyAccepted: accepted * 65_536, difficulty: 6_553_600 };
    bench.polls(100, first(hard));
    expect(bench.types()).toEqual([]);
    bench.polls(100, first(hard));
    expect(bench.flag('pool')?.source).toBe('pools.accepted');
  });

  test('of a miner that tells the age of its system alone', () => {
    const bench = createBench();
    const rare: Change = ({ uptimeS, ...reading }) => ({ ...first({ accepted: 360 })(reading), systemUptimeS: 86_400 });
    bench.polls(38, rare);
    expect(bench.types()).toEqual([]);
    bench.polls(5, rare);
    expect(bench.types()).toEqual(['pool']);
  });
});
