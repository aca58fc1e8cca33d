// Clocks of devices: set, swinging, standing still, starting again; and what begins anew with a restart, a wake-up or a
// return.
import { describe, expect, test } from 'vitest';
import type { Reading } from '../../../../../src/model/reading.ts';
import { type Change, createBench, put } from './fixture.ts';

const aged =
  (uptimeS: (reading: Reading) => number): Change =>
  (reading) => ({ ...reading, uptimeS: uptimeS(reading) });
const late = (secondsS: number) => aged(({ uptimeS = 0 }) => uptimeS - secondsS);
const twoBoards: Change = (reading) => put({ boards: (reading.boards ?? []).slice(0, 2) })(reading);
const stopped: Change = (reading) =>
  put({
    hashrateHs: 0,
    hashrateSettledHs: 0,
    boards: (reading.boards ?? []).map((board) => ({ ...board, hashrateHs: 0, isAlive: false })),
    pools: (reading.pools ?? []).map((pool) => ({ ...pool, isAlive: false })),
  })(reading);
const asleep: Change = (reading) => put({ miningMode: 'sleep', isMining: false })(stopped(reading));

describe('an uptime', () => {
  test('that is set back is no restart, however often', () => {
    const bench = createBench();
    bench.polls(5);
    bench.polls(5, late(3_600));
    bench.polls(5, late(7_200));
    for (let poll = 0; poll < 10; poll++) bench.poll(late(3_600 * (poll % 2)));
    expect(bench.types()).toEqual([]);
    expect(bench.judgement?.history.restartsT).toEqual([]);
  });

  test('that begins again with every poll is a miner that restarts all the time', () => {
    const bench = createBench();
    bench.polls(5);
    for (let poll = 0; poll < 5; poll++) bench.poll(aged(() => 20 + (poll % 3)));
    expect(bench.flag('control_board')?.message).toMatch(/^restarted \d+ times/);
  });

  test.each<[string, Change, string]>([
    ['a board is missing', twoBoards, 'hashboard'],
    ['it hashes too little', put({ hashrateSettledHs: 20e12 }), 'low_hashrate'],
  ])('that stands still does not hide for ever that %s', (_, ill, type) => {
    const bench = createBench();
    bench.polls(40, (reading) => aged(() => 0)(ill(reading)));
    expect(bench.types()).toEqual([type]);
    expect(bench.judgement?.history.idle).toBeUndefined();
  });
});

test('an uptime of the system that stands still hides nothing either', () => {
  const bench = createBench();
  bench.polls(40, ({ uptimeS: _, ...reading }) => ({ ...twoBoards(reading), systemUptimeS: 0 }));
  expect(bench.types()).toEqual(['hashboard']);
});

describe('restarts of the mining program', () => {
  test('alone are told from those of the system', () => {
    const bench = createBench();
    bench.polls(5);
    for (let round = 0; round < 2; round++) {
      const start = bench.minute;
      bench.polls(10, (reading) => ({
        ...reading,
        uptimeS: (bench.minute - start) * 60,
        systemUptimeS: 900_000 + bench.minute * 60,
      }));
    }
    expect(bench.flag('control_board')?.message).toBe(
      'its mining program restarted 2 times within an hour, not by us, and its system did not',
    );
  });

  test('that come with a sleep, a wake-up or another mode are explained, whichever program made the change', () => {
    const bench = createBench();
    bench.polls(5);
    for (let round = 0; round < 3; round++) {
      bench.polls(5, asleep);
      const start = bench.minute;
      const mode = round === 1 ? 'low' : 'normal';
      bench.polls(10, (reading) => ({ ...reading, miningMode: mode, uptimeS: (bench.minute - start) * 60 }));
    }
    expect(bench.types()).toEqual([]);
    expect(bench.judgement?.history.restartsT).toEqual([]);
  });
});

