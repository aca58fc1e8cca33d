// All TCP connections of the process: few connects per tick, a cap in flight and a bounded queue per pool. Deadlines
// are judged after the sockets were read: a busy loop reports no live host as silent.
import Queue from 'yocto-queue';
import type { Cancel, Clock } from '../../base/clock.ts';
import { CancelledError, RefusedError } from '../../base/errors.ts';
import { AbortGroups } from '../limits/abort-groups.ts';
import { Deadlines } from '../limits/deadlines.ts';
import { ClosingSockets } from './closing.ts';
import { Connection, type ConnectionEnd, type ConnectionRequest, type Outcome, type Shared } from './connection.ts';
import { FinBudget } from './fin-budget.ts';
import type { Recorder } from './recorder.ts';

/** Probes of a scan have their own pool, so that a scan of a /16 does not delay an exchange. */
type ConnectionPool = 'exchange' | 'probe';

export type EngineLimits = {
  /** Connects per tick of the event loop; 32 to 64 keeps the loop delay below 25 ms. */
  readonly launchPerTick: number;
  readonly connectionPools: Readonly<Record<ConnectionPool, { readonly inFlight: number; readonly waiting: number }>>;
};

/** A process that is out of sockets tries again this often, this far apart. */
const EXHAUSTED_TRIES = 5;
const EXHAUSTED_PAUSE_MS = 100;
const READ_BUFFER_BYTES = 64 * 1024;

type PoolState = { readonly waiting: Queue<Job>; waitingCount: number; inFlight: number; launched: number };

const newPool = (): PoolState => ({ waiting: new Queue(), waitingCount: 0, inFlight: 0, launched: 0 });

/** One request from the queue to its end; it may take several connections when the process is out of sockets. */
type Job = {
  readonly pool: ConnectionPool;
  readonly request: ConnectionRequest;
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
  readonly recorder: Recorder | undefined;
  readonly #limits: EngineLimits;
  readonly #shared: Shared;
  readonly #pools: Record<ConnectionPool, PoolState> = { exchange: newPool(), probe: newPool() };
  readonly #deadlines = new Deadlines<Connection>();
  readonly #signals = new AbortGroups(cancel);
  readonly #open = new Set<Job>();
  #isTickDue = false;
  #isClosed = false;
  #pausedUntilMs = 0;
  /** A moment with an I/O poll between it and the next tick: what was due by then has had its chance to answer. */
  #lookedAtMs = 0;
  #timer: { readonly dueMs: number; readonly cancel: Cancel } | undefined;

  constructor(clock: Clock, limits: EngineLimits, recorder?: Recorder) {
    this.clock = clock;
    this.recorder = recorder;
    this.#limits = limits;
    const finBudget = new FinBudget();
    this.#shared = {
      readBuffer: new Uint8Array(READ_BUFFER_BYTES),
      closing: new ClosingSockets(clock),
      mayProbeEndWithFin: () => finBudget.take(clock.monotonicMs()),
    };
  }

  /**
   * Runs one connection; `timeoutMs` counts from its launch, not from its wait. Resolves with how it ended. Rejects
   * with RefusedError `engine.queue-full` or `engine.exhausted` (no local sockets left), or CancelledError (signal,
   * engine closed).
   */
  run(pool: ConnectionPool, request: ConnectionRequest, timeoutMs: number, signal?: AbortSignal): Promise<Outcome> {
    return new Promise((resolve, reject) => {
      const what = `connect to ${request.ip}:${request.port}`;
      if (this.#isClosed || signal?.aborted) {
        reject(new CancelledError(what, signal?.reason));
        return;
      }
      const state = this.#pools[pool];
      if (state.waitingCount >= this.#limits.connectionPools[pool].waiting) {
        reject(new RefusedError('engine.queue-full', `${what}: ${state.waitingCount} connections wait already`));
        return;
      }
      const end = (how: ConnectionEnd) => {
        if (!this.#settle(job, how)) return;
        if (how.how === 'cancelled') reject(new CancelledError(what, signal?.reason));
        else if (how.how === 'exhausted') reject(new RefusedError('engine.exhausted', what, how.cause));
        else resolve(how);
      };
      const job: Job = { pool, request, timeoutMs, signal, end, connection: undefined, isSettled: false, tries: 0 };
      this.#open.add(job);
      if (signal) this.#signals.add(signal, job);
      this.#enqueue(job);
    });
  }

  stats() {
    const read = ({ inFlight, waitingCount, launched }: PoolState) => ({ inFlight, waiting: waitingCount, launched });
    const { closing } = this.#shared;
    return { exchange: read(this.#pools.exchange), probe: read(this.#pools.probe), closing: closing.size };
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
    const state = this.#pools[job.pool];
    state.waiting.enqueue(job);
    state.waitingCount++;
    this.#planTick();
  }

  /** False when the job goes on: the process is out of sockets, and the job is queued again. */
  #settle(job: Job, end: ConnectionEnd): boolean {
    const state = this.#pools[job.pool];
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
    if (state.waitingCount > 0) this.#planTick();
    return true;
  }

  #planTick(): void {
    if (this.#isTickDue || this.#isClosed) return;
    this.#isTickDue = true;
    // setImmediate runs right after the I/O poll: answers that have arrived are read before new connects are issued or
    // deadlines judged.
    setImmediate(() => this.#tick());
  }

  #tick(): void {
    this.#isTickDue = false;
    if (this.#isClosed) return;
    this.#deadlines.expire(this.#lookedAtMs);
    const nowMs = this.clock.monotonicMs();
    const isPaused = nowMs < this.#pausedUntilMs;
    if (!isPaused) this.#launch();
    this.#lookedAtMs = this.clock.monotonicMs();
    if (!isPaused && (this.#mayLaunch('exchange') || this.#mayLaunch('probe'))) this.#planTick();
    this.#armTimer(isPaused ? this.#pausedUntilMs : undefined);
  }

  #mayLaunch(pool: ConnectionPool): boolean {
    const state = this.#pools[pool];
    return state.waitingCount > 0 && state.inFlight < this.#limits.connectionPools[pool].inFlight;
  }

  #launch(): void {
    for (let budget = this.#limits.launchPerTick; budget > 0; ) {
      const before = budget;
      // The pools alternate: neither can starve the other.
      if (this.#mayLaunch('exchange') && this.#launchNext('exchange')) budget--;
      if (budget > 0 && this.#mayLaunch('probe') && this.#launchNext('probe')) budget--;
      if (budget === before) return;
    }
  }

  #launchNext(pool: ConnectionPool): boolean {
    const state = this.#pools[pool];
    let job = state.waiting.dequeue();
    while (job?.isSettled) job = state.waiting.dequeue();
    if (!job) return false;
    state.waitingCount--;
    state.inFlight++;
    state.launched++;
    const connection = new Connection(job.request, this.#shared, job.end);
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
        this.#planTick();
      },
      { unref: true },
    );
    this.#timer = { dueMs, cancel };
  }
}
