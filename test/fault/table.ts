// The bars: each prints one line `id value bar pass|MISSED` when it is measured, and all are printed together at the
// end of a run (test/runner/bar-table.ts). A bar that is missed fails its test too, whatever the reason.
import { appendFileSync } from 'node:fs';
import { expect } from 'vitest';

export type Bar = {
  /** Of the list of bars: `R5`. The same id may have several lines. */
  readonly id: string;
  /** What was measured, with its unit. */
  readonly value: string;
  /** What was promised. */
  readonly bar: string;
  readonly isMet: boolean;
};

/** `npm run test:soak`: the counts of a night, where a bar has such a form. */
export const isWhole = process.env.PITHEAD_BARS === 'whole';
/** `npm run test:fault`, and the whole form; otherwise a quick one, for those who change what it measures. */
export const isFull = isWhole || process.env.PITHEAD_BARS === 'full';

/** The quick form only shows times: it may run beside anything. */
export const isWithin = (ms: number | undefined, limitMs: number) =>
  !isFull || (ms ?? Number.POSITIVE_INFINITY) <= limitMs;

/** Prints the line, keeps it for the table, and fails the test when the bar is missed. */
export function report(bar: Bar): void {
  process.stdout.write(`${lineOf(bar)}\n`);
  const file = process.env.PITHEAD_BARS_FILE;
  if (file !== undefined) appendFileSync(file, `${JSON.stringify(bar)}\n`);
  expect(bar.isMet, lineOf(bar)).toBe(true);
}

const lineOf = ({ id, value, bar, isMet }: Bar) => `${id}  ${value}  [${bar}]  ${isMet ? 'pass' : 'MISSED'}`;
