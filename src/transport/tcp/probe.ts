// Is somebody there? One TCP connect to one port, closed again at once with a reset. It sends nothing and says nothing about who answers.

import { failureOf } from '../peer-errors.ts';
import type { Engine } from './engine.ts';
import type { Endpoint } from './exchange.ts';

/** `refused` proves a live host; `silent` proves nothing; `unreachable` = the network says that there is no way. */
export type ProbeResult = 'open' | 'refused' | 'silent' | 'unreachable';

/** Rejects only with CancelledError, or RefusedError when the waiting line is full or the process is out of sockets. */
export async function probe(
  engine: Engine,
  { ip, port }: Endpoint,
  timeoutMs: number,
  signal?: AbortSignal,
): Promise<ProbeResult> {
  const end = await engine.run('probe', { ip, port }, timeoutMs, signal);
  switch (end.how) {
    case 'refused':
    case 'unreachable':
      return end.how;
    case 'deadline':
      return 'silent';
    case 'open':
    case 'complete':
    case 'ended':
    case 'reset':
      return 'open';
    case 'rejected':
    case 'exhausted':
    case 'cancelled':
      throw failureOf(end, `probe ${ip}:${port}`) ?? new Error('no failure behind a failed probe');
  }
}
