// Rows under fixed columns, printed one by one as they come: a finished table cannot be, because results stream.

export type Column<T> = {
  readonly title: string;
  readonly width: number;
  readonly align?: 'right';
  readonly text: (row: T) => string;
};

const cell = (text: string, { width, align }: { width: number; align?: 'right' }) => {
  const cut = text.length > width ? `${text.slice(0, width - 1)}…` : text;
  return align === 'right' ? cut.padStart(width) : cut.padEnd(width);
};

export function headerLine<T>(columns: readonly Column<T>[]): string {
  return columns
    .map((column) => cell(column.title, column))
    .join('  ')
    .trimEnd();
}

export function rowLine<T>(columns: readonly Column<T>[], row: T): string {
  return columns
    .map((column) => cell(column.text(row), column))
    .join('  ')
    .trimEnd();
}
