// Polls every miner once per interval, evenly spread, with one visit per miner at a time. It does not know what a visit
// asks: `visit` does the talking, `onResult` gets what came of it.
import type { Clock } from '../../base/clock.ts';
import { PeerError, renderError } from '../../base/errors.ts';
import type { Log } from '../../base/log.ts';
import { withDeadline } from '../../base/time/deadline.ts';
import { createPollCapacity } from './poll-capacity.ts';
import { PollQueues, URGENT } from './poll-queues.ts';
import { confirmDelayMs, nextDueMs, noteFailure, noteSuccess, PolledMiner, type PollTarget } from './poll-schedule.ts';
import { firstRoundMs, POLL_SETTINGS, type PollSettings, spacingMs } from './settings.ts';

export type PollResult<O> =
  | { readonly kind: 'ok'; readonly outcome: O }
  /** `consecutive` failed polls in a row, this one included; each was tried twice if that made sense. */
  | { readonly kind: 'failed'; readonly error: Error; readonly consecutive: number };

export type PollerOptions<O> = {
  readonly clock: Clock;
  /** Gives [0, 1). */
  readonly random: () => number;
  readonly log: Log;
  readonly settings?: Partial<PollSettings>;
  /**
   * Must end soon after its signal aborts. A CancelledError of another cause counts as nothing: the next slot comes.
   */
  readonly visit: (target: PollTarget, signal: AbortSignal) => Promise<O>;
  readonly onResult: (target: PollTarget, result: PollResult<O>) => void;
};

export type PollStats = ReturnType<Poller['stats']>;

/** `costMs` of the processor, 0 where that is not the reason; `dueInMs` = until its next poll. */
export type SetAside = PollTarget & {
  readonly reason: 'costly' | 'defect';
  readonly inARow: number;
  readonly costMs: number;
  readonly dueInMs: number;
};

/** The visit under way. */
type Visit = { isOver: boolean; hasTimedOut: boolean };

const GRACE_MS = 250;
/** A late start may be made up for by this much. */
const CATCH_UP_MS = 20;
const GOLDEN = (Math.sqrt(5) - 1) / 2;

export class Poller<O = unknown> {
  readonly #options: PollerOptions<O>;
  readonly #clock: Clock;
  #settings: PollSettings;
  readonly #miners = new Map<string, PolledMiner>();
  readonly #queues = new PollQueues();
  readonly #capacity: ReturnType<typeof createPollCapacity>;
  readonly #ending = new Set<Promise<void>>();
  /** Since the start. */
  readonly #totals = { ok: 0, failed: 0, retried: 0, timeouts: 0, defects: 0, skipped: 0 };
  /** The longest time between falling due and starting, in this interval and in the one before. */
  readonly #late = { now: 0, before: 0, sinceMs: 0 };
  readonly #firstPhase: number;
  #added = 0;
  #nextStartMs = -Infinity;
  #isRunning = false;
  #timer: { readonly atMs: number; readonly cancel: () => void } | undefined;
  readonly #tick = () => this.#startDue();

  constructor(options: PollerOptions<O>) {
    this.#options = options;
    this.#clock = options.clock;
    this.#settings = { ...POLL_SETTINGS, ...options.settings };
    this.#capacity = createPollCapacity(this.#settings);
    this.#firstPhase = options.random();
  }

