// One miner's way through its polls: when the next one is due, and what a failure counts. Decisions only: no I/O, no
// timer.
import { CancelledError, PeerError, RefusedError } from '../../base/errors.ts';
import { doublingMs } from '../../base/time/backoff.ts';
import { CostlyAnswer } from '../../driver/visit/costly.ts';
import type { Due } from './due-heap.ts';
import type { PollSettings } from './settings.ts';

export type PollTarget = { readonly key: string; readonly ip: string };

export class PolledMiner implements Due {
  dueMs = 0;
  heapIndex = -1;
  target: PollTarget;
  /** Share of the interval at which its slots lie, [0, 1). */
  readonly phase: number;
  /** Grows when the visit under way no longer counts: the miner has moved or was removed. */
  generation = 0;
  /** Of the visit under way. */
  abort: AbortController | undefined;
  /** Asked for while a visit was under way. */
  isWantedAgain = false;
  /** Its last poll failed and is repeated before that counts. */
  isConfirming = false;
  /** Failed polls in a row that counted. */
  failures = 0;
  /** Of these, the newest ones in a row that were defects of this program. */
  defects = 0;
  /** What its newest poll took of the processor, where that was too much; 0 = it was not. */
  costMs = 0;

  constructor(target: PollTarget, phase: number) {
    this.target = target;
    this.phase = phase;
  }

  /** Polled more and more rarely because of what it costs, or breaks, here; undefined = it is not. */
  get setAside(): 'costly' | 'defect' | undefined {
    if (this.costMs > 0) return 'costly';
    return this.defects > 0 ? 'defect' : undefined;
  }

  /** It failed, or is about to: such miners have their own queue and share of the capacity. */
  get isSuspect(): boolean {
    return this.failures > 0 || this.isConfirming;
  }
}

/** `retried` = repeated soon, not reported yet. `skipped` = cancelled for a more urgent visit: not a failure. */
type Failure =
  | { readonly kind: 'retried' | 'skipped' }
  | { readonly kind: 'failed'; readonly error: Error; readonly isDefect: boolean };

/** Slots keep their phase; the poll falls within this share of the interval after its slot. */
const JITTER = 0.1;
const BUSY_FACTOR = 5;
/** A miner whose answers cost too much pauses for so many times what they cost: it may take a hundredth of a core. */
const COST_FACTOR = 100;
const MAX_COST_PAUSE_MS = 60 * 60_000;

export function noteSuccess(miner: PolledMiner): void {
  miner.failures = 0;
  miner.defects = 0;
  miner.costMs = 0;
  miner.isConfirming = false;
}

/**
 * Notes a failed visit. A second try is given once, and only for an error that may pass. `isStuck`: the visit goes on
 * after its abort and would meet the next one at the same miner. That is a defect and gets the long pause.
 */
export function noteFailure(miner: PolledMiner, error: unknown, isStuck: boolean): Failure {
  if (error instanceof CancelledError) {
    miner.isConfirming = false;
    return { kind: 'skipped' };
  }
  const isPeers = error instanceof PeerError;
  if (isPeers && error.retry !== 'never' && !miner.isSuspect && !isStuck) {
    miner.isConfirming = true;
    return { kind: 'retried' };
  }
  const isDefect = isStuck || !(isPeers || error instanceof RefusedError);
  miner.failures++;
  miner.defects = isDefect ? miner.defects + 1 : 0;
  miner.costMs = error instanceof CostlyAnswer ? error.tookMs : 0;
  miner.isConfirming = false;
  return { kind: 'failed', error: error instanceof Error ? error : new Error(String(error)), isDefect };
}

/** How soon a failed poll is repeated. A busy miner is given more time than a silent one. */
export function confirmDelayMs(
  error: unknown,
  { confirmAfterMs, intervalMs }: PollSettings,
  random: () => number,
): number {
  const factor = error instanceof PeerError && error.retry === 'later' ? BUSY_FACTOR : 1;
  return Math.min(confirmAfterMs * factor, intervalMs / 2) * (1 + 0.25 * random());
}

/**
 * When to poll next: at the next slot of its phase, or 1, 2, 4, … slots later while it fails, up to the cap. A defect
 * of this program doubles once more; what costs too much waits in proportion to that. Never sooner than half an
 * interval, so that a late poll is not followed at once by one that is on time.
 */
export function nextDueMs(miner: PolledMiner, nowMs: number, settings: PollSettings, random: () => number): number {
  const { intervalMs, backoffCapMs } = settings;
  const doublings = miner.failures === 0 ? 0 : miner.failures - 1 + (miner.defects > 0 ? 1 : 0);
  const capMs = Math.max(intervalMs, backoffCapMs);
  const costPauseMs = doublingMs(doublings, { baseMs: miner.costMs * COST_FACTOR, capMs: MAX_COST_PAUSE_MS });
  const pauseMs = Math.max(costPauseMs, doublingMs(doublings, { baseMs: intervalMs, capMs }));
  const slots = Math.max(1, Math.floor(pauseMs / intervalMs));
  const originMs = miner.phase * intervalMs;
  const earliestMs = nowMs + (slots - 0.5) * intervalMs;
  const slot = Math.ceil((earliestMs - originMs) / intervalMs);
  return originMs + slot * intervalMs + random() * JITTER * intervalMs;
}
