// Starting and stopping parts in order. Constructors only assign; `start` may wait; `stop` is idempotent and safe after a failed start.
import { renderError } from './errors.ts';

export type Part = {
  readonly name: string;
  start(): Promise<void> | void;
  stop(): Promise<void> | void;
};

/**
 * Starts the parts in order and returns a stop function that stops them in reverse order, each at most `stopMs`, and reports every failure.
 * If a start fails, what was started is stopped and the error is thrown on.
 */
export async function startParts(
  parts: readonly Part[],
  options: { stopMs: number; onError: (message: string) => void },
): Promise<() => Promise<void>> {
  const started: Part[] = [];
  let stopping: Promise<void> | undefined;
  const stopStarted = async () => {
    for (const part of started.toReversed()) {
      try {
        await withinMs(options.stopMs, `stop ${part.name}`, async () => part.stop());
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

async function withinMs(limitMs: number, what: string, run: () => Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  try {
    await Promise.race([
      run(),
      new Promise<never>((_, reject) => {
        timer = setTimeout(() => reject(new Error(`${what}: not done after ${limitMs} ms`)), limitMs);
      }),
    ]);
  } finally {
    clearTimeout(timer);
  }
}
