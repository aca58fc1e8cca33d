// When a request is over: its answer is sent in full, or its connection is gone.
import type { FastifyReply } from 'fastify';

/** Calls `run` once; at once when it is over already. */
export function onceClosed({ raw }: FastifyReply, run: () => void): void {
  if (raw.closed || raw.destroyed) run();
  else raw.once('close', run);
}
