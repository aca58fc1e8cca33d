// A day with known faults, minute by minute: the flags are those of the faults, and restarts, gaps and stepping clocks change none of them.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { judge } from '../../../../src/agent/anomaly/judge.ts';
import type { SampleContext } from '../../../../src/agent/anomaly/sample.ts';
import { judgementSchema, type MinerJudgement } from '../../../../src/agent/anomaly/state.ts';
import { type AnomalyType, toBitmask } from '../../../../src/model/flags.ts';
import { type Change, createBench, DEFAULTS, healthy, put, START_MS } from './fixture.ts';

const DAY = 1_440;
const hour = (hours: number, minutes = 0): number => hours * 60 + minutes;

type Fault = {
  readonly from: number;
  readonly to: number;
  readonly change?: Change;
  readonly context?: Partial<SampleContext>;
  readonly isSilent?: boolean;
  readonly flags: readonly AnomalyType[];
};

const overBoards =
  (change: (slot: number) => object): Change =>
  (reading) =>
    put({ boards: (reading.boards ?? []).map((board) => ({ ...board, ...change(board.slot) })) })(reading);

const FAULTS: readonly Fault[] = [
  {
    from: hour(1),
    to: hour(2),
    flags: ['fan'],
    change: (reading) =>
      put({ fans: (reading.fans ?? []).map((fan) => (fan.index === 1 ? { ...fan, rpm: 0 } : fan)) })(reading),
  },
  {
    from: hour(3),
    to: hour(4, 30),
    flags: ['hashboard', 'low_hashrate'],
    change: (reading) =>
      put({
        boards: (reading.boards ?? []).slice(0, 2),
        hashrateHs: (reading.hashrateHs ?? 0) * 0.66,
        hashrateSettledHs: 73e12,
      })(reading),
  },
  {
    from: hour(6),
    to: hour(6, 40),
    flags: ['pool'],
    change: (reading) => put({ pools: (reading.pools ?? []).map((pool) => ({ ...pool, isAlive: false })) })(reading),
  },
  { from: hour(8), to: hour(8, 25), flags: ['network'], isSilent: true },
  {
    from: hour(10),
    to: hour(10, 45),
    flags: [],
    change: put({
      miningMode: 'sleep',
      isMining: false,
      hashrateHs: 0,
      hashrateSettledHs: 0,
      fans: [{ index: 0, rpm: 0 }],
    }),
  },
  {
    from: hour(15),
    to: hour(15, 40),
    flags: ['temperature'],
    change: overBoards((slot) => (slot === 2 ? { chipTempMaxC: 99 } : {})),
  },
  { from: hour(17), to: hour(17, 30), flags: ['unknown'], change: put({ hashrateHs: 109_876_543_210_987 }) },
  {
    from: hour(19),
    to: hour(20),
    flags: ['firmware'],
    change: put({ errors: [{ code: '100001', category: 'security' }] }),
  },
  { from: hour(21), to: hour(21, 30), flags: ['network'], context: { macState: 'duplicate' } },
  { from: hour(22), to: hour(22, 30), flags: ['power'], change: put({ powerW: 3_900 }) },
];

/** Reboot by us at noon, two of its own after it. */
const BOOTS = [
  { at: hour(12), isOurs: true },
  { at: hour(13), isOurs: false },
  { at: hour(13, 20), isOurs: false },
] as const;
const OUR_REBOOT = { from: hour(12), to: hour(12, 4) };

function sampleAt(minute: number): Parameters<typeof judge>[1] {
  const boot = BOOTS.findLast(({ at }) => minute >= at);
  const uptimeS = boot === undefined ? 86_400 + minute * 60 : (minute - boot.at) * 60;
  const active = FAULTS.filter((fault) => minute >= fault.from && minute < fault.to);
  const isRebooting = minute >= OUR_REBOOT.from && minute < OUR_REBOOT.to;
  const context = {
    macState: 'ok',
    serialState: 'ok',
    isRebooting,
    opsMaintenance: false,
    ipChanged: false,
    ...Object.assign({}, ...active.map((fault) => fault.context ?? {})),
  };
  const silentSince =
    active.find((fault) => fault.isSilent)?.from ??
    (isRebooting && minute < OUR_REBOOT.to - 1 ? OUR_REBOOT.from : undefined);
  if (silentSince !== undefined)
    return { kind: 'failed', code: 'peer.timeout', consecutive: minute - silentSince + 1, context };
  const reading = active.reduce((before, fault) => fault.change?.(before) ?? before, healthy(minute, uptimeS));
  return { kind: 'ok', reading, unparsable: [], loginRefused: false, context };
}

/** Bitmask per minute; undefined where the agent did not run. Each gap is [first minute, minutes]; a restart is a gap of 0. */
function runDay(gaps: readonly (readonly [number, number])[]): (number | undefined)[] {
  const masks: (number | undefined)[] = [];
  let judgement: MinerJudgement | undefined;
  for (let minute = 0; minute < DAY; minute++) {
    if (gaps.some(([from]) => from === minute) && judgement !== undefined)
      judgement = judgementSchema.parse(JSON.parse(JSON.stringify(judgement)));
    if (gaps.some(([from, length]) => minute >= from && minute < from + length)) {
      masks.push(undefined);
      continue;
    }
    judgement = judge(judgement, sampleAt(minute), DEFAULTS, START_MS + minute * 60_000);
    masks.push(toBitmask(judgement.flags.map((flag) => flag.type)));
  }
  return masks;
}

