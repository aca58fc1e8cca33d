// The agent's queue of scans: manual scans go first, the scheduled one pauses for them. One scan runs at a time and at
// most one is paused. It keeps only the newest account. What is found goes to the sink as it comes.
import type { Clock } from '../../base/clock.ts';
import { RefusedError, renderError } from '../../base/errors.ts';
import type { Log } from '../../base/log.ts';
import type { ScanAccount } from '../../model/contact.ts';
import type { Contact, Identification, ScanListener, ScanPlan, ScanProgress } from './plan.ts';
import { ScanTally } from './tally.ts';
import { createPause, type Pause } from './worker-pool.ts';

export type ScanTicket = { readonly id: string; readonly kind: 'manual' | 'scheduled' };

/** `account` is absent when the scan broke; the log says why. `startedMs` by `Clock.elapsedMs`. */
export type FinishedScan = ScanTicket & { readonly startedMs: number; readonly account: ScanAccount | undefined };

type ScannerOptions<F extends Identification> = {
  readonly clock: Clock;
  readonly log: Log;
  /** Gives [0, 1). */
  readonly random: () => number;
  /** `runScan` with its dependencies in place. */
  readonly run: (plan: ScanPlan, pause: Pause, listener: ScanListener<F>, signal: AbortSignal) => Promise<ScanAccount>;
  readonly sink: {
    onContact?(scan: ScanTicket, contact: Contact<F>): void;
    onProgress?(scan: ScanTicket, progress: ScanProgress): void;
    /** Once for each scan that was accepted, also for a cancelled one. */
    onEnd?(scan: FinishedScan): void;
  };
  /** The plan is made for each scan, with the miners known then; undefined = nothing to scan. Absent = no schedule. */
  readonly schedule?: { readonly everyMs: number; readonly plan: () => ScanPlan | undefined } | undefined;
  /** Manual scans that may wait; default 16. */
  readonly maxWaiting?: number;
};

type Waiting = { readonly ticket: ScanTicket; readonly plan: ScanPlan };
type Running = {
  readonly ticket: ScanTicket;
  readonly abort: AbortController;
  readonly pause: Pause;
  progress?: ScanProgress;
  readonly ended: Promise<void>;
};

const MAX_WAITING = 16;
const SCHEDULE_JITTER = 0.1;

export class Scanner<F extends Identification = Identification> {
  readonly #options: ScannerOptions<F>;
  readonly #waiting: Waiting[] = [];
  #manual: Running | undefined;
  #scheduled: Running | undefined;
  #isScheduledDue = false;
  #scheduledCount = 0;
  #isStopped = false;
  #cancelTimer = () => {};
  #newest: FinishedScan | undefined;

  constructor(options: ScannerOptions<F>) {
    this.#options = options;
  }

