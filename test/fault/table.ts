// The table of bars: each prints one line `id value bar pass|MISSED` when it is measured, and all are printed together
// at the end of a run. A bar that is missed fails its test too, whatever the reason. `isFull` = the whole count of
// `npm run test:fault`; otherwise the short one of `npm run test:long`.
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

export const isFull = process.env.PITHEAD_BARS === 'full';

/**
 * Time is judged in the whole run alone: the short one runs beside everything else on any machine, and only shows it.
 */
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
