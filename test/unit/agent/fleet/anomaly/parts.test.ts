// Fans, boards and power as machines truly have them: in oil, rebuilt, failing one after another, tuned, and lists that
// contradict the whole.
import { describe, expect, test } from 'vitest';
import type { BoardReading, Reading } from '../../../../../src/model/reading.ts';
import { type Change, createBench, put } from './fixture.ts';

const boards =
  (change: (board: BoardReading) => Partial<BoardReading>): Change =>
  (reading) =>
    put({ boards: (reading.boards ?? []).map((board) => ({ ...board, ...change(board) })) })(reading);
const all =
  (...changes: Change[]): Change =>
  (reading) =>
    changes.reduce((now, change) => change(now), reading);

describe('boards that fail one after another', () => {
  test('are all named, and the flag stands since the first', () => {
    const bench = createBench();
    bench.polls(5);
    const still = (...slots: number[]) => boards(({ slot }) => (slots.includes(slot) ? { hashrateHs: 0 } : {}));
    bench.polls(3, still(2));
    const { since, message } = bench.flag('hashboard') ?? {};
    expect(message).toBe('hashboard 2 does not hash while the others do');
    bench.polls(3, still(0, 2));
    expect(bench.flag('hashboard')).toMatchObject({
      since,
      message: 'hashboards 0, 2 do not hash while the others do',
    });
    bench.polls(
      3,
      all(
        still(0, 2),
        boards(({ slot }) => (slot === 0 ? { isAlive: false } : {})),
      ),
    );
    expect(bench.flag('hashboard')?.message).toBe(
      'hashboard 0 is reported dead; hashboard 2 does not hash while the others do',
    );
  });

  test('are not held against others where there are none', () => {
    const bench = createBench();
    bench.polls(
      5,
      boards(({ slot }) => (slot === 0 ? { isAlive: false, hashrateHs: 0 } : { hashrateHs: 0 })),
    );
    expect(bench.flag('hashboard')?.message).toBe('hashboard 0 is reported dead');
  });

  test('that lose chips are counted', () => {
    const bench = createBench();
    bench.polls(5);
    bench.polls(
      3,
      boards(({ slot }) => ({ chips: 114 - slot })),
    );
    expect(bench.flag('hashboard')?.message).toBe(
      'hashboard 2 has 112 of 114 chips (and 1 more of its boards have too few)',
    );
  });
});

describe('a build that the table does not know', () => {
  const alike = (chips: number) => boards(() => ({ chips }));

  test('has the same number of chips on each board: none of them has lost any', () => {
    const bench = createBench();
    bench.polls(5, alike(110));
    expect(bench.types()).toEqual([]);
    bench.polls(
      3,
      boards(({ slot }) => ({ chips: slot === 2 ? 109 : 110 })),
    );
    expect(bench.flag('hashboard')).toMatchObject({ source: 'boards[2].chips' });
  });

  test('is none where the device itself tells how many belong there, where hardly any are left, or of one board', () => {
    const own: Change = (reading) => put({ expected: { ...reading.expected, own: ['chipsPerBoard'] } })(reading);
    const single: Change = (reading) => put({ boards: (reading.boards ?? []).slice(0, 1) })(reading);
    for (const change of [all(own, alike(110)), alike(40), all(alike(110), single)]) {
      const bench = createBench();
      bench.polls(5, change);
      expect(bench.types()).toEqual(['hashboard']);
    }
  });
});

describe('a list that contradicts the whole says nothing', () => {
  test.each<[string, Change]>([
    ['no board hashes, the miner does', boards(() => ({ hashrateHs: 0 }))],
    [
      'the only board does not hash, the miner does',
      put({ boards: [{ slot: 0, hashrateHs: 0 }], expected: { boards: 1 } }),
    ],
  ])('%s', (_, change) => {
    const bench = createBench();
    bench.polls(20, change);
    expect(bench.types()).toEqual([]);
  });

  test('a miner that lists no boards as long as it has no pool has lost its pool, not its boards', () => {
    const bench = createBench();
    bench.polls(5);
    const idle: Change = (reading) =>
      put({
        ...{ boards: [], hashrateHs: 0, hashrateSettledHs: 0, isMining: false },
        pools: (reading.pools ?? []).map((pool) => ({ ...pool, isAlive: false })),
      })(reading);
    bench.polls(30, idle);
    expect(bench.types()).toEqual(['low_hashrate', 'pool']);
    bench.polls(5, put({ boards: [], hashrateHs: 0, hashrateSettledHs: 0, isMining: false }));
    expect(bench.flag('hashboard')?.message).toBe('0 of 3 hashboards are there');
  });
});

