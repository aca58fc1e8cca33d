// What a person does on a walk, one after the other: lines that are typed or scanned, and buttons that are pressed.
// What waits is bounded.
import type { Interface } from 'node:readline';
import type { WalkEvent } from './steps.ts';

type Input = Extract<WalkEvent, { kind: 'typed' | 'button' }>;

/** A scanner that runs wild fills no memory. */
const MOST_WAITING = 100;

export type Inputs = ReturnType<typeof createInputs>;

export function createInputs(lines: Interface, signal: AbortSignal) {
  const waiting: Input[] = [];
  let wake = () => {};
  let isEnded = false;
  const take = (input: Input) => {
    if (waiting.length < MOST_WAITING) waiting.push(input);
    wake();
  };
  const end = () => {
    isEnded = true;
    wake();
  };
  lines.on('line', (text) => take({ kind: 'typed', text }));
  lines.once('close', end);
  signal.addEventListener('abort', end, { once: true });
  if (signal.aborted) end();
  return {
    press: (miner: string): void => take({ kind: 'button', miner }),
    /** Undefined = there are no more. */
    async next(): Promise<Input | undefined> {
      while (waiting.length === 0 && !isEnded)
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      return signal.aborted ? undefined : waiting.shift();
    },
  };
}
