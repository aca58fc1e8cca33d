// One stream of events: follows the feed of a farm from the database, a page at a time, so that a slow reader costs one
// page of memory, and a reader that comes back with the last id misses nothing. It closes itself when the reader takes
// nothing, or when the caller may no longer read this.
import type { PassThrough } from 'node:stream';
import type { Clock } from '../../base/clock.ts';
import { RefusedError, renderError } from '../../base/errors.ts';
import type { Log } from '../../base/log.ts';
import type { EventStore, MinerEvent } from '../store/store.ts';

/** So that neither end takes a quiet stream for a dead one. */
const HEARTBEAT_MS = 15_000;
/** How often the caller is looked at. Where that fails twice the stream is closed, so within a minute. */
const RECHECK_MS = 25_000;
/** A reader that takes nothing for this long is closed. */
const SLOW_MS = 30_000;
/** For the reason to reach the reader. */
const GOODBYE_MS = 5_000;
/** Events read at a time, and the most that wait for a reader. */
const PAGE = 50;
/** Clients wait so long before they connect again. */
const RETRY_MS = 3_000;

/** Why the service closes a stream; the reader gets it as the event `closed`. */
type CloseReason = 'slow' | 'revoked' | 'restart' | 'unavailable';

export type StreamRequest = {
  /** Of the caller, and the id of its key or of the person. */
  readonly workspaceId: string;
  readonly callerId: string;
  readonly farmId: string;
  readonly filter: { readonly minerId?: string | undefined; readonly types?: readonly string[] | undefined };
  /** The position that the reader has; undefined = from now on. */
  readonly after: number | undefined;
  readonly output: PassThrough;
  readonly render: (event: MinerEvent) => { readonly id: string; readonly data: unknown };
  /** Throws RefusedError when the caller may no longer read this. */
  readonly recheck: () => Promise<void>;
};

type StreamParts = { readonly events: Pick<EventStore, 'feed'>; readonly clock: Clock; readonly log: Log };

export type EventStream = ReturnType<typeof createEventStream>;

/** `head` = the newest position of the farm. */
export function createEventStream(request: StreamRequest, head: number, { events, clock, log }: StreamParts) {
  const { output, farmId, filter } = request;
  const over = new AbortController();
  const { signal } = over;
  let newest = head;
  let wake = () => {};
  const close = (reason: CloseReason) => {
    if (signal.aborted) return;
    over.abort();
    output.end(`event: closed\ndata: ${JSON.stringify({ reason })}\n\n`);
    clock.after(GOODBYE_MS, () => output.destroy(), { unref: true });
  };
  output.on('close', () => over.abort());
  output.on('error', () => over.abort());

  const write = async (text: string) => {
    if (signal.aborted || output.write(text)) return;
    const drained = new AbortController();
    const onDrain = () => drained.abort();
    output.once('drain', onDrain);
    await clock.sleep(SLOW_MS, AbortSignal.any([signal, drained.signal])).then(
      () => close('slow'),
      () => {},
    );
    output.off('drain', onDrain);
  };
  const follow = async () => {
    let after = request.after ?? head;
    let seen = request.after === undefined ? head : -1;
    while (!signal.aborted) {
      if (newest === seen) {
        await new Promise<void>((resolve) => {
          wake = resolve;
          signal.addEventListener('abort', () => resolve(), { once: true });
        });
        continue;
      }
      const target = newest;
      const page = await events.feed({ farmId, ...filter, after, limit: PAGE });
      for (const event of page.events) {
        const { id, data } = request.render(event);
        await write(`id: ${id}\ndata: ${JSON.stringify(data)}\n\n`);
        after = event.position;
      }
      if (page.events.length < PAGE) seen = target;
    }
  };
  const beat = async () => {
    for (;;) {
      await clock.sleep(HEARTBEAT_MS, signal);
      if (!output.writableNeedDrain) await write(': still here\n\n');
    }
  };
  let failures = 0;
  const recheck = async () => {
    try {
      await request.recheck();
      failures = 0;
    } catch (error) {
      if (error instanceof RefusedError) close('revoked');
      else if (++failures > 1) close('unavailable');
    }
  };
  const watch = async () => {
    while (!signal.aborted) {
      await clock.sleep(RECHECK_MS, signal);
      await recheck();
    }
  };
  const guarded = async (work: () => Promise<void>) => {
    try {
      await work();
    } catch (error) {
      if (signal.aborted) return;
      log.warn({ farmId, error: renderError(error) }, 'a stream of events failed');
      close('unavailable');
    }
  };
  output.write(`retry: ${RETRY_MS}\n\n`);
  return {
    farmId,
    /** The farm has events up to this position. */
    noteHead(position: number): void {
      if (position === newest) return;
      newest = position;
      wake();
    },
    /** The caller may do other things than before. */
    recheck: () => void recheck(),
    close,
    /** Settles when the stream is over. */
    done: Promise.all([follow, beat, watch].map(guarded)).then(() => {}),
  };
}
