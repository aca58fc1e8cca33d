// Frames from the service in order, a bounded number per turn of the event loop, so that a flood of them cannot hold up the rest of the agent.
import type { RawData } from 'ws';
import { readServiceFrame, type ServiceFrame } from '../../wire/frames.ts';

/** Frames handled per turn, and twice as many may wait before the socket is paused. */
const PER_TURN = 64;

export type Inbox = { take(data: RawData, isBinary: boolean): void; clear(): void };

export function createInbox(options: {
  handle(frames: readonly ServiceFrame[]): void;
  onBad(what: string): void;
  pause(): void;
  resume(): void;
}): Inbox {
  let waiting: ServiceFrame[] = [];
  let isScheduled = false;
  let isPaused = false;

  const drain = () => {
    isScheduled = false;
    const batch = waiting.slice(0, PER_TURN);
    waiting = waiting.slice(PER_TURN);
    options.handle(batch);
    if (waiting.length > 0) schedule();
    else if (isPaused) {
      isPaused = false;
      options.resume();
    }
  };

  const schedule = () => {
    if (isScheduled) return;
    isScheduled = true;
    setImmediate(drain);
  };

  return {
    take(data, isBinary) {
      if (isBinary) return options.onBad('binary');
      const read = readServiceFrame(data.toString());
      if (read.kind === 'bad') return options.onBad(read.what);
      if (read.kind === 'newer') return;
      waiting.push(read.frame);
      if (waiting.length >= PER_TURN * 2 && !isPaused) {
        isPaused = true;
        options.pause();
      }
      schedule();
    },
    clear() {
      waiting = [];
    },
  };
}
