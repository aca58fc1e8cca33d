// Rules that judge movement: counters as differences, values that stand still, restarts, and what was learned from a
// steady miner.
import { describe, expect, test } from 'vitest';
import { anomalySettingsSchema } from '../../../../../src/agent/fleet/anomaly/settings.ts';
import type { Reading } from '../../../../../src/model/reading.ts';
import { type Change, createBench, healthy, NAMEPLATE_HS, put } from './fixture.ts';

const pool =
  (fields: object): Change =>
  (reading) =>
    put({ pools: (reading.pools ?? []).map((it) => ({ ...it, ...fields })) })(reading);

const booted =
  (minutesAgo: number): Change =>
  (reading) => ({ ...reading, uptimeS: minutesAgo * 60 });

test('a miner of which nothing is expected, and that hashes nothing any more, does not hash', () => {
  const bench = createBench();
  const unknown = (hashrateHs?: number) =>
    put({
      model: undefined,
      expected: undefined,
      hashrateSettledHs: undefined,
      ...(hashrateHs === 0 && { hashrateHs, isMining: false }),
    });
  bench.polls(10, unknown());
  expect(bench.polls(5, unknown(0)).flags).toEqual([]);
  bench.polls(3, unknown(0));
  expect(bench.flag('low_hashrate')).toMatchObject({ value: 0, severity: 'critical', message: 'does not hash' });
});

test('a board that left is named by its slot, where the slots that are there leave no doubt', () => {
  const missing = (...slots: number[]) => {
    const bench = createBench();
    bench.polls(3, (reading) => put({ boards: slots.map((slot) => ({ slot, hashrateHs: 1e12 })) })(reading));
    return bench.flag('hashboard')?.message;
  };
  expect(missing(0, 2)).toBe('hashboard 1 is missing: 2 of 3 hashboards are there');
  expect(missing(1)).toBe('hashboards 0, 2 are missing: 1 of 3 hashboards are there');
  // The device counts its slots otherwise.
  expect(missing(1, 3)).toBe('2 of 3 hashboards are there');
});

describe('shares', () => {
  test('none accepted for ten minutes while hashing is a pool fault, and one share ends it', () => {
    const bench = createBench();
    bench.polls(5);
    const accepted = healthy(4).pools?.[0]?.accepted ?? 0;
    bench.polls(10, pool({ accepted }));
    expect(bench.types()).toEqual([]);
    bench.polls(2, pool({ accepted }));
    expect(bench.flag('pool')).toMatchObject({ source: 'pools.accepted', limit: 600, severity: 'critical' });
    bench.polls(2, pool({ accepted: accepted + 1 }));
    expect(bench.types()).toEqual(['pool']);
    bench.polls(1);
    expect(bench.types()).toEqual([]);
  });

  test('a sleeping miner owes none', () => {
    const bench = createBench();
    bench.polls(5);
    const accepted = healthy(4).pools?.[0]?.accepted ?? 0;
    bench.polls(60, (reading) =>
      pool({ accepted })(put({ miningMode: 'sleep', isMining: false, hashrateHs: 0, hashrateSettledHs: 0 })(reading)),
    );
    expect(bench.types()).toEqual([]);
    bench.polls(9, pool({ accepted }));
    expect(bench.types()).toEqual([]);
  });

  test('a miner whose shares are rare is given the time it needs', () => {
    const bench = createBench();
    // One share in four minutes on average: ten minutes of silence happen every day.
    const rare = (count: number) => pool({ accepted: Math.floor((86_400 + count * 240) / 240), difficultyAccepted: 1 });
    bench.polls(5, rare(0));
    bench.polls(30, rare(0));
    expect(bench.types()).toEqual([]);
    bench.polls(15, rare(0));
    expect(bench.flag('pool')?.limit).toBeGreaterThan(2_000);
  });

  test('a miner that never had one is given half an hour', () => {
    const bench = createBench();
    const none = pool({ accepted: 0, rejected: 0, difficultyAccepted: 0 });
    bench.polls(30, none);
    expect(bench.types()).toEqual([]);
    bench.polls(3, none);
    expect(bench.types()).toEqual(['pool']);
  });

  test('counters that start again are movement, not silence', () => {
    const bench = createBench();
    bench.polls(5);
    bench.polls(40, (reading) => pool({ accepted: bench.minute % 7 })(reading));
    expect(bench.flag('pool')?.source).not.toBe('pools.accepted');
  });
});

