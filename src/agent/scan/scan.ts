// One scan: probes the ports of every address, identifies what answers, gives a second chance where one is worth it,
// and accounts for every address. Results stream. It remembers nothing between scans.
import Queue from 'yocto-queue';
import type { Clock } from '../../base/clock.ts';
import { PeerError } from '../../base/errors.ts';
import { parseIpv4 } from '../../base/net/ipv4.ts';
import { withDeadline } from '../../base/time/deadline.ts';
import { SCAN_PORTS, SIDE_PORTS } from '../../driver/identify.ts';
import type { ScanAccount } from '../../model/contact.ts';
import { orderAddresses } from './address-order.ts';
import { type AnswerTime, HostProbe, patienceMs, probePorts } from './host-probe.ts';
import {
  type Identification,
  SCAN_LIMITS,
  type ScanDeps,
  type ScanListener,
  type ScanPlan,
  type ScanProgress,
} from './plan.ts';
import { ScanTally } from './tally.ts';
import { createWorkerPool, type WorkerPool } from './worker-pool.ts';

const PROGRESS_EVERY_MS = 250;
/** Probes in flight when a scan is cancelled have this long to end. */
const CANCEL_GRACE_MS = 2_000;
/** An identification that is aborted may still hand over its answer. */
const IDENTIFY_GRACE_MS = 250;
/** The second pass is gentler: a device is often missed because too much was asked at once. */
const SECOND_PASS_SHARE = 4;
/** For a miner that does not answer its polls either. */
const MUTE_DEADLINE_MS = 5_000;

/**
 * Scans until every address has its class, or until `signal` aborts: then it keeps what it found and counts the rest as
 * not reached. Resolves with the account in both cases; rejects only with what a listener threw.
 */
export function runScan<F extends Identification>(
  plan: ScanPlan,
  deps: ScanDeps<F>,
  listener: ScanListener<F>,
  signal: AbortSignal,
): Promise<ScanAccount> {
  return new Scan(plan, deps, listener, signal).run();
}

class Scan<F extends Identification> {
  readonly #plan: ScanPlan;
  readonly #deps: ScanDeps<F>;
  readonly #listener: ScanListener<F>;
  readonly #signal: AbortSignal;
  readonly #limits: typeof SCAN_LIMITS;
  readonly #ports: readonly number[];
  readonly #sidePorts: readonly number[];
  /** Least time per connect, ms; 0 = no limit. */
  readonly #connectMs: number;
  readonly #startMs: number;
  readonly #tally: ScanTally;
  readonly #answerTime: AnswerTime = { meanMs: 0, spreadMs: 0, count: 0 };
  readonly #secondChance = new Set<HostProbe<F>>();
  #pools: readonly WorkerPool[] = [];
  #phase: ScanProgress['phase'] = 'first pass';
  #isOver = false;
  #broken: { readonly error: unknown } | undefined;

  constructor(plan: ScanPlan, deps: ScanDeps<F>, listener: ScanListener<F>, signal: AbortSignal) {
    this.#plan = plan;
    this.#deps = deps;
    this.#listener = listener;
    this.#signal = signal;
    this.#limits = { ...SCAN_LIMITS, ...plan.limits };
    this.#ports = plan.ports?.length ? plan.ports : SCAN_PORTS;
    this.#sidePorts = plan.ports?.length ? [] : SIDE_PORTS;
    this.#connectMs = msPerConnect(this.#limits.maxPerSecond, this.#ports.length + this.#sidePorts.length);
    this.#startMs = deps.clock.monotonicMs();
    this.#tally = new ScanTally(plan.ranges);
  }

