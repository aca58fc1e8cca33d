// What an attempt does to a webhook: when the next one is, what is given up, when the webhook is disabled. Pure: times
// are given, ms since the epoch.
import { doublingMs } from '../../base/time/backoff.ts';
import type { WebhookStanding } from '../store/store.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** Between attempts: 5 s, doubling, with a random part of up to a half. */
const BACKOFF = { baseMs: 5_000, capMs: 10 * MINUTE_MS } as const;
/** A receiver that asks for a longer wait gets this one. */
export const MOST_RETRY_AFTER_MS = HOUR_MS;
/** A message is tried again for a day, and an hour more for a receiver that was away for a day. */
export const RETRY_MS = 25 * HOUR_MS;
/** A webhook that fails for so long is disabled. */
export const FAILING_MS = 7 * 24 * HOUR_MS;

/** Its last attempt did not fail. */
export const FRESH: WebhookStanding = { attempts: 0, failingSinceMs: null, givenUpAtMs: null, nextAttemptAtMs: null };

/** `status` null = no answer. `retryAfterMs` as the receiver asks for it. */
export type Failure = { readonly status: number | null; readonly retryAfterMs: number | null };

type Moment = {
  readonly nowMs: number;
  /** When the event of the message happened; null = the message is not given up, however long it is tried. */
  readonly eventAtMs: number | null;
  /** Gives [0, 1). */
  readonly random: () => number;
};

/**
 * `give-up`: this message becomes a dead letter, and the next one is tried soon, because the cause may be the message.
 * `give-up-all`: so does every event that happened at `untilMs` or before, since the next message failed as well.
 */
export type Decision =
  | { readonly kind: 'retry' | 'give-up'; readonly standing: WebhookStanding }
  | { readonly kind: 'give-up-all'; readonly standing: WebhookStanding; readonly untilMs: number }
  | { readonly kind: 'disable'; readonly standing: WebhookStanding; readonly reason: 'failing' | 'gone' };

export function afterFailure(
  before: WebhookStanding,
  failure: Failure,
  { nowMs, eventAtMs, random }: Moment,
): Decision {
  const attempts = before.attempts + 1;
  // The clock may have been set back since.
  const failingSinceMs = Math.min(before.failingSinceMs ?? nowMs, nowMs);
  const failed = { attempts, failingSinceMs, givenUpAtMs: before.givenUpAtMs };
  const stopped = { ...failed, nextAttemptAtMs: null };
  if (failure.status === 410) return { kind: 'disable', reason: 'gone', standing: stopped };
  if (nowMs - failingSinceMs >= FAILING_MS) return { kind: 'disable', reason: 'failing', standing: stopped };

  const askedMs = Math.min(failure.retryAfterMs ?? 0, MOST_RETRY_AFTER_MS);
  const after = (delayMs: number) => ({ ...failed, nextAttemptAtMs: nowMs + Math.max(delayMs, askedMs) });
  const backoffMs = jittered(doublingMs(attempts - 1, BACKOFF), random);
  if (eventAtMs === null) return { kind: 'retry', standing: after(backoffMs) };

  const overdueAtMs = Math.max(failingSinceMs, eventAtMs) + RETRY_MS;
  const isFirst = before.givenUpAtMs === null;
  if (nowMs >= overdueAtMs) {
    const givenUpAtMs = nowMs;
    return isFirst
      ? { kind: 'give-up', standing: { ...after(jittered(BACKOFF.baseMs, random)), givenUpAtMs } }
      : { kind: 'give-up-all', standing: { ...after(backoffMs), givenUpAtMs }, untilMs: nowMs - RETRY_MS };
  }
  // In time for the end: the later it is, the more messages are overdue after this one.
  return { kind: 'retry', standing: after(isFirst ? Math.min(backoffMs, overdueAtMs - nowMs) : backoffMs) };
}

const jittered = (windowMs: number, random: () => number) => Math.round(windowMs * (0.5 + random() / 2));

/** Of the header Retry-After, seconds or a date; null = it asks for nothing that can be read. */
export function parseRetryAfter(value: string | undefined, nowMs: number): number | null {
  if (value === undefined) return null;
  const text = value.trim();
  if (/^\d{1,9}$/.test(text)) return Number(text) * 1_000;
  // A date by the rules of HTTP names its day; Date.parse would take much else.
  const atMs = /^[A-Z][a-z]{2,8},? /.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(atMs) ? null : Math.max(0, atMs - nowMs);
}
