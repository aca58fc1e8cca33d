// Starts and stops parts in order. Constructors only assign; `start` may wait; `stop` may be called twice and after a
// failed start.
import { type Clock, loop, systemClock } from './clock.ts';
import { renderError } from './errors.ts';
import { type Log, oncePerMinute } from './log.ts';
import { withDeadline } from './time/deadline.ts';

export type Part = {
  readonly name: string;
  start(): Promise<void> | void;
  stop(): Promise<void> | void;
};

/**
 * Runs `step` at the start and every `intervalMs` until it is stopped. A failure is logged as `<name> failed`, the same
 * one at most once a minute.
 */
export function createRound(
  name: string,
  intervalMs: number,
  step: () => Promise<void> | void,
  clock: Clock,
  log: Log,
) {
  const stopping = new AbortController();
  let running: Promise<void> | undefined;
  return {
    name,
    start() {
      const onError = oncePerMinute(clock, (error) => log.error({ error: renderError(error) }, `${name} failed`));
      running = loop(clock, { intervalMs, signal: stopping.signal, onError }, step);
    },
    async stop() {
      stopping.abort();
      await running;
    },
  } satisfies Part;
}

/** What a part gets when the time of all is over. */
const LAST_TURN_MS = 250;

/**
 * Starts the parts in order. Returns a function that stops them in reverse order, each within `stopMs` and all within
 * `totalMs` if given; failures go to `onError`. If a start fails, the started parts are stopped and the error is
 * thrown.
 */
export async function startParts(
  parts: readonly Part[],
  options: { stopMs: number; totalMs?: number; onError: (message: string) => void },
): Promise<() => Promise<void>> {
  const started: Part[] = [];
  let stopping: Promise<void> | undefined;
  const stopStarted = async () => {
    const endsAtMs = performance.now() + (options.totalMs ?? Number.POSITIVE_INFINITY);
    for (const part of started.toReversed()) {
      const leftMs = Math.max(LAST_TURN_MS, endsAtMs - performance.now());
      try {
        const deadlineMs = Math.min(options.stopMs, leftMs);
        const onDeadline = () => new Error(`stop ${part.name}: not done after ${deadlineMs} ms`);
        await withDeadline(systemClock, { deadlineMs, onDeadline }, async () => part.stop());
      } catch (error) {
        options.onError(renderError(error));
      }
    }
  };
  for (const part of parts) {
    started.push(part);
    try {
      await part.start();
    } catch (error) {
      await stopStarted();
      throw error;
    }
  }
  return () => {
    stopping ??= stopStarted();
    return stopping;
  };
}
