// Answers of many lines: each has an id by which it can be stopped, sends a beat now and then, and ends when its caller
// goes. A caller that does not read is cut off, so that nothing piles up.
import type { FastifyReply } from 'fastify';
import type { Clock } from '../../base/clock.ts';
import { CancelledError, RefusedError, renderError } from '../../base/errors.ts';
import type { Log } from '../../base/log.ts';
import type { Line } from './messages.ts';

type Work = (write: (line: Line) => void, signal: AbortSignal) => Promise<void>;
type Stream = { readonly abort: AbortController; readonly over: Promise<void>; end(last: Line): void };

/** Shorter than callers wait for a line. */
const BEAT_MS = 5_000;
const LAST_MS = 300;
const MAX_UNREAD_BYTES = 16 * 1024 * 1024;

export function createStreams({ clock, log, newId }: { clock: Clock; log: Log; newId: () => string }) {
  const open = new Map<string, Stream>();
  return {
    /**
     * Answers with what `work` writes; resolves when it is over. The signal aborts when it is to stop, or the caller
     * has gone.
     */
    async answer(reply: FastifyReply, work: Work) {
      const id = newId();
      const abort = new AbortController();
      const { promise: over, resolve } = Promise.withResolvers<void>();
      reply.hijack();
      const { raw } = reply;
      for (const event of ['close', 'error']) raw.on(event, () => abort.abort('the caller has gone'));
      raw.writeHead(200, { 'content-type': 'application/x-ndjson' });
      const write = (line: Line) => {
        if (raw.destroyed || raw.writableEnded) return;
        if (raw.writableLength > MAX_UNREAD_BYTES) raw.destroy();
        else raw.write(`${JSON.stringify(line)}\n`);
      };
      const end = (last: Line) => {
        write(last);
        raw.end();
      };
      open.set(id, { abort, over, end });
      let cancelBeat = () => {};
      const beat = () => {
        write({ type: 'beat' });
        cancelBeat = clock.after(BEAT_MS, beat, { unref: true });
      };
      try {
        write({ type: 'begin', id });
        beat();
        await work(write, abort.signal);
      } catch (error) {
        write(failureOf(error, log));
      } finally {
        cancelBeat();
        raw.end();
        open.delete(id);
        resolve();
      }
    },
    /** False when there is none of this id. */
    stop(id: string) {
      const stream = open.get(id);
      stream?.abort.abort('stopped by the caller');
      return stream !== undefined;
    },
    /** Stops all of them; those that take longer than a moment end without their work. */
    async stopAll() {
      const all = [...open.values()];
      for (const { abort } of all) abort.abort('the agent stops');
      await Promise.race([Promise.all(all.map(({ over }) => over)), clock.sleep(LAST_MS)]);
      const error = 'the agent stops; what has been started goes on with its next start';
      for (const { end } of open.values()) end({ type: 'failed', code: 'stopping', error });
    },
  };
}

function failureOf(error: unknown, log: Log): Line {
  if (error instanceof RefusedError || error instanceof CancelledError)
    return { type: 'failed', code: error.code, error: error.message };
  log.error({ cause: renderError(error) }, 'answer at the control socket');
  return { type: 'failed', code: 'internal', error: 'the agent itself failed; see its log' };
}
