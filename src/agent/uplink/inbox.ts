// Frames from the service in order, a bounded number at a time, with a rest as long after each, so that a flood of them
// takes at most half of the event loop from the rest of the agent.
import type { RawData } from 'ws';
import type { Clock } from '../../base/clock.ts';
import { readServiceFrame, type ServiceFrame } from '../../wire/frames.ts';

/** Frames handled at a time; twice as many may wait before the socket is paused. */
const AT_A_TIME = 64;
/** So many are no flood: the next ones need not wait. */
const FEW = 8;
/** Handling may have waited for a slow disk, which took nothing from anything else. */
const MOST_REST_MS = 250;

export function createInbox(options: {
  /** Never rejects; the frames after these wait until it is done. */
  handle(frames: readonly ServiceFrame[]): Promise<void>;
  onBad(what: string): void;
  /** A message of a type that is not known. */
  onUnknown(type: string, text: string): void;
  pause(): void;
  resume(): void;
  readonly clock: Pick<Clock, 'monotonicMs' | 'sleep'>;
}) {
  const { clock } = options;
  let waiting: ServiceFrame[] = [];
  let isBusy = false;
  let isPaused = false;

  const drain = async () => {
    const batch = waiting.slice(0, AT_A_TIME);
    waiting = waiting.slice(AT_A_TIME);
    const startMs = clock.monotonicMs();
    await options.handle(batch);
    // A visit to a miner is many turns of the event loop, and each would wait for the next of these.
    if (batch.length > FEW) await clock.sleep(Math.min(MOST_REST_MS, clock.monotonicMs() - startMs));
    isBusy = false;
    if (waiting.length > 0) schedule();
    else if (isPaused) {
      isPaused = false;
      options.resume();
    }
  };

  const schedule = () => {
    if (isBusy) return;
    isBusy = true;
    setImmediate(() => void drain());
  };

  return {
    take(data: RawData, isBinary: boolean) {
      if (isBinary) return options.onBad('binary');
      const text = data.toString();
      const read = readServiceFrame(text);
      if (read.kind === 'bad') return options.onBad(read.what);
      if (read.kind === 'newer') return options.onUnknown(read.type, text);
      waiting.push(read.frame);
      if (waiting.length >= AT_A_TIME * 2 && !isPaused) {
        isPaused = true;
        options.pause();
      }
      schedule();
    },
    clear(): void {
      waiting = [];
    },
  };
}