  /** Begins the schedule, with a first scan at once. */
  start(): void {
    const { clock, log, random, schedule } = this.#options;
    if (this.#isStopped || schedule === undefined) return;
    if (this.#scheduled === undefined) this.#isScheduledDue = true;
    else log.warn({ scan: this.#scheduled.ticket.id }, 'a scheduled scan is left out: the one before it still runs');
    this.#cancelTimer = clock.after(schedule.everyMs * (1 + SCHEDULE_JITTER * random()), () => this.start());
    this.#guard('begin a scheduled scan', () => this.#advance());
  }

  /** Cancels everything and waits for it to end. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#cancelTimer();
    for (const waiting of this.#waiting.splice(0)) this.#endUnbegun(waiting);
    const ending = this.#running();
    for (const { abort } of ending) abort.abort();
    await Promise.all(ending.map(({ ended }) => ended));
  }

  /**
   * Queues a manual scan. Throws RefusedError `scan.queue-full`, or `scan.duplicate` while a scan of this id is not
   * over.
   */
  request(id: string, plan: ScanPlan): void {
    const isTaken = [...this.#running(), ...this.#waiting].some(({ ticket }) => ticket.id === id);
    if (isTaken) throw new RefusedError('scan.duplicate', `queue scan ${id}: a scan of this id is not over yet`);
    const { length } = this.#waiting;
    if (this.#isStopped || length >= (this.#options.maxWaiting ?? MAX_WAITING)) {
      throw new RefusedError('scan.queue-full', `queue scan ${id}: ${length} scans wait already`);
    }
    this.#waiting.push({ ticket: { id, kind: 'manual' }, plan });
    this.#advance();
  }

  /** Cancels the scan, running or waiting; what it found stays found. False when there is none of this id. */
  cancel(id: string): boolean {
    const scan = this.#running().find(({ ticket }) => ticket.id === id);
    scan?.abort.abort();
    const index = this.#waiting.findIndex(({ ticket }) => ticket.id === id);
    for (const waiting of index < 0 ? [] : this.#waiting.splice(index, 1)) this.#endUnbegun(waiting);
    return scan !== undefined || index >= 0;
  }

  /** The newest scan that ended. */
  latest(): FinishedScan | undefined {
    return this.#newest;
  }

  /** What runs or is paused now, with its newest progress, and what waits. */
  current() {
    return {
      running: this.#running().map(({ ticket, progress }) => ({ ...ticket, ...(progress && { progress }) })),
      waiting: this.#waiting.map(({ ticket }) => ticket),
    };
  }

  #running(): Running[] {
    return [this.#manual, this.#scheduled].flatMap((scan) => scan ?? []);
  }

  /** Starts what may start now; manual scans go first. */
  #advance(): void {
    if (this.#isStopped || this.#manual !== undefined) return;
    const next = this.#waiting.shift();
    if (next !== undefined) {
      this.#scheduled?.pause.pause();
      this.#manual = this.#begin(next);
      return;
    }
    this.#scheduled?.pause.resume();
    if (this.#scheduled !== undefined || !this.#isScheduledDue) return;
    this.#isScheduledDue = false;
    const plan = this.#options.schedule?.plan();
    if (plan === undefined) return;
    const ticket: ScanTicket = { id: `scheduled-${++this.#scheduledCount}`, kind: 'scheduled' };
    this.#scheduled = this.#begin({ ticket, plan });
  }

  #begin({ ticket, plan }: Waiting): Running {
    const { run, sink } = this.#options;
    const abort = new AbortController();
    const pause = createPause();
    const startedMs = this.#options.clock.elapsedMs();
    const listener: ScanListener<F> = {
      onContact: (contact) => this.#guard('take in a scanned address', () => sink.onContact?.(ticket, contact)),
      onProgress: (progress) => {
        running.progress = progress;
        this.#guard('show the progress of a scan', () => sink.onProgress?.(ticket, progress));
      },
    };
    const work = async () => {
      let account: ScanAccount | undefined;
      try {
        account = await run(plan, pause, listener, abort.signal);
      } catch (error) {
        this.#options.log.error({ scan: ticket.id, cause: renderError(error) }, 'a scan broke');
      }
      if (ticket.kind === 'manual') this.#manual = undefined;
      else this.#scheduled = undefined;
      this.#end({ ...ticket, startedMs, account });
      this.#advance();
    };
    const running: Running = { ticket, abort, pause, ended: Promise.resolve().then(work) };
    return running;
  }

  #end(finished: FinishedScan): void {
    this.#newest = finished;
    this.#guard('hand over the end of a scan', () => this.#options.sink.onEnd?.(finished));
  }

  #endUnbegun({ ticket, plan }: Waiting): void {
    const account = new ScanTally(plan.ranges).account(0, true);
    this.#end({ ...ticket, startedMs: this.#options.clock.elapsedMs(), account });
  }

  #guard(what: string, run: () => void): void {
    try {
      run();
    } catch (error) {
      this.#options.log.error({ cause: renderError(error) }, what);
    }
  }
}
