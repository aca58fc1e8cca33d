// All TCP connections of the process, paced: few connects per loop turn, a cap on what is in flight, a bounded waiting line per lane, and total
// deadlines that are judged only after the sockets were read, so that a busy loop never reports a live host as silent. No protocol lives here.
import type { Cancel, Clock } from '../../base/clock.ts';
import { CancelledError, RefusedError } from '../../base/errors.ts';
import { AbortGroups } from '../limits/abort-groups.ts';
import { Deadlines } from '../limits/deadlines.ts';
import { Fifo } from '../limits/queue.ts';
import { ClosingSockets } from './closing.ts';
import { Connection, type ConnectionEnd, type Errand, type Outcome, type Shared } from './connection.ts';
import { FinBudget } from './fin-budget.ts';
import type { Tap } from './recorder.ts';

/** Probes of a scan wait in their own line, so that a scan of a /16 does not hold up an exchange. */
type Lane = 'exchange' | 'probe';

export type EngineLimits = {
  /** Connects per turn of the event loop; 32 to 64 keeps the loop delay below 25 ms. */
  readonly launchPerTurn: number;
  readonly lanes: Readonly<Record<Lane, { readonly inFlight: number; readonly waiting: number }>>;
};

/** A process that is out of sockets tries again this often, this far apart. */
const EXHAUSTED_TRIES = 5;
const EXHAUSTED_PAUSE_MS = 100;
const READ_BUFFER_BYTES = 64 * 1024;

type LaneState = { readonly waiting: Fifo<Job>; waitingCount: number; inFlight: number; launched: number };

const newLane = (): LaneState => ({ waiting: new Fifo(), waitingCount: 0, inFlight: 0, launched: 0 });

/** One errand from the queue to its end; it may take several connections when the process is out of sockets. */
type Job = {
  readonly lane: Lane;
  readonly errand: Errand;
  readonly timeoutMs: number;
  readonly signal: AbortSignal | undefined;
  readonly end: (end: ConnectionEnd) => void;
  connection: Connection | undefined;
  isSettled: boolean;
  tries: number;
};

function cancel({ connection, end }: Job): void {
  if (connection) connection.cancel();
  else end({ how: 'cancelled', wasSent: false });
}

export class Engine {
  readonly clock: Clock;
  readonly tap: Tap | undefined;
  readonly #limits: EngineLimits;
  readonly #shared: Shared;
  readonly #lanes: Record<Lane, LaneState> = { exchange: newLane(), probe: newLane() };
  readonly #deadlines = new Deadlines<Connection>();
  readonly #signals = new AbortGroups(cancel);
  readonly #open = new Set<Job>();
  #isTurnDue = false;
  #isClosed = false;
  #pausedUntilMs = 0;
  /** A moment with an I/O poll between it and the next turn: what was due by then has had its chance to answer. */
  #lookedAtMs = 0;
  #timer: { readonly dueMs: number; readonly cancel: Cancel } | undefined;

