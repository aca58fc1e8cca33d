// One bounded look at a miner while a task is being proven, and the time since the order. It judges nothing.
import type { Clock } from '../../../base/clock.ts';
import { type PeerCode, PeerError, RefusedError, renderError } from '../../../base/errors.ts';
import { withDeadline } from '../../../base/time/deadline.ts';
import { formatDurationMs } from '../../../base/time/duration.ts';
import type { Reading } from '../../../model/reading.ts';
import type { UnitFacts } from '../../fleet/identity/record.ts';
import type { TaskOutcome, TaskParts } from '../contract.ts';
import type { Baseline } from '../queue/journal.ts';
import { judgeRestart } from './proof.ts';

/** After a crash the windows may be over already: the miner is looked at for at least this long. */
const SETTLE_S = 120;

export type VerifyStart = {
  readonly minerKey: string;
  readonly baseline: Baseline | undefined;
  /** What told the miner from others when the task began. */
  readonly unit: UnitFacts | undefined;
  /** When the order was sent, by `Clock.elapsedMs`. */
  readonly actedMs: number;
  /**
   * The task was begun before a restart of the agent, which did not look meanwhile and does not know whether it was
   * sent.
   */
  readonly isRecovered: boolean;
  readonly isReplyLost: boolean;
};

/**
 * `away` = it does not answer; `unclear` = nothing can be said of this look; an empty reading = it is there, but tells
 * nothing.
 */
export type Look = 'away' | 'unclear' | Reading;

/** `observe` within the time that one look may take. Throws what it throws. */
export function observeWithin(
  { clock, settings, deps }: TaskParts,
  minerKey: string,
  signal: AbortSignal,
  isFresh: boolean,
): Promise<Reading> {
  const onDeadline = () => new PeerError('peer.timeout', `look at miner ${minerKey}`, 'soon');
  return withDeadline(clock, { deadlineMs: settings.observeS * 1_000, signal, onDeadline }, (within) =>
    deps.observe(minerKey, within, isFresh),
  );
}

/**
 * Looks at the unit that a task began with. `isFresh` = nothing that it said earlier is taken for an answer. Rejects
 * with CancelledError when `signal` aborts, and with RefusedError when the miner stands at another address by now and
 * too little shows that it is the same unit.
 */
export function createLooker(parts: TaskParts, { minerKey, unit }: VerifyStart, signal: AbortSignal, isFresh = false) {
  const { find, compare } = parts.deps;
  let unsure = 0;
  return async (): Promise<Look> => {
    const look = await lookAt(parts, minerKey, signal, isFresh);
    const ip = find(minerKey)?.ip;
    if (unit === undefined || compare === undefined || ip === undefined || typeof look === 'string') return look;
    const likeness = compare(unit, ip, look);
    if (likeness === 'same') return look;
    if (ip === unit.ip) return 'away';
    if (likeness === 'unsure' && ++unsure < UNSURE_LOOKS) return 'unclear';
    throw new RefusedError(TARGET_CHANGED, targetChanged(unit.ip, ip));
  };
}

/**
 * Looks at another address that show too little, until it is given up: some devices tell all only a while after their
 * start.
 */
const UNSURE_LOOKS = 3;
const TARGET_CHANGED = 'refused.target-changed';

const targetChanged = (from: string | null, to: string): string =>
  `the task began at ${from ?? 'another address'}, and what answers at ${to} by now is not shown to be the same unit; look at both`;

/** The outcome of a task whose miner stands elsewhere by now; undefined when the error says something else. */
export function changedOutcome(
  error: unknown,
  { minerKey, unit }: VerifyStart,
  { deps }: TaskParts,
): TaskOutcome | undefined {
  if (!(error instanceof RefusedError) || error.code !== TARGET_CHANGED) return undefined;
  const evidence = { code: 'target_changed', from: unit?.ip ?? null, to: deps.find(minerKey)?.ip ?? null };
  return { status: 'failed', message: error.message, evidence };
}

/** The outcome of a task whose miner went to another address before it was sent; undefined when it has not. */
export function movedBefore(deps: TaskParts['deps'], minerKey: string, from: string): TaskOutcome | undefined {
  const to = deps.find(minerKey)?.ip ?? null;
  if (to === from) return undefined;
  const message = `the miner was at ${from} when the task began and is at ${to ?? 'no address'} now: it is not sent there; order again`;
  return { status: 'failed', message, evidence: { code: 'target_changed', from, to } };
}

async function lookAt(parts: TaskParts, minerKey: string, signal: AbortSignal, isFresh: boolean): Promise<Look> {
  try {
    return await observeWithin(parts, minerKey, signal, isFresh);
  } catch (error) {
    if (signal.aborted) throw error;
    // Who answers is another unit: wherever the miner is, it is not there.
    if (error instanceof RefusedError) return 'away';
    if (!(error instanceof PeerError)) {
      parts.log.warn({ minerKey, error: renderError(error) }, 'a look at a miner failed on our side');
      return 'unclear';
    }
    const meaning = MEANINGS[error.code];
    return meaning === 'there' ? {} : meaning;
  }
}

const MEANINGS = {
  'peer.refused': 'away',
  'peer.unreachable': 'away',
  'peer.timeout': 'away',
  'peer.reset': 'away',
  'peer.busy': 'unclear',
  'peer.tls-key': 'unclear',
  'peer.too-large': 'there',
  'peer.unparsable': 'there',
  'peer.auth': 'there',
  'peer.permission': 'there',
  'peer.unsupported': 'there',
  'peer.rejected': 'there',
} as const satisfies Readonly<Record<PeerCode, 'away' | 'unclear' | 'there'>>;

/** What of the start belongs to the evidence. */
export const oddities = ({ isReplyLost, isRecovered }: VerifyStart) => ({
  ...(isReplyLost ? { replyLost: true } : {}),
  ...(isRecovered ? { interrupted: true } : {}),
});

export const inWords = (durationS: number): string => formatDurationMs(Math.round(durationS) * 1_000);

/** Monotonic from here on; what lies before a restart of the agent is told by the elapsed time that lasts over it. */
export function stopwatch(clock: Clock, { actedMs, baseline, isRecovered }: VerifyStart) {
  const startMs = clock.monotonicMs();
  const beforeMs = isRecovered ? Math.max(0, clock.elapsedMs() - actedMs) : 0;
  const baselineAgeMs = baseline === undefined ? 0 : Math.max(0, actedMs - baseline.atMs);
  const sinceActS = () => (beforeMs + clock.monotonicMs() - startMs) / 1_000;
  return {
    sinceActS,
    /** A window that counts from the order. */
    windowS: (usualS: number): number => (isRecovered ? Math.max(usualS, sinceActS() + SETTLE_S) : usualS),
    judge(reading: Reading, wasAway: boolean) {
      const sinceBaselineS = sinceActS() + baselineAgeMs / 1_000;
      const mayHaveBeenAway = wasAway || isRecovered;
      return judgeRestart({ baseline, reading, sinceActS: sinceActS(), sinceBaselineS, mayHaveBeenAway });
    },
  };
}
