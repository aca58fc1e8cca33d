// The right cause and nothing invented: no pools, nothing to hash with, stopped by heat, a table of one source, and a
// device that knows its build better.
import { describe, expect, test } from 'vitest';
import type { Reading } from '../../../../../src/model/reading.ts';
import { type Change, createBench, put } from './fixture.ts';

const at0: Change = (reading) =>
  put({
    hashrateHs: 0,
    hashrateSettledHs: 0,
    isMining: undefined,
    boards: (reading.boards ?? []).map((board) => ({ ...board, hashrateHs: 0, chips: 0, isAlive: false })),
  })(reading);
const expects =
  (fields: Partial<NonNullable<Reading['expected']>>): Change =>
  (reading) =>
    put({ expected: { ...reading.expected, ...fields } })(reading);
const all =
  (...changes: Change[]): Change =>
  (reading) =>
    changes.reduce((now, change) => change(now), reading);

describe('pools', () => {
  test('an empty list of a miner that does not hash is its cause; an absent one is silence', () => {
    const bench = createBench();
    bench.polls(5);
    bench.polls(3, put({ hashrateHs: 0, pools: [{ index: 0, url: '', user: '' }] }));
    expect(bench.flag('pool')).toMatchObject({ source: 'pools', severity: 'critical', message: 'has no pool set' });
    const silent = createBench();
    silent.polls(9, put({ hashrateHs: 0, pools: undefined }));
    expect(silent.types()).not.toContain('pool');
  });

  test('a miner that hashes has pools, whatever its list says', () => {
    const bench = createBench();
    bench.polls(20, put({ pools: [] }));
    expect(bench.types()).toEqual([]);
  });
});

describe('0 H/s', () => {
  /** A cgminer without devices: no model, no boards, no temperatures. */
  const bare: Change = (reading) =>
    put({
      boards: [],
      hashrateHs: 0,
      hashrateSettledHs: undefined,
      expected: undefined,
      model: undefined,
      fans: undefined,
    })(reading);

  test('of a process without devices is flagged within its first 25 minutes', () => {
    const bench = createBench();
    for (let minute = 0; minute < 25; minute++) bench.poll((reading) => ({ ...bare(reading), uptimeS: minute * 60 }));
    expect(bench.flag('low_hashrate')).toMatchObject({
      ...{ value: 0, source: 'boards', severity: 'critical' },
      message: 'does not hash: it lists no hashboards',
    });
  });

  test('for a moment, and while it warms up, is none', () => {
    const bench = createBench();
    bench.polls(5);
    bench.polls(3, put({ hashrateHs: 0 }));
    expect(bench.types()).toEqual([]);
    const young = createBench();
    for (let minute = 0; minute < 9; minute++)
      young.poll((reading) => put({ hashrateHs: 0, hashrateSettledHs: undefined, uptimeS: minute * 60 })(reading));
    expect(young.types()).toEqual([]);
  });
});

describe('stopped by heat', () => {
  const reported = put({
    errors: [{ code: 'P:1', message: 'too hot', category: 'temperature', severity: 'critical' }],
  });

  test('that it reports is heat and no rate, and says nothing of boards, chips and fans', () => {
    const bench = createBench();
    bench.polls(5);
    bench.polls(40, all(at0, reported));
    expect(bench.types()).toEqual(['temperature', 'low_hashrate']);
    expect(bench.flag('temperature')).toMatchObject({ source: 'errors[P:1]' });
  });

  test('that its sensors show stays that when they cool', () => {
    const bench = createBench();
    bench.polls(5);
    const hot: Change = (reading) =>
      put({ boards: (reading.boards ?? []).map((board) => ({ ...board, chipTempMaxC: 99 })) })(reading);
    bench.polls(4, hot);
    expect(bench.types()).toEqual(['temperature']);
    bench.polls(4, all(hot, at0));
    bench.polls(40, at0);
    expect(bench.types()).toEqual(['low_hashrate']);
    bench.polls(3);
    expect(bench.types()).toEqual([]);
  });
});

