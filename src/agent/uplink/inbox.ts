// Frames from the service in order, a bounded number per tick of the event loop, so that a flood of them cannot block
// the rest of the agent.
import type { RawData } from 'ws';
import { readServiceFrame, type ServiceFrame } from '../../wire/frames.ts';

/** Frames handled per tick; twice as many may wait before the socket is paused. */
const PER_TICK = 64;

export function createInbox(options: {
  /** Never rejects; the frames after these wait until it is done. */
  handle(frames: readonly ServiceFrame[]): Promise<void>;
  onBad(what: string): void;
  /** A message of a type that is not known. */
  onUnknown(type: string, text: string): void;
  pause(): void;
  resume(): void;
}) {
  let waiting: ServiceFrame[] = [];
  let isBusy = false;
  let isPaused = false;

  const drain = async () => {
    const batch = waiting.slice(0, PER_TICK);
    waiting = waiting.slice(PER_TICK);
    await options.handle(batch);
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
      if (waiting.length >= PER_TICK * 2 && !isPaused) {
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
