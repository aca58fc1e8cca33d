// The agent's line of scans: those that people ask for go first, the scheduled one yields to them and goes on afterwards. It runs at most one
// scan at a time (and holds at most one), and keeps only the newest account. What is found goes to the sink as it comes.
import type { Clock } from '../../base/clock.ts';
import { RefusedError, renderError } from '../../base/errors.ts';
import type { Log } from '../../base/log.ts';
import type { ScanAccount } from '../../model/contact.ts';
import type { Contact, Identification, ScanListener, ScanPlan, ScanProgress } from './plan.ts';
import { type Brake, createBrake } from './worker-pool.ts';

export type ScanTicket = { readonly id: string; readonly kind: 'manual' | 'scheduled' };

/** `account` is absent when the scan broke; the log says why. `startedMs` by `Clock.elapsedMs`. */
export type FinishedScan = ScanTicket & { readonly startedMs: number; readonly account: ScanAccount | undefined };

type ScannerOptions<F extends Identification> = {
  readonly clock: Clock;
  readonly log: Log;
  /** Gives [0, 1). */
  readonly random: () => number;
  /** `runScan` with its dependencies in place. */
  readonly run: (plan: ScanPlan, brake: Brake, listener: ScanListener<F>, signal: AbortSignal) => Promise<ScanAccount>;
  readonly sink: {
    onContact?(scan: ScanTicket, contact: Contact<F>): void;
    onProgress?(scan: ScanTicket, progress: ScanProgress): void;
    /** Once for each scan that was accepted, also for a cancelled one. */
    onEnd?(scan: FinishedScan): void;
  };
  /** The scheduled scan: made anew each time, so that it knows today's miners; undefined = nothing to scan. Absent = no schedule. */
  readonly schedule?: { readonly everyMs: number; readonly plan: () => ScanPlan | undefined } | undefined;
  /** Manual scans that may wait; default 16. */
  readonly maxWaiting?: number;
};

export type Scanner = ReturnType<typeof createScanner>;

type Waiting = { readonly ticket: ScanTicket; readonly plan: ScanPlan };
type Running = {
  readonly ticket: ScanTicket;
  readonly abort: AbortController;
  readonly brake: Brake;
  progress?: ScanProgress;
  readonly ended: Promise<void>;
};

const MAX_WAITING = 16;
const SCHEDULE_JITTER = 0.1;

export function createScanner<F extends Identification>(options: ScannerOptions<F>) {
  const { clock, log, sink, schedule } = options;
  const waiting: Waiting[] = [];
  let manual: Running | undefined;
  let scheduled: Running | undefined;
  let isScheduledDue = false;
  let scheduledCount = 0;
  let isStopped = false;
  let cancelTimer = () => {};
  let newest: FinishedScan | undefined;

  const end = (finished: FinishedScan) => {
    newest = finished;
    guard('hand over the end of a scan', () => sink.onEnd?.(finished));
  };
  const guard = (what: string, run: () => void) => {
    try {
      run();
    } catch (error) {
      log.error({ cause: renderError(error) }, what);
    }
  };

  const begin = ({ ticket, plan }: Waiting, onEnded: () => void): Running => {
    const abort = new AbortController();
    const brake = createBrake();
    const startedMs = clock.elapsedMs();
    const listener: ScanListener<F> = {
      onContact: (contact) => guard('take in a scanned address', () => sink.onContact?.(ticket, contact)),
      onProgress: (progress) => {
        running.progress = progress;
        guard('show the progress of a scan', () => sink.onProgress?.(ticket, progress));
      },
    };
    const work = async () => {
      let account: ScanAccount | undefined;
      try {
        account = await options.run(plan, brake, listener, abort.signal);
      } catch (error) {
        log.error({ scan: ticket.id, cause: renderError(error) }, 'a scan broke');
      }
      onEnded();
      end({ ...ticket, startedMs, account });
      advance();
    };
    const running: Running = { ticket, abort, brake, ended: Promise.resolve().then(work) };
    return running;
  };

  /** Starts what may start now; the manual line goes first. */
  const advance = () => {
    if (isStopped || manual !== undefined) return;
    const next = waiting.shift();
    if (next !== undefined) {
      scheduled?.brake.hold();
      manual = begin(next, () => {
        manual = undefined;
      });
      return;
    }
    if (scheduled !== undefined) return scheduled.brake.release();
    if (!isScheduledDue) return;
    isScheduledDue = false;
    const plan = schedule?.plan();
    if (plan === undefined) return;
    const ticket: ScanTicket = { id: `scheduled-${++scheduledCount}`, kind: 'scheduled' };
    scheduled = begin({ ticket, plan }, () => {
      scheduled = undefined;
    });
  };

  const tick = () => {
    if (isStopped || schedule === undefined) return;
    if (scheduled === undefined) isScheduledDue = true;
    else log.warn({ scan: scheduled.ticket.id }, 'a scheduled scan is left out: the one before it still runs');
    cancelTimer = clock.after(schedule.everyMs * (1 + SCHEDULE_JITTER * options.random()), tick);
    guard('begin a scheduled scan', advance);
  };

  const running = () => [manual, scheduled].flatMap((scan) => scan ?? []);

  return {
    /** Begins the schedule, with a first scan at once. */
    start: tick,
    /** Cancels everything and waits for it to end. */
    async stop(): Promise<void> {
      isStopped = true;
      cancelTimer();
      for (const { ticket, plan } of waiting.splice(0)) end(neverBegun(ticket, plan, clock.elapsedMs()));
      const ending = running();
      for (const { abort } of ending) abort.abort();
      await Promise.all(ending.map(({ ended }) => ended));
    },
    /** Queues a manual scan. Throws RefusedError `scan.queue-full`, or `scan.duplicate` when a scan of this id is not over yet. */
    request(id: string, plan: ScanPlan): void {
      const isTaken = [...running(), ...waiting].some(({ ticket }) => ticket.id === id);
      if (isTaken) throw new RefusedError('scan.duplicate', `queue scan ${id}: a scan of this id is not over yet`);
      const most = options.maxWaiting ?? MAX_WAITING;
      if (isStopped || waiting.length >= most) {
        throw new RefusedError('scan.queue-full', `queue scan ${id}: ${waiting.length} scans wait already`);
      }
      waiting.push({ ticket: { id, kind: 'manual' }, plan });
      advance();
    },
    /** Cancels the scan, running or waiting; what it found stays found. False when there is none of this id. */
    cancel(id: string): boolean {
      const scan = running().find(({ ticket }) => ticket.id === id);
      scan?.abort.abort();
      const place = waiting.findIndex(({ ticket }) => ticket.id === id);
      for (const { ticket, plan } of place < 0 ? [] : waiting.splice(place, 1)) {
        end(neverBegun(ticket, plan, clock.elapsedMs()));
      }
      return scan !== undefined || place >= 0;
    },
    /** The newest scan that ended. */
    latest: () => newest,
    /** What runs or is held now, with its newest progress, and what waits. */
    current: () => ({
      running: running().map(({ ticket, progress }) => ({ ...ticket, ...(progress && { progress }) })),
      waiting: waiting.map(({ ticket }) => ticket),
    }),
  };
}

function neverBegun(ticket: ScanTicket, { ranges }: ScanPlan, startedMs: number): FinishedScan {
  const account: ScanAccount = {
    addresses: ranges.addresses,
    excluded: ranges.excluded,
    counts: { identified: 0, unknown: 0, login_refused: 0, closed: 0, silent: 0, missing: 0 },
    notReached: ranges.toProbe,
    elapsedMs: 0,
    isCancelled: true,
  };
  return { ...ticket, startedMs, account };
}
