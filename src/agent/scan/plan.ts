// What a scan does, within which limits, and what it reports while it runs. Types and defaults only.
import type { Clock } from '../../base/clock.ts';
import type { NamedRange, RangesToProbe } from '../../base/net/ranges.ts';
import { IDENTIFY_DEADLINE_MS } from '../../driver/identify.ts';
import type { ContactStatus } from '../../model/contact.ts';
import type { ProbeResult } from '../../transport/tcp/exchange.ts';
import type { Pause } from './worker-pool.ts';

/** What identification found; the caller adds what the listener should get. */
export type Identification =
  | { readonly status: 'identified' | 'unknown' | 'login_refused' }
  | { readonly status: 'likely'; readonly target: { readonly driver: { readonly id: string } } };

type ScanLimits = {
  /** Probes in flight at once, all addresses and ports together. */
  readonly maxSockets: number;
  /** Probes started per second; absent = as fast as `maxSockets` allows. */
  readonly maxPerSecond?: number | undefined;
  /**
   * Least timeout of a probe; longer where hosts are slow. Above 1 s, because a lost first packet is repeated after 1
   * s.
   */
  readonly probeTimeoutMs: number;
  readonly maxIdentifying: number;
  /** Of one identification, in all. */
  readonly identifyDeadlineMs: number;
  /** Time between the first pass and the second. */
  readonly secondPassAfterMs: number;
};

export const SCAN_LIMITS: ScanLimits = {
  maxSockets: 2_000,
  probeTimeoutMs: 1_200,
  maxIdentifying: 128,
  identifyDeadlineMs: IDENTIFY_DEADLINE_MS,
  secondPassAfterMs: 1_000,
};

export type ScanPlan = {
  readonly ranges: RangesToProbe;
  /** Addresses where we know a miner to be; those outside the ranges do not matter. */
  readonly known?: Iterable<string>;
  /** Of these, the ones whose miner does not answer its polls either: they get one short try. */
  readonly mute?: ReadonlySet<string>;
  /** Default 80, 4028, 4433. */
  readonly ports?: readonly number[];
  readonly limits?: Partial<ScanLimits>;
  /** No person waits for it. */
  readonly isBackground?: boolean;
};

export type ScanDeps<F extends Identification> = {
  readonly clock: Clock;
  /** Gives [0, 1). */
  readonly random: () => number;
  /** One connect, closed at once. Rejects only when it could not be tried, or with the signal. */
  probe(ip: string, port: number, timeoutMs: number, signal: AbortSignal): Promise<ProbeResult>;
  /** Identifies the device there. A rejection counts as `unknown`. `isLastTry` = with the longest timeouts. */
  identify(ip: string, openPorts: ReadonlySet<number>, signal: AbortSignal, isLastTry: boolean): Promise<F>;
  /** Lets a more urgent scan go first. */
  readonly pause?: Pause;
};

/** The result of one address; `silent` ones are only counted. `found` is present if identification gave an answer. */
export type Contact<F extends Identification> = {
  readonly ip: string;
  readonly range: NamedRange;
  readonly status: ContactStatus;
  readonly openPorts: readonly number[];
  readonly found?: F;
};

export type ScanProgress = {
  readonly phase: 'first pass' | 'second pass' | 'done';
  /** Addresses that the first pass asks, and those that it has asked. */
  readonly toProbe: number;
  readonly probed: number;
  /** Being identified or waiting for it. */
  readonly identifying: number;
  readonly identified: number;
  /** Answers in any way, so far; grows with what the second pass finds. */
  readonly answering: number;
  readonly elapsedMs: number;
  /** Of the first pass, from its speed until now; absent before there is any. */
  readonly remainingMs?: number;
};

export type ScanListener<F extends Identification> = {
  /** Each address at most once, with its final status; those of the second pass come at the end. */
  onContact?(contact: Contact<F>): void;
  /** A few times a second, and once at the end. */
  onProgress?(progress: ScanProgress): void;
};
