// Tables for people: drawn when all rows are there, and rows under fixed columns for results that are printed one by one as they come.
import Table from 'cli-table3';
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

const line = <T>(columns: readonly Column<T>[], textOf: (column: Column<T>) => string): string =>
  columns
    .map((column) => {
      const [text, { width }] = [visibleText(textOf(column)), column];
      const cut = text.length > width ? `${text.slice(0, width - 1)}…` : text;
      return column.align === 'right' ? cut.padStart(width) : cut.padEnd(width);
    })
    .join('  ')
    .trimEnd();

export const headerLine = <T>(columns: readonly Column<T>[]): string => line(columns, ({ title }) => title);
export const rowLine = <T>(columns: readonly Column<T>[], row: T): string => line(columns, ({ text }) => text(row));