describe('a wake-up without a new process', () => {
  const waking: Change = (reading) => put({ isMining: true })(stopped(reading));

  test('is given the time of a start', () => {
    const bench = createBench();
    bench.polls(5);
    bench.polls(60, asleep);
    bench.polls(4, waking);
    bench.fail(1);
    bench.polls(4, waking);
    expect(bench.types()).toEqual([]);
    expect(bench.judgement?.history.idle).toBe('warm-up');
    bench.polls(40);
    expect(bench.types()).toEqual([]);
  });

  test('that leads to nothing is flagged after that time', () => {
    const bench = createBench();
    bench.polls(5);
    bench.polls(60, asleep);
    bench.polls(16, waking);
    expect(bench.types()).toEqual(['hashboard', 'low_hashrate', 'pool']);
  });
});

test('another mode without a new process is given the time of a start, and what leads to nothing is flagged after it', () => {
  const bench = createBench();
  bench.polls(60);
  const changing: Change = (reading) => put({ miningMode: 'high', isMining: true })(stopped(reading));
  bench.polls(10, changing);
  expect(bench.types()).toEqual([]);
  bench.polls(6, changing);
  expect(bench.types()).toEqual(['hashboard', 'low_hashrate', 'pool']);
});

test('a power limit that follows the sun hides nothing of a miner that stands still', () => {
  const bench = createBench();
  bench.polls(60);
  for (let turn = 0; turn < 8; turn++)
    bench.polls(4, (reading) => put({ powerLimitW: 2_000 + 200 * (turn % 4) })(stopped(reading)));
  expect(bench.judgement?.history.idle).toBeUndefined();
  expect(bench.types()).toEqual(['hashboard', 'low_hashrate', 'pool']);
});

test('a miner without an uptime that was away for long may have just started', () => {
  const bench = createBench();
  const untold =
    (change: Change): Change =>
    (reading) =>
      put({ uptimeS: undefined })(change(reading));
  bench.polls(
    60,
    untold((reading) => reading),
  );
  for (let poll = 1; poll <= 6; poll++) bench.fail(poll);
  bench.polls(9, untold(stopped));
  expect(bench.types()).toEqual([]);
});

describe('a miner that was silent for long', () => {
  const away = (bench: ReturnType<typeof createBench>, polls: number) => {
    for (let poll = 1; poll <= polls; poll++) bench.fail(poll);
  };

  test('is not low because its average reaches back to the time when it had no network', () => {
    const bench = createBench();
    bench.polls(40);
    away(bench, 20);
    const reaching = put({ hashrateSettledHs: 40e12 });
    bench.polls(29, reaching);
    expect(bench.types()).toEqual([]);
    bench.polls(4, reaching);
    expect(bench.types()).toEqual(['low_hashrate']);
  });

  test('was low before and is low still: that stays', () => {
    const bench = createBench();
    const low = put({ hashrateSettledHs: 40e12 });
    bench.polls(40, low);
    const since = bench.flag('low_hashrate')?.since;
    away(bench, 20);
    bench.polls(40, low);
    expect(bench.flag('low_hashrate')?.since).toBe(since);
  });

  test('owes no shares for that time', () => {
    const bench = createBench();
    bench.polls(40);
    const accepted = bench.judgement?.history.shares?.accepted ?? 0;
    away(bench, 15);
    const none: Change = (reading) =>
      put({ pools: (reading.pools ?? []).map((pool) => ({ ...pool, accepted })) })(reading);
    bench.polls(9, none);
    expect(bench.types()).toEqual([]);
    bench.polls(3, none);
    expect(bench.flag('pool')?.source).toBe('pools.accepted');
  });
});

test('heat alone stops a miner, not cold: its other troubles are said', () => {
  const bench = createBench();
  const cold: Change = (reading) =>
    put({
      hashrateHs: 0,
      hashrateSettledHs: 0,
      pools: [],
      boards: (reading.boards ?? []).map(({ slot }) => ({ slot, boardTempsC: [-4] })),
      tempC: undefined,
    })(reading);
  bench.polls(12, cold);
  expect(bench.judgement?.history.idle).toBeUndefined();
  expect(bench.types()).toContain('pool');
});