describe('rejected shares', () => {
  const rejecting =
    (share: number, from: number): Change =>
    (reading) => {
      const accepted = reading.pools?.[0]?.accepted ?? 0;
      return pool({ rejected: 1_000 + Math.floor(Math.max(0, accepted - from) * share) })(reading);
    };

  test('count by the window, not since boot', () => {
    const bench = createBench();
    // A third rejected in the miner's whole life, none recently.
    bench.polls(60, pool({ rejected: 4_000 }));
    expect(bench.types()).toEqual([]);
  });

  test.each([
    [0.07, 'minor'],
    [0.2, 'major'],
  ])('a share of %d in a window is %s', (share, severity) => {
    const bench = createBench();
    bench.polls(12, pool({ rejected: 1_000 }));
    const from = healthy(11).pools?.[0]?.accepted ?? 0;
    bench.polls(22, rejecting(share, from));
    expect(bench.flag('pool')).toMatchObject({ source: 'pools.rejected', severity, limit: 5 });
    const rejected = 1_000 + Math.floor(((healthy(33).pools?.[0]?.accepted ?? 0) - from) * share);
    bench.polls(26, pool({ rejected }));
    expect(bench.types()).toEqual([]);
  });

  test('a few shares say nothing', () => {
    const bench = createBench();
    bench.polls(50, (reading) =>
      pool({ accepted: 100 + Math.floor(bench.minute / 2), rejected: Math.floor(bench.minute / 4) })(reading),
    );
    expect(bench.types()).toEqual([]);
  });
});

describe('hardware errors', () => {
  const errors =
    (perMinute: number): Change =>
    (reading) => {
      const minute = ((reading.uptimeS ?? 0) - 86_400) / 60;
      return put({
        boards: (reading.boards ?? []).map((board) => ({
          ...board,
          hwErrors: 1_000_000 + Math.floor(minute * perMinute),
        })),
      })(reading);
    };
  // 6 shares of 65,536 a minute are 393,216 difficulty-1 results.
  test('many since boot but few recently are no fault', () => {
    const bench = createBench();
    bench.polls(60, errors(100));
    expect(bench.types()).toEqual([]);
  });

  test('more than one percent of the work of a window is', () => {
    const bench = createBench();
    bench.polls(60, errors(3_000));
    expect(bench.flag('hashboard')).toMatchObject({ source: 'boards.hwErrors', severity: 'minor', limit: 1 });
    expect(bench.flag('hashboard')?.value).toBeCloseTo(2.24, 1);
  });
});

describe('a hashrate that stands still', () => {
  const frozen = put({ hashrateHs: 109_876_543_210_987 });

  test('to the last digit over five polls is not a measurement', () => {
    const bench = createBench();
    bench.polls(5);
    bench.polls(5, frozen);
    expect(bench.types()).toEqual([]);
    bench.polls(1, frozen);
    expect(bench.flag('unknown')).toMatchObject({ value: 109_876_543_210_987, source: 'hashrateHs' });
    bench.polls(2);
    expect(bench.types()).toEqual([]);
  });

  test.each<[string, Change]>([
    ['a coarse figure may repeat', put({ hashrateHs: 110e12 })],
    ['a long average may repeat', put({ hashrateHs: 109_876_543_210_987, hashrateWindow: 'average' })],
    [
      'zero is no movement to miss',
      put({ hashrateHs: 0, hashrateSettledHs: undefined, boards: undefined, isMining: false }),
    ],
  ])('%s', (_, change) => {
    const bench = createBench();
    bench.polls(4, change);
    bench.polls(12, change);
    expect(bench.types()).not.toContain('unknown');
  });
});