test('a miner whose fan keeps it from starting says so, although it starts again and again', () => {
  const bench = createBench();
  bench.polls(5);
  const lost = put({ errors: [{ code: 'F:1', message: 'fan lost', category: 'fan', severity: 'critical' }] });
  for (let round = 0; round < 3; round++) {
    const start = bench.minute;
    bench.polls(8, (reading) => ({ ...all(at0, lost)(reading), uptimeS: (bench.minute - start) * 60 }));
  }
  expect(bench.judgement?.history.idle).toBe('warm-up');
  expect(bench.types()).toEqual(['fan', 'control_board']);
  expect(bench.flag('fan')).toMatchObject({ value: 'F:1', severity: 'critical' });
});

test('a fan that is reported lost is said beside the heat that it has led to', () => {
  const bench = createBench();
  bench.polls(5);
  bench.polls(
    12,
    all(
      at0,
      put({
        errors: [
          { code: 'P:1', category: 'temperature', severity: 'critical' },
          { code: 'F:1', category: 'fan', severity: 'critical' },
        ],
      }),
    ),
  );
  expect(bench.types()).toEqual(['fan', 'temperature', 'low_hashrate']);
});

test('a mild code of a sensor does not make a stop one by heat: the dead pool is the cause', () => {
  const bench = createBench();
  const sensor = put({ errors: [{ code: '321', category: 'temperature', severity: 'minor' }] });
  bench.polls(5, sensor);
  const dead: Change = (reading) =>
    put({
      ...{ hashrateHs: 0, hashrateSettledHs: 0, isMining: false },
      pools: (reading.pools ?? []).map((pool) => ({ ...pool, isAlive: false })),
    })(reading);
  bench.polls(8, all(sensor, dead));
  expect(bench.judgement?.history.idle).toBeUndefined();
  expect(bench.types()).toEqual(['temperature', 'low_hashrate', 'pool']);
});

test('a code of a miner that has just stopped is as grave as it says, whatever its average still shows', () => {
  const bench = createBench();
  bench.polls(40);
  const stopped = put({
    ...{ hashrateHs: 0, isMining: false, hashrateSettledHs: 108e12 },
    errors: [{ code: '203', category: 'psu', severity: 'critical' }],
  });
  bench.polls(4, stopped);
  expect(bench.flag('power')).toMatchObject({ value: '203', severity: 'critical' });
});

describe('a table of one source', () => {
  const short: Change = (reading) => put({ boards: (reading.boards ?? []).slice(0, 2) })(reading);
  const unproven = expects({ unproven: true });

  test('raises nothing critical alone', () => {
    const bench = createBench();
    bench.polls(5, all(short, unproven));
    expect(bench.flag('hashboard')).toMatchObject({ severity: 'minor' });
    expect(bench.flag('hashboard')?.message).toMatch(/, by a table from one source$/);
    const fans = createBench();
    fans.polls(
      5,
      all(unproven, (reading) => put({ fans: (reading.fans ?? []).slice(0, 2) })(reading)),
    );
    expect(fans.flag('fan')).toMatchObject({ severity: 'minor' });
  });

  test('weighs as much as any when the miner itself has shown more, or its device says so', () => {
    const bench = createBench();
    bench.polls(60, unproven);
    bench.polls(5, all(short, unproven));
    expect(bench.flag('hashboard')).toMatchObject({ severity: 'critical' });
    const own = createBench();
    own.polls(5, all(short, expects({ unproven: true, own: ['boards'] })));
    expect(own.flag('hashboard')).toMatchObject({ severity: 'critical' });
  });

  test('does not hide a board that is reported dead', () => {
    const bench = createBench();
    bench.polls(
      5,
      all(unproven, (reading) =>
        put({ boards: (reading.boards ?? []).map((it) => (it.slot === 1 ? { ...it, isAlive: false } : it)) })(reading),
      ),
    );
    expect(bench.flag('hashboard')).toMatchObject({ severity: 'critical', value: 'dead' });
  });
});

test('a build that the device tells otherwise than the table is remembered once, and is no flag', () => {
  const bench = createBench();
  const counted: Change = (reading) => put({ boards: (reading.boards ?? []).slice(0, 2) })(reading);
  const own = expects({ boards: 2, own: ['boards'], contradicted: [{ what: 'boards', device: 2, table: 3 }] });
  bench.polls(30, all(counted, own));
  expect(bench.types()).toEqual([]);
  expect(bench.judgement?.history.contradicted).toBe('boards 2, not 3');
  bench.polls(2, counted);
  expect(bench.judgement?.history.contradicted).toBe('boards 2, not 3');
});