  /** Adds a miner, or moves it when it is there already. */
  add(target: PollTarget): void {
    const present = this.#miners.get(target.key);
    if (present !== undefined) {
      this.#move(present, target);
      return;
    }
    const phase = (this.#firstPhase + this.#added++ * GOLDEN) % 1;
    const miner = new PolledMiner(target, phase);
    this.#miners.set(target.key, miner);
    if (this.#isRunning) this.#enqueue(miner, this.#clock.monotonicMs() + phase * firstRoundMs(1, this.#settings));
  }

  remove(key: string): void {
    const miner = this.#miners.get(key);
    if (miner === undefined) return;
    this.#miners.delete(key);
    this.#disown(miner);
  }

  /** Ahead of all others, and once more afterwards when a visit is under way now. False when there is no such miner. */
  pollNow(key: string): boolean {
    const miner = this.#miners.get(key);
    if (miner === undefined) return false;
    miner.isWantedAgain = true;
    if (this.#isRunning && miner.abort === undefined) this.#requeue(miner, URGENT);
    return true;
  }

  /**
   * Within an interval, where it is silent and would be asked later: it may be back. What costs or breaks too much here
   * keeps its pause.
   */
  pollSoon(key: string): void {
    const miner = this.#miners.get(key);
    if (miner === undefined || miner.heapIndex < 0 || miner.failures === 0 || miner.setAside !== undefined) return;
    const nowMs = this.#clock.monotonicMs();
    const { intervalMs } = this.#settings;
    if (miner.dueMs > nowMs + intervalMs) this.#requeue(miner, nowMs + miner.phase * intervalMs);
  }

  /** Each miner takes the new rhythm with its next poll, which comes within the new interval. The capacity stays. */
  adjust(changed: Pick<PollSettings, 'intervalMs' | 'visitDeadlineMs'>): void {
    this.#settings = { ...this.#settings, ...changed };
    const { intervalMs } = this.#settings;
    const nowMs = this.#clock.monotonicMs();
    for (const miner of this.#isRunning ? this.#miners.values() : []) {
      // Failing miners keep their pause: a shorter interval does not shorten it.
      if (miner.heapIndex < 0 || miner.dueMs <= nowMs + intervalMs || miner.failures > 0) continue;
      this.#requeue(miner, nowMs + miner.phase * intervalMs);
    }
  }

  start(): void {
    if (this.#isRunning) return;
    this.#isRunning = true;
    const nowMs = this.#clock.monotonicMs();
    this.#late.sinceMs = nowMs;
    const spreadMs = firstRoundMs(this.#miners.size, this.#settings);
    for (const miner of this.#miners.values()) {
      if (miner.abort === undefined) this.#enqueue(miner, nowMs + miner.phase * spreadMs);
    }
  }

  /** Aborts the visits under way; nothing is reported any more. */
  async stop(): Promise<void> {
    this.#isRunning = false;
    this.#timer?.cancel();
    this.#timer = undefined;
    for (const miner of this.#miners.values()) this.#disown(miner);
    await Promise.all(this.#ending);
  }

  stats() {
    return {
      targets: this.#miners.size,
      /** Of them, those whose newest poll failed. */
      failing: [...this.#miners.values()].filter(({ failures }) => failures > 0).length,
      inFlight: this.#capacity.inFlight(),
      ...this.#totals,
      /** Longest time between falling due and starting, in the last one to two intervals. */
      worstLateMs: Math.max(this.#late.now, this.#late.before),
      overdueMs: this.#overdueMs(),
    };
  }

  /** Miners that are polled more and more rarely because of what they cost, or break, here. */
  setAside(): SetAside[] {
    const nowMs = this.#clock.monotonicMs();
    return [...this.#miners.values()].flatMap(({ target, setAside: reason, failures, costMs, dueMs, heapIndex }) =>
      reason === undefined
        ? []
        : [{ ...target, reason, inARow: failures, costMs, dueInMs: heapIndex < 0 ? 0 : Math.max(0, dueMs - nowMs) }],
    );
  }

  /** For how long the next miner could have been visited already. The watchdog looks at it. */
  #overdueMs(): number {
    const nowMs = this.#clock.monotonicMs();
    const next = this.#isRunning ? this.#next(nowMs) : undefined;
    const dueMs = Math.max(next?.dueMs ?? Infinity, this.#nextStartMs);
    return Number.isFinite(dueMs) ? Math.max(0, nowMs - dueMs) : 0;
  }

  #next(nowMs: number): PolledMiner | undefined {
    return this.#queues.next(nowMs, this.#capacity.hasRoomForSuspect());
  }

  #enqueue(miner: PolledMiner, dueMs: number): void {
    this.#queues.add(miner, dueMs);
    this.#arm();
  }

  #requeue(miner: PolledMiner, dueMs: number): void {
    this.#queues.remove(miner);
    this.#enqueue(miner, dueMs);
  }

  /** Sets the timer for the next start. */
  #arm(): void {
    const nowMs = this.#clock.monotonicMs();
    const next = this.#next(nowMs);
    if (!this.#isRunning || next === undefined) return;
    let atMs = Math.max(next.dueMs, this.#nextStartMs);
    if (!this.#capacity.hasRoom()) {
      const roomMs = this.#capacity.nextRoomMs();
      if (roomMs === undefined) return;
      atMs = Math.max(atMs, roomMs);
    }
    if (this.#timer !== undefined && this.#timer.atMs <= atMs) return;
    this.#timer?.cancel();
    this.#timer = { atMs, cancel: this.#clock.after(Math.max(0, atMs - nowMs), this.#tick) };
  }

  #startDue(): void {
    this.#timer = undefined;
    if (!this.#isRunning) return;
    const nowMs = this.#clock.monotonicMs();
    this.#capacity.sortOutSlow(nowMs);
    for (let next = this.#next(nowMs); next !== undefined && this.#capacity.hasRoom(); next = this.#next(nowMs)) {
      if (next.dueMs > nowMs || this.#nextStartMs > nowMs) break;
      const spacing = spacingMs(this.#miners.size, this.#settings);
      this.#nextStartMs = Math.max(this.#nextStartMs, nowMs - CATCH_UP_MS) + spacing;
      this.#begin(next, nowMs);
    }
    this.#arm();
  }

  #begin(miner: PolledMiner, nowMs: number): void {
    this.#queues.remove(miner);
    if (miner.dueMs > URGENT) this.#noteLate(nowMs - miner.dueMs, nowMs);
    const counted = this.#capacity.begin(nowMs, miner.isSuspect);
    miner.isWantedAgain = false;
    const abort = new AbortController();
    miner.abort = abort;
    const ended: Promise<void> = this.#visit(miner, nowMs, abort.signal).finally(() => {
      this.#ending.delete(ended);
      this.#capacity.end(counted);
      this.#arm();
    });
    this.#ending.add(ended);
  }

  /** One visit from its start to its consequences. Never rejects. */
  async #visit(miner: PolledMiner, startMs: number, signal: AbortSignal): Promise<void> {
    const { target, generation } = miner;
    const visit: Visit = { isOver: false, hasTimedOut: false };
    let answer: Extract<PollResult<O>, { kind: 'ok' }> | { readonly kind: 'error'; readonly error: unknown };
    try {
      answer = { kind: 'ok', outcome: await this.#ask(target, visit, signal) };
    } catch (error) {
      answer = { kind: 'error', error };
    }
    miner.abort = undefined;
    if (this.#miners.get(target.key) !== miner || !this.#isRunning) return;
    if (miner.generation !== generation) return this.#enqueue(miner, URGENT);
    if (visit.hasTimedOut) this.#totals.timeouts++;
    let dueMs: number | undefined;
    if (answer.kind === 'ok') {
      this.#totals.ok++;
      noteSuccess(miner);
      this.#deliver(target, answer);
    } else {
      dueMs = this.#takeFailure(miner, answer.error, !visit.isOver);
    }
    // `onResult` may have removed or moved the miner.
    if (this.#miners.get(target.key) !== miner || miner.heapIndex >= 0) return;
    const isUrgent = miner.isWantedAgain || miner.generation !== generation;
    this.#enqueue(miner, isUrgent ? URGENT : (dueMs ?? this.#nextSlotMs(miner, startMs)));
  }

  #ask(target: PollTarget, visit: Visit, signal: AbortSignal): Promise<O> {
    const { visitDeadlineMs: deadlineMs } = this.#settings;
    const onDeadline = () => {
      visit.hasTimedOut = true;
      return new PeerError('peer.timeout', `visit ${target.ip} within ${deadlineMs} ms`, 'soon');
    };
    return withDeadline(this.#clock, { deadlineMs, graceMs: GRACE_MS, signal, onDeadline }, async (inner) => {
      try {
        return await this.#options.visit(target, inner);
      } finally {
        visit.isOver = true;
      }
    });
  }

  /** Returns when to repeat the poll; undefined = not before its next slot. */
  #takeFailure(miner: PolledMiner, error: unknown, isStuck: boolean): number | undefined {
    const failure = noteFailure(miner, error, isStuck);
    this.#totals[failure.kind]++;
    if (failure.kind === 'retried') {
      return this.#clock.monotonicMs() + confirmDelayMs(error, this.#settings, this.#options.random);
    }
    if (failure.kind === 'failed') {
      if (failure.isDefect) this.#reportDefect(miner, failure.error, isStuck);
      this.#deliver(miner.target, { kind: 'failed', error: failure.error, consecutive: miner.failures });
    }
    return undefined;
  }

  #nextSlotMs(miner: PolledMiner, startMs: number): number {
    const nowMs = this.#clock.monotonicMs();
    const { random } = this.#options;
    const dueMs = nextDueMs(miner, startMs, this.#settings, random);
    return dueMs > nowMs ? dueMs : nextDueMs(miner, nowMs, this.#settings, random);
  }

  #deliver(target: PollTarget, result: PollResult<O>): void {
    try {
      this.#options.onResult(target, result);
    } catch (error) {
      this.#totals.defects++;
      const { key: miner, ip } = target;
      this.#options.log.error({ miner, ip, cause: renderError(error) }, 'the result of a poll was not taken in');
    }
  }

  #reportDefect(miner: PolledMiner, error: Error, isStuck: boolean): void {
    this.#totals.defects++;
    // At the 1st, 2nd, 4th, 8th … in a row: one model that breaks visits may be thousands of miners.
    if ((miner.defects & (miner.defects - 1)) !== 0) return;
    const { key, ip } = miner.target;
    const message = isStuck ? 'a visit goes on after it was told to stop' : 'a visit broke';
    this.#options.log.error({ miner: key, ip, inARow: miner.defects, cause: renderError(error) }, message);
  }

  #noteLate(lateMs: number, nowMs: number): void {
    const late = this.#late;
    const { intervalMs } = this.#settings;
    const sinceMs = nowMs - late.sinceMs;
    if (sinceMs >= intervalMs) {
      late.before = sinceMs < 2 * intervalMs ? late.now : 0;
      late.now = 0;
      late.sinceMs = nowMs;
    }
    late.now = Math.max(late.now, lateMs);
  }

  /** The visit under way for this miner no longer counts. */
  #disown(miner: PolledMiner): void {
    miner.generation++;
    miner.abort?.abort();
    this.#queues.remove(miner);
  }

  #move(miner: PolledMiner, target: PollTarget): void {
    if (miner.target.ip === target.ip) return;
    this.#disown(miner);
    miner.target = { key: target.key, ip: target.ip };
    noteSuccess(miner);
    if (this.#isRunning && miner.abort === undefined) this.#enqueue(miner, URGENT);
  }
}
