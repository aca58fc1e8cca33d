// Which restarts are ours: those between the start of a task that may restart the mining and some minutes after its
// end.
import { describe, expect, test } from 'vitest';
import { hasRestarted, isOurs, mayHaveRestarted } from '../../../../../src/agent/fleet/anomaly/evidence/restarts.ts';

const MINUTE_MS = 60_000;
const NOW_MS = 1_000 * MINUTE_MS;
const action = (startedAgo: number, finishedAgo?: number) => ({
  startedMs: NOW_MS - startedAgo * MINUTE_MS,
  finishedMs: finishedAgo === undefined ? undefined : NOW_MS - finishedAgo * MINUTE_MS,
});

describe('a restart', () => {
  test.each([
    ['during the task', 3, [action(5)], true],
    ['just after it', 3, [action(5, 4)], true],
    ['by the counter a moment before it', 5.5, [action(5, 4)], true],
    ['of an earlier task, when a newer one has begun', 20, [action(2), action(21, 20)], true],
    ['seen long after, because the agent was away', 300, [action(301, 300)], true],
    ['before the task', 10, [action(5, 4)], false],
    ['long after the task', 3, [action(60, 58)], false],
    ['without a task', 3, [], false],
  ])('%s', (_, agoMinutes, actions, expected) => {
    expect(isOurs({ uptimeS: agoMinutes * 60 }, actions, NOW_MS)).toBe(expected);
  });

  const restarted = (beforeS: number, nowS: number, sinceS = 60) =>
    hasRestarted({ uptimeS: beforeS }, { uptimeS: nowS }, sinceS * 1_000);

  test('is a clock that went back by more than it jitters', () => {
    expect(restarted(1_000, 995)).toBe(false);
    expect(restarted(1_000, 5)).toBe(true);
    expect(hasRestarted({ uptimeS: 1_000 }, { systemUptimeS: 5 }, 60_000)).toBe(false);
    expect(hasRestarted({ systemUptimeS: 1_000 }, { systemUptimeS: 5 }, 60_000)).toBe(true);
  });

  test('is none when the clock was set: what began since the last look is no older than that', () => {
    expect(restarted(90_000, 86_400)).toBe(false);
    expect(restarted(90_000, 7_000, 7_200)).toBe(true);
  });

  test('is one that never goes back, when it comes once per poll', () => {
    expect(restarted(20, 25)).toBe(true);
    expect(restarted(20, 80)).toBe(false);
    // A counter that stands still, or goes in minutes, tells nothing.
    expect(restarted(0, 0)).toBe(false);
    expect(restarted(0, 60, 119)).toBe(false);
    // The host was asleep, or its clock was set.
    expect(restarted(20, 80, 5_000)).toBe(false);
  });

  test('may be one wherever it is one', () => {
    for (const [beforeS, nowS] of [
      [1_000, 5],
      [90_000, 7_000],
      [20, 25],
    ] as const)
      expect(mayHaveRestarted({ uptimeS: beforeS }, { uptimeS: nowS })).toBe(true);
    expect(mayHaveRestarted({ uptimeS: 9_000 }, { uptimeS: 9_060 })).toBe(false);
  });
});
