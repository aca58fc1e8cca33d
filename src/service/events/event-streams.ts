// Open streams of events (server-sent events). It bounds how many there are, looks for new events for all of them, and
// closes them when the service stops. One stream is event-stream.ts. It does not decide who may open one.
import { type Clock, loop } from '../../base/clock.ts';
import { RefusedError, renderError } from '../../base/errors.ts';
import type { Part } from '../../base/lifecycle.ts';
import type { Log } from '../../base/log.ts';
import type { EventStore } from '../store/store.ts';
import { createEventStream, type EventStream, type StreamRequest } from './event-stream.ts';

/** How soon a new event is found, whichever copy stored it: by one read of the counts of the farms. */
const LOOK_MS = 1_000;
/** On each copy. */
export const MOST_STREAMS = { ofWorkspace: 20, inAll: 500 } as const;

type StreamParts = {
  readonly events: Pick<EventStore, 'feed' | 'heads'>;
  readonly clock: Clock;
  readonly log: Log;
};

export type EventStreams = ReturnType<typeof createEventStreams>;

export function createEventStreams({ events, clock, log }: StreamParts) {
  /** Those that are being opened too: they count at once. */
  const open = new Map<StreamRequest, EventStream | undefined>();
  const stopping = new AbortController();
  let looking: Promise<void> | undefined;

  const look = async () => {
    const streams = [...open.values()].filter((stream) => stream !== undefined);
    const heads = await events.heads([...new Set(streams.map(({ farmId }) => farmId))]);
    for (const stream of streams) stream.noteHead(heads.get(stream.farmId) ?? 0);
  };

  return {
    /** Throws RefusedError `request.rate` when there are as many as there may be. */
    async open(request: StreamRequest): Promise<void> {
      const ofWorkspace = [...open.keys()].filter(({ workspaceId }) => workspaceId === request.workspaceId);
      if (ofWorkspace.length >= MOST_STREAMS.ofWorkspace || open.size >= MOST_STREAMS.inAll)
        throw new RefusedError(
          'request.rate',
          `Open one more stream of events: accepted are ${MOST_STREAMS.ofWorkspace} of a workspace and ${MOST_STREAMS.inAll} in all; close one first`,
        );
      open.set(request, undefined);
      try {
        const head = (await events.heads([request.farmId])).get(request.farmId) ?? 0;
        const stream = createEventStream(request, head, { events, clock, log });
        open.set(request, stream);
        if (stopping.signal.aborted) stream.close('restart');
        stream.done.then(
          () => open.delete(request),
          () => open.delete(request),
        );
      } catch (error) {
        open.delete(request);
        throw error;
      }
    },
    /** Sessions of the person were ended, or it may do other things now. */
    recheckOf(callerId: string): void {
      for (const [request, stream] of open) if (request.callerId === callerId) stream?.recheck();
    },
    part: {
      name: 'event streams',
      start() {
        const onError = (error: unknown) => log.warn({ error: renderError(error) }, 'looking for new events failed');
        looking = loop(clock, { intervalMs: LOOK_MS, signal: stopping.signal, onError }, look);
      },
      async stop() {
        stopping.abort();
        for (const stream of open.values()) stream?.close('restart');
        await looking;
      },
    } satisfies Part,
  };
}