  async run(): Promise<ScanAccount> {
    const unwatch = this.#watch();
    try {
      await this.#firstPass();
      if (this.#secondChance.size > 0 && !this.#signal.aborted && this.#broken === undefined) await this.#secondPass();
      if (this.#broken !== undefined) throw this.#broken.error;
      for (const host of this.#secondChance) this.#conclude(host);
      this.#phase = 'done';
      this.#reportProgress();
    } finally {
      this.#isOver = true;
      this.#abandon();
      unwatch();
    }
    return this.#tally.account(this.#elapsedMs(), this.#signal.aborted);
  }

  /** Follows the signal and reports progress; returns the way to end both. */
  #watch(): () => void {
    const { clock } = this.#deps;
    let cancelGrace = () => {};
    const onAbort = () => {
      for (const pool of this.#pools) pool.stop();
      cancelGrace = clock.after(CANCEL_GRACE_MS, () => this.#abandon());
    };
    this.#signal.addEventListener('abort', onAbort, { once: true });
    const stopProgress = every(clock, PROGRESS_EVERY_MS, () => {
      try {
        this.#reportProgress();
      } catch (error) {
        this.#broken = { error };
        this.#abandon();
      }
    });
    return () => {
      stopProgress();
      cancelGrace();
      this.#signal.removeEventListener('abort', onAbort);
    };
  }

  #firstPass(): Promise<void> {
    const { ranges, known: knownIps = [] } = this.#plan;
    const known = new Set([...knownIps].flatMap((ip) => parseIpv4(ip) ?? []));
    const addresses = orderAddresses(ranges.ranges, known, this.#deps.random);
    const next = () => {
      const { done, value } = addresses.next();
      return done ? undefined : new HostProbe<F>(value, known.has(value.address));
    };
    return this.#pass(next, this.#limits.maxIdentifying, (host) => {
      if (host.deservesSecondChance && !(this.#isMute(host) && host.isIdentified)) this.#secondChance.add(host);
      else this.#conclude(host);
    });
  }

  async #secondPass(): Promise<void> {
    this.#phase = 'second pass';
    await this.#deps.clock.sleep(this.#limits.secondPassAfterMs, this.#signal).catch(() => {});
    const again = this.#secondChance.values();
    const atOnce = Math.max(1, Math.floor(this.#limits.maxIdentifying / SECOND_PASS_SHARE));
    await this.#pass(
      () => again.next().value,
      atOnce,
      (host) => {
        this.#secondChance.delete(host);
        this.#conclude(host);
      },
    );
  }

  /** Sends hosts through both stages; identification runs beside probing. `done` gets each host once. */
  async #pass(next: () => HostProbe<F> | undefined, maxIdentifying: number, done: (host: HostProbe<F>) => void) {
    const { clock, pause } = this.#deps;
    const queue = new Queue<HostProbe<F>>();
    const identifyWorkers = createWorkerPool({
      ...{ clock, pause, limit: maxIdentifying },
      next: () => queue.dequeue(),
      run: async (host) => {
        await this.#identify(host);
        this.#tally.identifying--;
        if (!this.#signal.aborted || host.isIdentified) done(host);
      },
    });
    const probeWorkers: WorkerPool = createWorkerPool({
      ...{ clock, pause, limit: Math.max(1, Math.floor(this.#limits.maxSockets / this.#ports.length)) },
      spacingMs: this.#connectMs * this.#ports.length,
      next,
      run: async (host) => {
        await this.#probe(host, probeWorkers);
        if (this.#signal.aborted) return;
        if (host.open.size === 0) return done(host);
        this.#tally.identifying++;
        queue.enqueue(host);
        identifyWorkers.wake();
      },
    });
    this.#pools = [probeWorkers, identifyWorkers];
    for (const pool of this.#pools) {
      if (this.#signal.aborted) pool.stop();
      // Both are awaited one after the other below: until then a rejection of the second must not count as unhandled.
      pool.drained.catch(() => probeWorkers.abandon());
    }
    probeWorkers.close();
    await probeWorkers.drained;
    identifyWorkers.close();
    await identifyWorkers.drained;
  }

  async #probe(host: HostProbe<F>, workers: WorkerPool): Promise<void> {
    const wasAnswering = host.isAnswering;
    await this.#ask(host, this.#ports);
    // A host that is up with all usual ports closed may have a rare one open. Silent addresses cost nothing more.
    if (host.isUp && host.open.size === 0 && this.#sidePorts.length > 0 && !this.#signal.aborted) {
      const { hasSilentPort, isUnasked } = host;
      workers.charge(this.#connectMs * this.#sidePorts.length);
      await this.#ask(host, this.#sidePorts);
      host.hasSilentPort = hasSilentPort;
      host.isUnasked ||= isUnasked;
    }
    if (this.#signal.aborted) return;
    if (this.#phase === 'first pass') this.#tally.probed++;
    if (!wasAnswering && host.isAnswering) this.#tally.answering++;
    if (host.isUnasked) workers.shrink();
  }

  /** In the second pass a miner that was missed gets twice the time. */
  #ask(host: HostProbe<F>, ports: readonly number[]): Promise<void> {
    const { clock, probe } = this.#deps;
    const answerTime = this.#answerTime;
    const factor = this.#phase === 'second pass' && !host.isAnswering ? 2 : 1;
    const timeoutMs = factor * patienceMs(answerTime, this.#limits.probeTimeoutMs);
    return probePorts(host, { clock, probe, ports, timeoutMs, signal: this.#signal, answerTime });
  }

  async #identify(host: HostProbe<F>): Promise<void> {
    const onDeadline = () => new PeerError('peer.timeout', `identify ${host.ip}`, 'soon');
    const mostMs = this.#limits.identifyDeadlineMs;
    const deadlineMs = this.#isMute(host) ? Math.min(MUTE_DEADLINE_MS, mostMs) : mostMs;
    const bounds = { deadlineMs, graceMs: IDENTIFY_GRACE_MS, signal: this.#signal, onDeadline };
    try {
      host.found = await withDeadline(this.#deps.clock, bounds, (inner) =>
        this.#deps.identify(host.ip, host.open, inner, this.#phase === 'second pass'),
      );
    } catch {
      if (this.#signal.aborted) return;
    }
    host.isIdentified = true;
  }

  #isMute({ ip }: HostProbe<F>): boolean {
    return this.#plan.mute?.has(ip) === true;
  }

  #conclude({ status, isUnasked, ip, range, open, found }: HostProbe<F>): void {
    if (status === undefined) {
      if (isUnasked) this.#tally.unasked++;
      return;
    }
    if (this.#isOver) return;
    this.#tally.count(status, found);
    if (status === 'silent') return;
    try {
      this.#listener.onContact?.({ ip, range, status, openPorts: [...open], ...(found !== undefined && { found }) });
    } catch (error) {
      this.#isOver = true;
      throw error;
    }
  }

  #reportProgress(): void {
    this.#listener.onProgress?.(this.#tally.progress(this.#phase, this.#elapsedMs()));
  }

  #elapsedMs(): number {
    return this.#deps.clock.monotonicMs() - this.#startMs;
  }

  #abandon(): void {
    for (const pool of this.#pools) pool.abandon();
  }
}

/** The ports of an address are probed in a burst: a second with parts of two bursts must stay within the rate too. */
const msPerConnect = (maxPerSecond: number | undefined, burst: number): number =>
  maxPerSecond === undefined ? 0 : 1_000 / Math.max(maxPerSecond * 0.75, maxPerSecond - 2 * burst);

function every(clock: Clock, intervalMs: number, run: () => void): () => void {
  let cancel = () => {};
  const again = () => {
    cancel = clock.after(intervalMs, () => {
      run();
      again();
    });
  };
  again();
  return () => cancel();
}