const UNBROKEN = runDay([]);

describe('the golden day', () => {
  test('has the flags of its faults, each within its hold, and no others', () => {
    // The longest hold to raise (frozen: 6 polls) and to clear (3 polls).
    const slack = 6;
    for (let minute = 0; minute < DAY; minute++) {
      const must = new Set<AnomalyType>();
      const may = new Set<AnomalyType>();
      for (const fault of FAULTS) {
        for (const flag of fault.flags) {
          if (minute >= fault.from + slack && minute < fault.to) must.add(flag);
          if (minute >= fault.from && minute < fault.to + slack) may.add(flag);
        }
      }
      if (minute > hour(13, 20) && minute < hour(14, 20)) must.add('control_board');
      if (minute >= hour(13, 20) && minute <= hour(14, 21)) may.add('control_board');
      const mask = UNBROKEN[minute] ?? 0;
      expect({ minute, missing: toBitmask(must) & ~mask, surplus: mask & ~toBitmask(may) }).toEqual({
        minute,
        missing: 0,
        surplus: 0,
      });
    }
  });

  test('is the same, minute for minute, with a restart after every single sample', () => {
    expect(runDay(Array.from({ length: DAY }, (_, minute) => [minute, 0] as const))).toEqual(UNBROKEN);
  });

  test('is the same outside declared gaps, wherever they fall', () => {
    const settle = 10;
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.integer({ min: 5, max: DAY - 20 }), fc.integer({ min: 1, max: 9 })), {
          minLength: 1,
          maxLength: 6,
        }),
        (gaps) => {
          const broken = runDay(gaps);
          for (let minute = 0; minute < DAY; minute++) {
            if (gaps.some(([from, length]) => minute >= from && minute < from + length + settle)) continue;
            expect({ minute, mask: broken[minute] }).toEqual({ minute, mask: UNBROKEN[minute] });
          }
        },
      ),
      { numRuns: 25 },
    );
  });

  test('a gap of hours raises nothing by itself', () => {
    const bench = createBench();
    bench.polls(60);
    for (const hours of [1, 3, 8, 72]) {
      bench.restart();
      bench.minute += hours * 60;
      for (let poll = 0; poll < 15; poll++) expect(bench.poll().flags).toEqual([]);
    }
  });
});

describe('a clock that steps', () => {
  test.each([-86_400_000, -3_600_000, -1_000, 1_000, 3_600_000, 86_400_000])(
    'by %d ms raises and clears nothing',
    (stepMs) => {
      const bench = createBench();
      bench.polls(20);
      bench.skewMs += stepMs;
      for (let poll = 0; poll < 30; poll++) expect(bench.poll().flags).toEqual([]);
      const hot = overBoards(() => ({ chipTempMaxC: 99 }));
      bench.polls(3, hot);
      bench.skewMs -= stepMs;
      for (let poll = 0; poll < 30; poll++) {
        bench.poll(hot);
        expect(bench.types()).toEqual(['temperature']);
      }
    },
  );

  test('does not make a silent counter old', () => {
    const bench = createBench();
    bench.polls(20);
    const accepted = healthy(19).pools?.[0]?.accepted ?? 0;
    const quiet: Change = (reading) =>
      put({ pools: (reading.pools ?? []).map((pool) => ({ ...pool, accepted })) })(reading);
    bench.poll(quiet);
    bench.skewMs += 86_400_000;
    bench.poll(quiet);
    expect(bench.types()).toEqual([]);
    bench.poll();
    expect(bench.types()).toEqual([]);
  });
});

test('a field that is gone for good does not keep its flag for ever', () => {
  const bench = createBench();
  bench.polls(3, put({ powerW: 3_900 }));
  bench.polls(3, put({ powerW: 3_900 }));
  expect(bench.types()).toEqual(['power']);
  bench.polls(29, put({ powerW: undefined }));
  expect(bench.types()).toEqual(['power']);
  bench.polls(2, put({ powerW: undefined }));
  expect(bench.types()).toEqual([]);
});

test('what it remembers stays small and fits its schema, whatever the day brings', () => {
  let judgement: MinerJudgement | undefined;
  let largest = 0;
  for (let minute = 0; minute < DAY; minute++) {
    judgement = judge(judgement, sampleAt(minute), DEFAULTS, START_MS + minute * 60_000);
    largest = Math.max(largest, JSON.stringify(judgement).length);
    if (minute % 60 === 0)
      expect(judgementSchema.safeParse(JSON.parse(JSON.stringify(judgement))).error).toBeUndefined();
  }
  expect(largest).toBeLessThan(4_096);
});

test('the judge never changes what it is given', () => {
  const freeze = <T>(value: T): T => {
    if (typeof value === 'object' && value !== null)
      for (const inner of Object.values(Object.freeze(value))) freeze(inner);
    return value;
  };
  let judgement: MinerJudgement | undefined;
  for (let minute = 0; minute < DAY; minute += 3)
    judgement = freeze(judge(judgement, freeze(sampleAt(minute)), DEFAULTS, START_MS + minute * 60_000));
  expect(judgement).toBeDefined();
});
