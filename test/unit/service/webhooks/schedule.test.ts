// When a webhook is tried again, what is given up, and when it is disabled.
import { expect, test } from 'vitest';
import type { WebhookStanding } from '../../../../src/service/store/store.ts';
import {
  afterFailure,
  type Decision,
  type Failure,
  FRESH,
  parseRetryAfter,
} from '../../../../src/service/webhooks/schedule.ts';

const NOW_MS = Date.UTC(2026, 5, 1);
const [SECOND_MS, MINUTE_MS, HOUR_MS, DAY_MS] = [1_000, 60_000, 3_600_000, 86_400_000];
const REFUSED: Failure = { status: 500, retryAfterMs: null };

type Options = { nowMs?: number; eventAtMs?: number | null; random?: number; failure?: Failure };
const fail = (standing: WebhookStanding, options: Options = {}): Decision => {
  const { nowMs = NOW_MS, eventAtMs = nowMs, random = 1, failure = REFUSED } = options;
  return afterFailure(standing, failure, { nowMs, eventAtMs, random: () => random });
};

/** Fails at each time that it is due, from the first event on, until `untilMs`. Gives what was decided, and when. */
function failUntil(untilMs: number, { eventAtMs, random }: { eventAtMs: number; random: number }) {
  const decisions: { atMs: number; decision: Decision }[] = [];
  let standing = FRESH;
  for (let nowMs = eventAtMs; nowMs <= untilMs; nowMs = standing.nextAttemptAtMs ?? Number.POSITIVE_INFINITY) {
    const decision = fail(standing, { nowMs, eventAtMs, random });
    decisions.push({ atMs: nowMs - eventAtMs, decision });
    standing = decision.standing;
    if (decision.kind !== 'retry') break;
  }
  return decisions;
}

test('the wait between attempts doubles from 5 s to 10 min', () => {
  let standing = FRESH;
  const waits = Array.from({ length: 10 }, () => {
    standing = fail(standing).standing;
    return ((standing.nextAttemptAtMs ?? 0) - NOW_MS) / SECOND_MS;
  });
  expect(waits).toEqual([5, 10, 20, 40, 80, 160, 320, 600, 600, 600]);
  expect(standing).toMatchObject({ attempts: 10, failingSinceMs: NOW_MS, givenUpAtMs: null });
});

test('up to a half of the wait is random', () => {
  const waits = [0, 0.5, 1].map((random) => (fail(FRESH, { random }).standing.nextAttemptAtMs ?? 0) - NOW_MS);
  expect(waits).toEqual([2_500, 3_750, 5_000]);
});

test.each([
  ['a wait that the receiver asks for is kept to', 120 * SECOND_MS, 120 * SECOND_MS],
  ['a shorter one is not', 1 * SECOND_MS, 5 * SECOND_MS],
  ['more than an hour is an hour', DAY_MS, HOUR_MS],
])('%s', (_, retryAfterMs, expected) => {
  const { standing } = fail(FRESH, { failure: { status: 503, retryAfterMs } });
  expect((standing.nextAttemptAtMs ?? 0) - NOW_MS).toBe(expected);
});

test.each([
  ['120', 120_000],
  [' 7 ', 7_000],
  ['0', 0],
  [new Date(NOW_MS + 90_000).toUTCString(), 90_000],
  [new Date(NOW_MS - 90_000).toUTCString(), 0],
  ['-5', null],
  ['1.5', null],
  ['soon', null],
  ['2026-06-01T01:00:00Z', null],
  ['', null],
  [undefined, null],
])('Retry-After: %s is a wait of %s ms', (value, expected) => {
  expect(parseRetryAfter(value, NOW_MS)).toBe(expected);
});

test.each([0, 0.3, 1])('a receiver that is away for a day loses nothing, with a random part of %s', (random) => {
  const decisions = failUntil(NOW_MS + DAY_MS, { eventAtMs: NOW_MS, random });
  expect(new Set(decisions.map(({ decision }) => decision.kind))).toEqual(new Set(['retry']));
  const waits = decisions.map(({ atMs }, index) => atMs - (decisions[index - 1]?.atMs ?? 0));
  expect(Math.max(...waits)).toBeLessThanOrEqual(10 * MINUTE_MS);
  expect(decisions.length).toBeGreaterThan(144);
});

test.each([0, 0.3, 1])('after 25 hours the message is given up, at the first moment, random part %s', (random) => {
  const last = failUntil(NOW_MS + 3 * DAY_MS, { eventAtMs: NOW_MS, random }).at(-1);
  expect(last?.decision.kind).toBe('give-up');
  expect(last?.atMs).toBe(25 * HOUR_MS);
  // The next message follows soon: the cause may have been the first one.
  expect(last?.decision.standing).toMatchObject({
    ...{ failingSinceMs: NOW_MS, givenUpAtMs: NOW_MS + 25 * HOUR_MS },
    nextAttemptAtMs: NOW_MS + 25 * HOUR_MS + (random === 0 ? 2_500 : random === 1 ? 5_000 : 3_250),
  });
});

test('when the next message fails too, all that is older than 25 hours is given up in one step', () => {
  const nowMs = NOW_MS + 3 * DAY_MS;
  const failing = { attempts: 300, failingSinceMs: NOW_MS, givenUpAtMs: nowMs - MINUTE_MS, nextAttemptAtMs: nowMs };
  expect(fail(failing, { nowMs, eventAtMs: NOW_MS })).toEqual({
    kind: 'give-up-all',
    untilMs: nowMs - 25 * HOUR_MS,
    standing: { ...failing, attempts: 301, givenUpAtMs: nowMs, nextAttemptAtMs: nowMs + 10 * MINUTE_MS },
  });
  // One that is younger is tried again.
  expect(fail(failing, { nowMs, eventAtMs: nowMs - 24 * HOUR_MS }).kind).toBe('retry');
});

test('an old message is not given up by a webhook that has just begun to fail', () => {
  expect(fail(FRESH, { eventAtMs: NOW_MS - 30 * DAY_MS }).kind).toBe('retry');
  const lately = { ...FRESH, attempts: 9, failingSinceMs: NOW_MS - 24 * HOUR_MS };
  expect(fail(lately, { eventAtMs: NOW_MS - 30 * DAY_MS }).kind).toBe('retry');
});

test('a message that is sent again by request is never given up here', () => {
  const failing = { ...FRESH, attempts: 300, failingSinceMs: NOW_MS - 3 * DAY_MS };
  expect(fail(failing, { eventAtMs: null }).kind).toBe('retry');
});

test('seven days of failure disable it, and not an hour less', () => {
  const failing = { attempts: 900, failingSinceMs: NOW_MS - 7 * DAY_MS, givenUpAtMs: NOW_MS, nextAttemptAtMs: null };
  expect(fail(failing)).toEqual({
    kind: 'disable',
    reason: 'failing',
    standing: { ...failing, attempts: 901, nextAttemptAtMs: null },
  });
  expect(fail({ ...failing, failingSinceMs: NOW_MS - 7 * DAY_MS + HOUR_MS }).kind).not.toBe('disable');
});

test('410 Gone disables it at once', () => {
  expect(fail(FRESH, { failure: { status: 410, retryAfterMs: null } })).toMatchObject({
    kind: 'disable',
    reason: 'gone',
  });
});

test('a clock that is set back counts from then on', () => {
  const ahead = { ...FRESH, attempts: 3, failingSinceMs: NOW_MS + DAY_MS };
  expect(fail(ahead).standing.failingSinceMs).toBe(NOW_MS);
});
