// Asks all ports of one address at once and adds the answers up. It does not judge the address: one pass knows less than two.
import { formatIpv4 } from '../../base/net/ipv4.ts';
import type { NamedRange } from '../../base/net/ranges.ts';
import type { ProbeResult } from '../../transport/tcp/exchange.ts';
import type { Stop } from './address-order.ts';
import type { ScanDeps } from './plan.ts';

/** One address on its way through a scan. */
export class Door<F> {
  readonly ip: string;
  readonly range: NamedRange;
  readonly isKnown: boolean;
  readonly open = new Set<number>();
  /** A closed port answered: the host is up. */
  isUp = false;
  hasSilentPort = false;
  /** A probe could not be sent. */
  isUnasked = false;
  isIdentified = false;
  found: F | undefined;

  constructor({ address, range }: Stop, isKnown: boolean) {
    this.ip = formatIpv4(address);
    this.range = range;
    this.isKnown = isKnown;
  }
}

/** A probe that never settles is a defect of the prober; it may wait in a line, so it is given this much above its own timeout. */
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

/** Hosts far away get up to this many times the usual patience. */
const MOST_PATIENCE = 2.5;

/**
 * How long a probe waits: what hosts here take with some to spare, and never less than `leastMs`, because a silent address is asked once and a lost
 * first packet must have its second.
 */
export function patienceMs({ meanMs, spreadMs, count }: AnswerTime, leastMs: number): number {
  if (count === 0) return leastMs;
  return Math.min(MOST_PATIENCE * leastMs, Math.max(leastMs, meanMs + 4 * spreadMs));
}

type Knock = Pick<ScanDeps<never>, 'clock' | 'probe'> & {
  readonly ports: readonly number[];
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  readonly answerTime: AnswerTime;
};

/** Asks every port that is not known to be open. Never rejects; after an abort the door's state is worth nothing new. */
export async function knock<F>(
  door: Door<F>,
  { clock, probe, ports, timeoutMs, signal, answerTime }: Knock,
): Promise<void> {
  const startMs = clock.monotonicMs();
  const asked = ports.filter((port) => !door.open.has(port));
  const answers = new Map<number, ProbeResult | 'unasked'>();
  const ask = async (port: number) => {
    try {
      const answer = await probe(door.ip, port, timeoutMs, signal);
      answers.set(port, answer);
      if (answer === 'open' || answer === 'refused') learnAnswerTime(answerTime, clock.monotonicMs() - startMs);
    } catch {
      answers.set(port, 'unasked');
    }
  };
  await new Promise<void>((resolve) => {
    const cancel = clock.after(timeoutMs + STUCK_AFTER_MS, resolve, { unref: true });
    void Promise.all(asked.map(ask)).then(() => {
      cancel();
      resolve();
    });
  });
  if (signal.aborted) return;
  door.isUnasked = false;
  door.hasSilentPort = false;
  for (const port of asked) {
    const answer = answers.get(port) ?? 'unasked';
    if (answer === 'open') door.open.add(port);
    else if (answer === 'refused') door.isUp = true;
    else if (answer === 'unasked') door.isUnasked = true;
    else door.hasSilentPort = true;
  }
}