  constructor(clock: Clock, limits: EngineLimits, tap?: Tap) {
    this.clock = clock;
    this.tap = tap;
    this.#limits = limits;
    const finBudget = new FinBudget();
    this.#shared = {
      readBuffer: new Uint8Array(READ_BUFFER_BYTES),
      closing: new ClosingSockets(clock),
      mayProbeEndWithFin: () => finBudget.take(clock.monotonicMs()),
    };
  }

  /**
   * Runs one connection; `timeoutMs` counts from its launch, not from its place in the line. Resolves with how it ended, whatever that is.
   * Rejects with RefusedError `engine.line-full` or `engine.exhausted` (no local sockets left), or CancelledError (signal, engine closed).
   */
  run(lane: Lane, errand: Errand, timeoutMs: number, signal?: AbortSignal): Promise<Outcome> {
    return new Promise((resolve, reject) => {
      const what = `connect to ${errand.ip}:${errand.port}`;
      if (this.#isClosed || signal?.aborted) {
        reject(new CancelledError(what, signal?.reason));
        return;
      }
      const state = this.#lanes[lane];
      if (state.waitingCount >= this.#limits.lanes[lane].waiting) {
        reject(new RefusedError('engine.line-full', `${what}: ${state.waitingCount} connections wait already`));
        return;
      }
      const end = (how: ConnectionEnd) => {
        if (!this.#settle(job, how)) return;
        if (how.how === 'cancelled') reject(new CancelledError(what, signal?.reason));
        else if (how.how === 'exhausted') reject(new RefusedError('engine.exhausted', what, how.cause));
        else resolve(how);
      };
      const job: Job = { lane, errand, timeoutMs, signal, end, connection: undefined, isSettled: false, tries: 0 };
      this.#open.add(job);
      if (signal) this.#signals.add(signal, job);
      this.#enqueue(job);
    });
  }

  stats() {
    const read = ({ inFlight, waitingCount, launched }: LaneState) => ({ inFlight, waiting: waitingCount, launched });
    const { closing } = this.#shared;
    return { exchange: read(this.#lanes.exchange), probe: read(this.#lanes.probe), closing: closing.size };
  }

  /** Cancels everything; later calls of `run` are cancelled at once. */
  close(): void {
    this.#isClosed = true;
    for (const job of this.#open) cancel(job);
    this.#shared.closing.close();
    this.#timer?.cancel();
    this.#timer = undefined;
  }

  #enqueue(job: Job): void {
    const state = this.#lanes[job.lane];
    state.waiting.push(job);
    state.waitingCount++;
    this.#planTurn();
  }

  /** False when the job goes on: out of sockets, back to the line. */
  #settle(job: Job, end: ConnectionEnd): boolean {
    const state = this.#lanes[job.lane];
    if (job.connection) state.inFlight--;
    else state.waitingCount--;
    if (end.how === 'exhausted' && ++job.tries < EXHAUSTED_TRIES && !this.#isClosed) {
      job.connection = undefined;
      this.#pausedUntilMs = this.clock.monotonicMs() + EXHAUSTED_PAUSE_MS;
      this.#enqueue(job);
      return false;
    }
    job.isSettled = true;
    this.#open.delete(job);
    if (job.signal) this.#signals.remove(job.signal, job);
    if (state.waitingCount > 0) this.#planTurn();
    return true;
  }

  #planTurn(): void {
    if (this.#isTurnDue || this.#isClosed) return;
    this.#isTurnDue = true;
    // setImmediate runs right after the I/O poll: answers that have arrived are read before new connects are issued or deadlines judged.
    setImmediate(() => this.#turn());
  }

  #turn(): void {
    this.#isTurnDue = false;
    if (this.#isClosed) return;
    this.#deadlines.expire(this.#lookedAtMs);
    const nowMs = this.clock.monotonicMs();
    const isPaused = nowMs < this.#pausedUntilMs;
    if (!isPaused) this.#launch();
    this.#lookedAtMs = this.clock.monotonicMs();
    if (!isPaused && (this.#mayLaunch('exchange') || this.#mayLaunch('probe'))) this.#planTurn();
    this.#armTimer(isPaused ? this.#pausedUntilMs : undefined);
  }

  #mayLaunch(lane: Lane): boolean {
    const state = this.#lanes[lane];
    return state.waitingCount > 0 && state.inFlight < this.#limits.lanes[lane].inFlight;
  }

  #launch(): void {
    for (let budget = this.#limits.launchPerTurn; budget > 0; ) {
      const before = budget;
      // Lanes take turns: neither can starve the other.
      if (this.#mayLaunch('exchange') && this.#launchNext('exchange')) budget--;
      if (budget > 0 && this.#mayLaunch('probe') && this.#launchNext('probe')) budget--;
      if (budget === before) return;
    }
  }

  #launchNext(lane: Lane): boolean {
    const state = this.#lanes[lane];
    let job = state.waiting.shift();
    while (job?.isSettled) job = state.waiting.shift();
    if (!job) return false;
    state.waitingCount--;
    state.inFlight++;
    state.launched++;
    const connection = new Connection(job.errand, this.#shared, job.end);
    job.connection = connection;
    this.#deadlines.add(connection, job.timeoutMs, this.clock.monotonicMs());
    connection.open();
    return true;
  }

  #armTimer(pausedUntilMs: number | undefined): void {
    const dueMs = Math.min(this.#deadlines.nextDueMs() ?? Infinity, pausedUntilMs ?? Infinity);
    if (dueMs === Infinity || (this.#timer && this.#timer.dueMs <= dueMs)) return;
    this.#timer?.cancel();
    const delayMs = Math.max(1, Math.ceil(dueMs - this.clock.monotonicMs()));
    const cancel = this.clock.after(
      delayMs,
      () => {
        this.#timer = undefined;
        this.#lookedAtMs = this.clock.monotonicMs();
        this.#planTurn();
      },
      { unref: true },
    );
    this.#timer = { dueMs, cancel };
  }
}
