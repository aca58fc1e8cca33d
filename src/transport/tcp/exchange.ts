// One request and one answer over the engine, or one probe of a port; every failure is a declared error. It does not
// read the answer: the receiver holds the bytes.
import type { Clock } from '../../base/clock.ts';
import { RefusedError } from '../../base/errors.ts';
import { peerError } from '../peer-errors.ts';
import type { ExchangeLimits } from '../request.ts';
import type { Outcome, Receiver } from './connection.ts';
import type { Engine } from './engine.ts';
import { recorded } from './recorder.ts';

/** Where a device is reached: the mapped port, not the port that a request names. */
export type Endpoint = { readonly ip: string; readonly port: number };

/** What one exchange may cost unless its caller says otherwise. */
export const DEFAULT_DEADLINE_MS = 5_000;
export const DEFAULT_MAX_BYTES = 256 * 1024;
/** Slow flash, slow links: a device may take this long for a file of firmware. */
export const UPLOAD_DEADLINE_MS = 30 * 60_000;

export type TimeBudget = {
  /** Limits for the next step: what is left. Throws PeerError `peer.timeout` when nothing is. */
  next(what: string): ExchangeLimits & { readonly deadlineMs: number };
};

/** One total deadline over several steps (login, then request). */
export function timeBudget(clock: Clock, limits: ExchangeLimits, defaultMs: number): TimeBudget {
  const endsAtMs = clock.monotonicMs() + (limits.deadlineMs ?? defaultMs);
  return {
    next(what) {
      const deadlineMs = Math.ceil(endsAtMs - clock.monotonicMs());
      if (deadlineMs <= 0) throw peerError('peer.timeout', what, { wasSent: false });
      return { ...limits, deadlineMs };
    },
  };
}

/**
 * Sends `request` and feeds `receiver` until it is complete or the peer has finished ('ended'); `file` goes out when
 * the receiver says so. Throws PeerError, RefusedError (queue full) or CancelledError.
 */
export async function exchange(
  engine: Engine,
  { ip, port }: Endpoint,
  request: Buffer,
  receiver: Receiver,
  what: string,
  limits: ExchangeLimits,
  file?: () => AsyncIterable<Uint8Array>,
): Promise<'complete' | 'ended'> {
  const { recorder, clock } = engine;
  const copy = recorder && recorded(receiver);
  const startMs = clock.monotonicMs();
  const end = await engine.run(
    'exchange',
    { ip, port, exchange: { request, receiver: copy?.receiver ?? receiver, ...(file && { file }) } },
    limits.deadlineMs ?? DEFAULT_DEADLINE_MS,
    limits.signal,
  );
  if (copy) recorder({ port, bytes: copy.bytes(), elapsedMs: clock.monotonicMs() - startMs });
  const failure = failureOf(end, what);
  if (failure) throw failure;
  return end.how === 'ended' ? 'ended' : 'complete';
}

/** The failure behind an end that gave no answer; `undefined` for the ends that did. */
function failureOf(end: Outcome, what: string): Error | undefined {
  switch (end.how) {
    case 'open':
    case 'complete':
    case 'ended':
      return undefined;
    case 'refused':
    case 'unreachable':
      return peerError(`peer.${end.how}`, what, { cause: end.cause, wasSent: false });
    case 'reset':
      return peerError('peer.reset', what, { cause: end.cause, wasSent: end.wasSent });
    case 'deadline':
      return peerError('peer.timeout', what, { wasSent: end.wasSent });
    case 'rejected':
      return end.error instanceof Error ? end.error : peerError('peer.unparsable', what, { cause: end.error });
  }
}

/** A file as it is read while it is sent. Throws RefusedError `upload.unreadable`. */
export async function* fileChunks(bytes: Blob, name = 'a file'): AsyncGenerator<Uint8Array> {
  try {
    yield* bytes.stream();
  } catch (error) {
    throw new RefusedError('upload.unreadable', `read ${name} while sending it`, error);
  }
}

/** `refused` proves a live host; `silent` proves nothing; `unreachable` = the network says that there is no way. */
export type ProbeResult = 'open' | 'refused' | 'silent' | 'unreachable';

/**
 * One TCP connect, closed again at once, with FIN as long as there are local ports for it; nothing is sent. Rejects
 * only with CancelledError, or RefusedError when the queue is full or the process is out of sockets.
 */
export async function probe(
  engine: Engine,
  { ip, port }: Endpoint,
  timeoutMs: number,
  signal?: AbortSignal,
): Promise<ProbeResult> {
  const { how } = await engine.run('probe', { ip, port }, timeoutMs, signal);
  if (how === 'deadline') return 'silent';
  // A host that resets an established connection is there.
  return how === 'refused' || how === 'unreachable' ? how : 'open';
}
