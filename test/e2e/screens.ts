// Screens of 80 columns that are kept in test/screens, with what differs from run to run masked. With `-u` vitest
// writes them anew.
import measure from 'fast-string-truncated-width';
import { expect } from 'vitest';
import { type OnTerminal, runOnTerminal } from './terminal.ts';

export const COLUMNS = 80;

/** What differs from run to run keeps its width. */
export const masked = (lines: readonly string[]): string =>
  lines
    .map((line) =>
      line
        .replaceAll('\u00a0', ' ')
        .replaceAll(/\d{4}-\d\d-\d\d/g, '2026-01-01')
        .replaceAll(/\d\d:\d\d/g, '00:00')
        .replaceAll(/ \d+ s$/g, '  # s')
        .replaceAll(/\d+s ago/g, '#s ago')
        .replaceAll(/\b\d+[dhms0-9]*[dhms]$/g, '#')
        .replaceAll(/(?<![\w.:-])(\d+\.\d+|\d{3,})(?![\w.:-])/g, (number) => '#'.repeat(number.length))
        .replaceAll(/[▁-█·]{24}.*/g, '(24 hours)')
        .replaceAll(/UTC([+-]\d\d:\d\d)?$/g, 'UTC')
        .trimEnd(),
    )
    .join('\n');

export type Kept = Partial<OnTerminal> & {
  readonly code?: number;
  /** After the usual masks: what else differs. */
  readonly mask?: (text: string) => string;
};

/** Runs a command on a terminal and compares what it shows with the screen that is kept; gives that text. */
export async function keepScreen(name: string, args: readonly string[], kept: Kept = {}): Promise<string> {
  const { code = 0, mask = (text) => text, ...options } = kept;
  const screen = await runOnTerminal(args, { columns: COLUMNS, ...options });
  expect(screen.lines.filter((line) => measure(line).width > COLUMNS)).toEqual([]);
  expect(screen.code, screen.lines.join('\n')).toBe(code);
  return keepText(name, mask(masked(screen.lines)));
}

export async function keepText(name: string, text: string): Promise<string> {
  await expect(`${text}\n`).toMatchFileSnapshot(`../screens/${name}.txt`);
  return text;
}