describe('fans', () => {
  const at =
    (...rpms: number[]): Change =>
    (reading) =>
      put({ fans: rpms.map((rpm, index) => ({ index, rpm })) })(reading);

  test('of an air model in oil are never seen to turn: the flag says so and stops being critical', () => {
    const bench = createBench();
    bench.polls(60, at(0, 0, 0, 0));
    expect(bench.flag('fan')).toMatchObject({ severity: 'minor', limit: 4 });
    expect(bench.flag('fan')?.message).toContain('other cooling');
  });

  test('that all stop are critical, and stay so', () => {
    const bench = createBench();
    bench.polls(5);
    bench.polls(60, at(0, 0, 0, 0));
    expect(bench.flag('fan')).toMatchObject({ severity: 'critical' });
    const young = createBench();
    young.polls(15, (reading) => ({ ...at(0, 0)(reading), uptimeS: 600 + young.minute * 60 }));
    expect(young.flag('fan')).toMatchObject({ severity: 'critical' });
  });

  test('more than the table knows count as shown', () => {
    const bench = createBench();
    bench.polls(60, at(5_000, 5_000, 5_000, 5_000, 5_000, 5_000));
    bench.polls(3, at(5_000, 0, 5_000, 5_000, 5_000, 5_000));
    expect(bench.flag('fan')).toMatchObject({ severity: 'critical', message: 'fan 1 stands still; 5 of 6 turn' });
  });
});

describe('power', () => {
  test('is given time to come down to a new limit', () => {
    const bench = createBench();
    bench.polls(60);
    bench.polls(9, put({ powerLimitW: 2_000, powerW: 3_200 }));
    expect(bench.types()).toEqual([]);
    bench.polls(5, put({ powerLimitW: 2_000, powerW: 3_200 }));
    expect(bench.flag('power')).toMatchObject({ source: 'powerW', severity: 'major' });
  });

  test('that is limited leaves less to expect, where the figure of the device does not follow the limit', () => {
    const half = { hashrateSettledHs: 55e12, powerW: 1_650, powerLimitW: 1_700 };
    const bench = createBench();
    bench.polls(60);
    bench.polls(60, put(half));
    expect(bench.types()).toEqual([]);
    bench.polls(5, put({ ...half, hashrateSettledHs: 40e12 }));
    expect(bench.flag('low_hashrate')?.message).toBe('hashes at 73 % of what is expected in this mode');
    // One that does follow it.
    const own = createBench();
    own.polls(60);
    own.polls(40, (reading) =>
      put({ ...half, hashrateSettledHs: 40e12, expected: { ...reading.expected, hashrateHs: 55e12 } })(reading),
    );
    expect(own.types()).toEqual(['low_hashrate']);
  });

  test('that rises with the hashrate is another mode, told or not', () => {
    const bench = createBench();
    const untold = { expected: undefined, powerLimitW: undefined, miningMode: undefined };
    bench.polls(80, put({ ...untold, powerW: 2_000, hashrateSettledHs: 70e12 }));
    bench.polls(20, put(untold));
    expect(bench.types()).toEqual([]);
    bench.polls(5, put({ ...untold, powerW: 5_500 }));
    expect(bench.types()).toEqual(['power']);
  });
});

describe('a hashrate of minutes', () => {
  const renewed =
    (everyMinutes: number, hashrateWindow: NonNullable<Reading['hashrateWindow']>, minute: () => number): Change =>
    (reading) =>
      put({ hashrateWindow, hashrateHs: 109.123_456e12 + Math.floor(minute() / everyMinutes) * 1e9 })(reading);

  test.each([
    [8, '15m'],
    [5, '5m'],
  ] as const)('that is worked out every %d min for a window of %s is a measurement', (every, window) => {
    const bench = createBench();
    bench.polls(60, (reading) => renewed(every, window, () => bench.minute)(reading));
    expect(bench.types()).toEqual([]);
  });

  test('stands still after several windows', () => {
    const bench = createBench();
    bench.polls(
      20,
      renewed(1_000, '5m', () => 0),
    );
    expect(bench.types()).toEqual(['unknown']);
  });
});

describe('a miner that answers now and then', () => {
  test('is said to, until it answers for long', () => {
    const bench = createBench();
    bench.polls(5);
    for (let turn = 0; turn < 6; turn++) {
      bench.polls(3);
      bench.fail(1);
    }
    expect(bench.flag('network')).toMatchObject({ source: 'contact.losses', severity: 'minor', limit: 5 });
    bench.polls(61);
    expect(bench.types()).toEqual([]);
  });

  test('is not one that is lost for long, restarted by us, or busy', () => {
    const bench = createBench();
    bench.polls(5);
    for (let turn = 0; turn < 6; turn++) {
      bench.polls(3);
      bench.fail(1, 'peer.timeout', { isRebooting: true });
      bench.polls(3);
      bench.fail(1, 'peer.busy');
    }
    for (let poll = 1; poll < 20; poll++) bench.fail(poll);
    bench.polls(3);
    expect(bench.types()).toEqual([]);
  });
});
