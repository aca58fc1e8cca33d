// One address on its way through a scan: its ports are probed all at once, and what they answered gives its class.
import { formatIpv4 } from '../../base/net/ipv4.ts';
import type { NamedRange } from '../../base/net/ranges.ts';
import type { ContactStatus } from '../../model/contact.ts';
import type { ProbeResult } from '../../transport/tcp/exchange.ts';
import type { ScanAddress } from './address-order.ts';
import type { Identification, ScanDeps } from './plan.ts';

export class HostProbe<F extends Identification> {
  readonly ip: string;
  readonly range: NamedRange;
  /** A miner is known to be here. */
  readonly isKnown: boolean;
  readonly open = new Set<number>();
  /** A closed port answered: the host is up. */
  isUp = false;
  hasSilentPort = false;
  /** A probe could not be sent. */
  isUnasked = false;
  isIdentified = false;
  found: F | undefined;

  constructor({ address, range }: ScanAddress, isKnown: boolean) {
    this.ip = formatIpv4(address);
    this.range = range;
    this.isKnown = isKnown;
  }

  get isAnswering(): boolean {
    return this.isUp || this.open.size > 0;
  }

  /** Undefined for an address that was not asked, or that answers and is not identified yet. */
  get status(): ContactStatus | undefined {
    if (this.found !== undefined) return this.found.status;
    if (this.isIdentified) return 'unknown';
    if (this.open.size > 0) return undefined;
    if (this.isUp) return 'closed';
    if (this.isUnasked) return undefined;
    return this.isKnown ? 'missing' : 'silent';
  }

  /**
   * A device that gave no proof may have had too little time. A refused login is not tried again, because some
   * firmwares lock a client out after two failures. A closed port is not tried again either, unless a miner is known to
   * be there.
   */
  get deservesSecondChance(): boolean {
    if (this.isUnasked) return true;
    if (this.isIdentified) return this.status === 'unknown' || this.status === 'likely';
    return this.isKnown || (this.isUp && this.hasSilentPort);
  }

  /** Replaces what an earlier pass knew of these ports; ports once open stay open. */
  take(ports: readonly number[], answers: ReadonlyMap<number, ProbeResult>): void {
    this.isUnasked = false;
    this.hasSilentPort = false;
    for (const port of ports) {
      const answer = answers.get(port);
      if (answer === 'open') this.open.add(port);
      else if (answer === 'refused') this.isUp = true;
      else if (answer === undefined) this.isUnasked = true;
      else this.hasSilentPort = true;
    }
  }
}

/** A probe may wait in a queue. If it is not settled this long after its timeout, the prober has a defect. */
const STUCK_AFTER_MS = 30_000;

/** Typical time to an answer and its spread, as TCP estimates them (RFC 6298). */
export type AnswerTime = { meanMs: number; spreadMs: number; count: number };

function learnAnswerTime(time: AnswerTime, tookMs: number): void {
  if (time.count++ === 0) {
    time.meanMs = tookMs;
    time.spreadMs = tookMs / 2;
    return;
  }
  time.spreadMs += (Math.abs(tookMs - time.meanMs) - time.spreadMs) / 4;
  time.meanMs += (tookMs - time.meanMs) / 8;
}

/** Hosts far away get up to this many times the usual timeout. */
const MOST_PATIENCE = 2.5;

/**
 * The timeout of a probe: what hosts here take, with some to spare. Never less than `leastMs`: a silent address is
 * asked once, and a lost first packet must have time to be repeated.
 */
export function patienceMs({ meanMs, spreadMs, count }: AnswerTime, leastMs: number): number {
  if (count === 0) return leastMs;
  return Math.min(MOST_PATIENCE * leastMs, Math.max(leastMs, meanMs + 4 * spreadMs));
}

type ProbeOptions = Pick<ScanDeps<Identification>, 'clock' | 'probe'> & {
  readonly ports: readonly number[];
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  readonly answerTime: AnswerTime;
};

/** Probes every port that is not known to be open. Never rejects; an aborted probe changes nothing. */
export async function probePorts<F extends Identification>(
  host: HostProbe<F>,
  { clock, probe, ports, timeoutMs, signal, answerTime }: ProbeOptions,
): Promise<void> {
  const startMs = clock.monotonicMs();
  const asked = ports.filter((port) => !host.open.has(port));
  const answers = new Map<number, ProbeResult>();
  const ask = async (port: number) => {
    try {
      const answer = await probe(host.ip, port, timeoutMs, signal);
      answers.set(port, answer);
      if (answer === 'open' || answer === 'refused') learnAnswerTime(answerTime, clock.monotonicMs() - startMs);
    } catch {
      // A port without an answer counts as not asked.
    }
  };
  await new Promise<void>((resolve) => {
    const cancel = clock.after(timeoutMs + STUCK_AFTER_MS, resolve, { unref: true });
    void Promise.all(asked.map(ask)).then(() => {
      cancel();
      resolve();
    });
  });
  if (!signal.aborted) host.take(asked, answers);
}
