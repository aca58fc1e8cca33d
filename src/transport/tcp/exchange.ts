// One request and one answer over the engine, with every failure as a declared error. It does not read the answer: the receiver holds the bytes.

import { failureOf } from '../peer-errors.ts';
import type { ExchangeLimits } from '../request.ts';
import type { Receiver } from './connection.ts';
import type { Engine } from './engine.ts';
import { tapped } from './recorder.ts';

/** Where a device is reached: the mapped port, not the port that a request names. */
export type Endpoint = { readonly ip: string; readonly port: number };

export const DEFAULT_DEADLINE_MS = 5_000;
export const DEFAULT_MAX_BYTES = 256 * 1024;

/**
 * Sends `request` and feeds `receiver` until it is content or the peer has finished ('ended'); `file` goes out when the receiver says so.
 * Throws PeerError, RefusedError (waiting line full) or CancelledError.
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
  const { tap, clock } = engine;
  const overheard = tap && tapped(receiver);
  const startMs = clock.monotonicMs();
  const end = await engine.run(
    'exchange',
    { ip, port, exchange: { request, receiver: overheard?.receiver ?? receiver, ...(file && { file }) } },
    limits.deadlineMs ?? DEFAULT_DEADLINE_MS,
    limits.signal,
  );
  if (overheard) tap({ port, bytes: overheard.bytes(), elapsedMs: clock.monotonicMs() - startMs });
  const failure = failureOf(end, what);
  if (failure) throw failure;
  return end.how === 'ended' ? 'ended' : 'complete';
}
