// Tables for people: drawn when all rows are there, and rows under fixed columns for results that are printed one by one as they come.
import Table from 'cli-table3';
import measure from 'fast-string-truncated-width';
import { visibleLines, visibleText } from '../../model/plain-text.ts';

export type Cell = string | number | null;

export function table(head: readonly string[], rows: readonly (readonly Cell[])[]): string {
  const drawn = new Table({ head: [...head], style: { head: [], border: [], compact: true } });
  drawn.push(...rows.map((row) => row.map((cell) => (typeof cell === 'string' ? visibleLines(cell) : (cell ?? '')))));
  return drawn.toString();
}

export type Column<T> = {
  readonly title: string;
  readonly width: number;
  readonly align?: 'right';
  readonly text: (row: T) => string;
};

/** The text in at most so many columns of a terminal: some characters take two of them, some none. */
function cutTo(width: number, text: string): string {
  const { truncated, index } = measure(text, { limit: width, ellipsis: '…', ellipsisWidth: 1 });
  return truncated ? `${text.slice(0, index)}…` : text;
}

const line = <T>(columns: readonly Column<T>[], textOf: (column: Column<T>) => string): string =>
  columns
    .map((column) => {
      const text = cutTo(column.width, visibleText(textOf(column)));
      const padding = ' '.repeat(Math.max(0, column.width - measure(text).width));
      return column.align === 'right' ? padding + text : text + padding;
    })
    .join('  ')
    .trimEnd();

export const headerLine = <T>(columns: readonly Column<T>[]): string => line(columns, ({ title }) => title);
export const rowLine = <T>(columns: readonly Column<T>[], row: T): string => line(columns, ({ text }) => text(row));