describe('restarts', () => {
  test('two unexplained ones within an hour are a control board fault until an hour is quiet', () => {
    const bench = createBench();
    bench.polls(5);
    bench.polls(10, (reading) => booted(bench.minute - 4)(reading));
    expect(bench.types()).toEqual([]);
    bench.polls(59, (reading) => booted(bench.minute - 14)(reading));
    expect(bench.flag('control_board')).toMatchObject({ value: 1, source: 'uptimeS' });
    bench.polls(3, (reading) => booted(bench.minute - 14)(reading));
    expect(bench.types()).not.toContain('control_board');
  });

  test('ours do not count', () => {
    const bench = createBench();
    bench.polls(5);
    for (let round = 0; round < 3; round++) {
      bench.fail(1, 'peer.timeout', { isRebooting: true });
      bench.fail(2, 'peer.refused', { isRebooting: true });
      bench.poll(booted(1), { isRebooting: true });
      const start = bench.minute;
      bench.polls(5, (reading) => booted(bench.minute - start + 2)(reading));
    }
    expect(bench.types()).toEqual([]);
  });

  test('nor do those that another task of ours has caused', () => {
    const bench = createBench();
    bench.polls(5);
    for (let round = 0; round < 3; round++) {
      const start = bench.minute;
      bench.poll(booted(0), { isExplainedRestart: true });
      bench.polls(5, (reading) => booted(bench.minute - start)(reading));
    }
    expect(bench.types()).toEqual([]);
    expect(bench.judgement?.history.restartsT).toEqual([]);
  });

  test('nor do those of the people who work on it', () => {
    const bench = createBench();
    bench.polls(5);
    for (let round = 0; round < 3; round++)
      bench.polls(4, (reading) => booted(bench.minute % 4)(reading), { opsMaintenance: true });
    expect(bench.types()).toEqual([]);
  });

  const onlySystem = ({ uptimeS, ...reading }: Reading): Reading =>
    uptimeS === undefined ? reading : { ...reading, systemUptimeS: uptimeS };

  test('count by the clock of the system where that is the only one', () => {
    const bench = createBench();
    bench.polls(5, onlySystem);
    bench.polls(10, (reading) => onlySystem(booted(bench.minute - 4)(reading)));
    bench.polls(10, (reading) => onlySystem(booted(bench.minute - 14)(reading)));
    expect(bench.flag('control_board')).toMatchObject({ value: 2, source: 'systemUptimeS' });
  });

  test('one clock is never held against the other', () => {
    const bench = createBench();
    for (let round = 0; round < 6; round++) {
      bench.polls(2, (reading) => ({ ...onlySystem(reading), systemUptimeS: 900_000 + bench.minute * 60 }));
      bench.polls(2);
    }
    expect(bench.types()).toEqual([]);
  });

  test('an uptime that jitters by seconds is no restart', () => {
    const bench = createBench();
    bench.polls(60, (reading) => ({ ...reading, uptimeS: 90_000 + (bench.minute % 2) * 5 }));
    expect(bench.types()).toEqual([]);
  });
});

describe('the network', () => {
  test('silence raises after two polls in a row and one answer clears it', () => {
    const bench = createBench();
    bench.polls(3);
    bench.fail(1);
    expect(bench.types()).toEqual([]);
    bench.fail(2);
    expect(bench.flag('network')).toMatchObject({ source: 'contact', value: 2, limit: 2, severity: 'critical' });
    bench.poll();
    expect(bench.types()).toEqual([]);
  });

  test('a poller that has counted the failures itself is believed', () => {
    const bench = createBench();
    bench.fail(2);
    expect(bench.types()).toEqual(['network']);
  });

  test('a restart in between does not lose the count', () => {
    const bench = createBench();
    bench.polls(3);
    bench.fail(1);
    bench.restart();
    bench.fail(1);
    expect(bench.types()).toEqual(['network']);
  });

  test.each(['peer.auth', 'peer.unparsable', 'peer.too-large', 'peer.busy', 'peer.rejected'] as const)(
    'an answer that cannot be used is unknown, not offline: %s',
    (code) => {
      const bench = createBench();
      bench.polls(3);
      bench.fail(1);
      bench.fail(2);
      bench.fail(3, code);
      bench.fail(4, code);
      expect(bench.types()).toEqual(['unknown']);
      expect(bench.flag('unknown')).toMatchObject({ value: code, source: 'visit' });
    },
  );

  test('polls that failed otherwise are not counted with those that were silent, nor the other way round', () => {
    const bench = createBench();
    bench.polls(3);
    for (let poll = 1; poll <= 3; poll++) bench.fail(poll, 'peer.busy');
    bench.fail(4);
    expect(bench.types()).toEqual(['unknown']);
    bench.fail(5);
    expect(bench.flag('network')?.message).toBe('does not answer (peer.timeout), 2 polls in a row');
    const other = createBench();
    other.polls(3);
    for (let poll = 1; poll <= 3; poll++) other.fail(poll);
    other.fail(4, 'peer.auth');
    expect(other.types()).toEqual([]);
    other.fail(5, 'peer.auth');
    expect(other.types()).toEqual(['unknown']);
  });

  test('an address that changes three times within the hour is a flapping link', () => {
    const bench = createBench();
    for (let move = 0; move < 3; move++) {
      bench.poll(undefined, { ipChanged: true });
      bench.polls(5);
    }
    expect(bench.flag('network')).toMatchObject({ value: 3, source: 'ip' });
    bench.polls(61);
    expect(bench.types()).toEqual([]);
  });

  test('one move is no fault', () => {
    const bench = createBench();
    bench.poll(undefined, { ipChanged: true });
    bench.polls(10);
    expect(bench.types()).toEqual([]);
  });
});

