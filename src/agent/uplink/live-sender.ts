// Sends the newest states of the miners from memory while the disk takes nothing, with the reason, and one more frame
// when it works again. The service does not acknowledge these frames, and they do not count as delivered.
import { type Clock, loop } from '../../base/clock.ts';
import { encodeSlice } from '../../wire/frames.ts';
import type { SliceSource } from '../outbox/outgoing.ts';

/** Stands in the welcome of a service that takes such frames. */
export const TAKES_LIVE = 'live';
/** One frame each: at most 500 miners a second. */
const EVERY_MS = 1_000;

export function createLiveSender(options: {
  readonly source: Pick<SliceSource, 'live' | 'whyUnkept'>;
  readonly clock: Clock;
  transmit(frame: Buffer): void;
  /** Earlier frames have left. */
  hasRoom(): boolean;
  /** One after the other with all other calls of the source. */
  inTurn(run: () => Promise<void>): Promise<void>;
}) {
  const { source, clock } = options;
  /** The fault that the service knows; null = nothing was reported yet. */
  let reportedFault: string | undefined | null = null;
  let after = 0;
  const over = new AbortController();

  const sendNews = async () => {
    const why = source.whyUnkept();
    if (over.signal.aborted || !options.hasRoom() || (why === undefined && reportedFault === undefined)) return;
    const { header, body, count, last } = await source.live(after);
    if (over.signal.aborted || (count === 0 && header.fault === reportedFault)) return;
    reportedFault = header.fault;
    after = last;
    options.transmit(encodeSlice(header, body));
  };

  return {
    /** The service takes live states. */
    start: () =>
      // What fails in a turn ends the connection.
      void loop(clock, { intervalMs: EVERY_MS, signal: over.signal, onError() {} }, () => options.inTurn(sendNews)),
    stop: () => over.abort(),
  };
}
