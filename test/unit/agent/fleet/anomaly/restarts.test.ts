// Which restarts are ours: those between the start of a task that may restart the mining and some minutes after its end.
import { describe, expect, test } from 'vitest';
import { hasRestarted, isOurs } from '../../../../../src/agent/fleet/anomaly/evidence/restarts.ts';

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

  test('is a clock that went back by more than it jitters', () => {
    expect(hasRestarted({ uptimeS: 1_000 }, { uptimeS: 995 })).toBe(false);
    expect(hasRestarted({ uptimeS: 1_000 }, { uptimeS: 5 })).toBe(true);
    expect(hasRestarted({ uptimeS: 1_000 }, { systemUptimeS: 5 })).toBe(false);
    expect(hasRestarted({ systemUptimeS: 1_000 }, { systemUptimeS: 5 })).toBe(true);
  });
});
