// A day with known faults, minute by minute: the flags are those of the faults, and restarts and stepping clocks change
// none of them. Kills and gaps: test/fault/r26-flags.test.ts.
import { describe, expect, test } from 'vitest';
import { judge } from '../../../../../src/agent/fleet/anomaly/judge.ts';
import { judgementSchema, type MinerJudgement } from '../../../../../src/agent/fleet/anomaly/state.ts';
import { type AnomalyType, toBitmask } from '../../../../../src/model/flags/anomaly-types.ts';
import { type Change, createBench, DEFAULTS, healthy, put, START_MS } from './fixture.ts';
import { DAY, FAULTS, hour, overBoards, sampleAt } from './golden-day.ts';

/** Bitmask per minute. */
function runDay({ isRestarted = false } = {}): number[] {
  const masks: number[] = [];
  let judgement: MinerJudgement | undefined;
  for (let minute = 0; minute < DAY; minute++) {
    ({ judgement } = judge(judgement, sampleAt(minute), DEFAULTS, START_MS + minute * 60_000));
    masks.push(toBitmask(judgement.flags.map((flag) => flag.type)));
    if (isRestarted) judgement = judgementSchema.parse(JSON.parse(JSON.stringify(judgement)));
  }
  return masks;
}

const UNBROKEN = runDay();

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
    expect(runDay({ isRestarted: true })).toEqual(UNBROKEN);
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
    ({ judgement } = judge(judgement, sampleAt(minute), DEFAULTS, START_MS + minute * 60_000));
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
    ({ judgement } = freeze(judge(judgement, freeze(sampleAt(minute)), DEFAULTS, START_MS + minute * 60_000)));
  expect(judgement).toBeDefined();
});