describe('a level that is not reported is learned', () => {
  const untold = put({ expected: undefined, powerLimitW: undefined });
  const without =
    (change: Change): Change =>
    (reading) =>
      untold(change(reading));

  test('without any expectation only zero is abnormal', () => {
    const bench = createBench();
    const weak = without((reading) =>
      put({
        boards: (reading.boards ?? []).slice(0, 1),
        fans: (reading.fans ?? []).map((fan, index) => (index < 2 ? { ...fan, rpm: 0 } : fan)),
        hashrateSettledHs: 10e12,
      })(reading),
    );
    bench.polls(60, weak);
    expect(bench.types()).toEqual([]);
    bench.polls(3, without(put({ hashrateHs: 0, hashrateSettledHs: 0, fans: [{ index: 0, rpm: 0 }] })));
    expect(bench.types()).toEqual(['low_hashrate']);
    bench.polls(
      3,
      without((reading) => put({ fans: (reading.fans ?? []).map((fan) => ({ ...fan, rpm: 0 })) })(reading)),
    );
    expect(bench.types()).toContain('fan');
  });

  test('after a steady time, less than before is abnormal', () => {
    const bench = createBench();
    bench.polls(80, untold);
    bench.polls(
      3,
      without((reading) =>
        put({ boards: (reading.boards ?? []).slice(0, 2), hashrateSettledHs: NAMEPLATE_HS * 0.66 })(reading),
      ),
    );
    expect(bench.types()).toEqual(['hashboard', 'low_hashrate']);
    expect(bench.flag('hashboard')).toMatchObject({ value: 2, limit: 3 });
    expect(bench.flag('low_hashrate')?.message).toContain('what it reached before');
  });

  test('fewer chips and a stopped fan are seen against what was learned', () => {
    const bench = createBench();
    bench.polls(40, untold);
    bench.polls(
      2,
      without((reading) => put({ boards: (reading.boards ?? []).map((board) => ({ ...board, chips: 113 })) })(reading)),
    );
    expect(bench.flag('hashboard')).toMatchObject({ value: 339, limit: 342, source: 'boards.chips' });
    bench.polls(
      2,
      without((reading) =>
        put({ fans: (reading.fans ?? []).map((fan) => (fan.index === 0 ? { ...fan, rpm: 0 } : fan)) })(reading),
      ),
    );
    expect(bench.flag('fan')).toMatchObject({ source: 'fans[0].rpm', limit: 4 });
  });

  test('a draw far above the habit of the same mode is a power fault; a new mode is a new habit', () => {
    const bench = createBench();
    bench.polls(80, untold);
    const hungry = without(put({ powerW: 4_500 }));
    bench.polls(3, hungry);
    expect(bench.flag('power')).toMatchObject({ value: 4_500, source: 'powerW', severity: 'minor' });
    const other = createBench();
    other.polls(80, untold);
    other.polls(40, without(put({ powerW: 4_500, miningMode: 'high' })));
    expect(other.types()).toEqual([]);
  });

  test('a repaired miner is believed again', () => {
    const bench = createBench();
    const weak = without(put({ hashrateHs: 20.123456e12, hashrateSettledHs: 20.123456e12, hashrateWindow: '30m' }));
    bench.polls(80, weak);
    bench.polls(80, untold);
    expect(bench.types()).toEqual([]);
    bench.polls(3, without(put({ hashrateSettledHs: 40e12 })));
    expect(bench.types()).toEqual(['low_hashrate']);
  });

  test('a best that nothing confirms any more gives way in time', () => {
    const settings = anomalySettingsSchema.parse({ learning: { validFor: '3h' } });
    const bench = createBench(settings);
    bench.polls(80, untold);
    const less = without((reading: Reading) => put({ boards: (reading.boards ?? []).slice(0, 2) })(reading));
    bench.polls(60, less);
    expect(bench.types()).toEqual(['hashboard']);
    bench.polls(240, less);
    expect(bench.types()).toEqual([]);
  });
});

test('our own average stands in where the device has none', () => {
  const bench = createBench();
  bench.polls(10, put({ hashrateSettledHs: undefined }));
  bench.polls(2, put({ hashrateSettledHs: undefined, hashrateHs: 70.1234567e12 }));
  expect(bench.types()).toEqual([]);
  bench.polls(10, put({ hashrateSettledHs: undefined, hashrateHs: 70.1234567e12, hashrateWindow: 'average' }));
  expect(bench.flag('low_hashrate')).toMatchObject({ source: 'hashrateHs' });
});
