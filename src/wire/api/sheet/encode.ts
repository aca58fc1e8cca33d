// A sheet as CSV and as a workbook. A cell that a spreadsheet would take for a formula begins with an apostrophe, in
// both: names of workers come from devices.
import { stringify } from 'csv-stringify/sync';
import writeExcelFile from 'write-excel-file/node';
import { wallText } from '../../../base/time/wall-clock.ts';
import type { Cell, Sheet } from './sheet.ts';

export function csvText({ titles, rows }: Sheet): string {
  const cells = rows.map((row) => row.map((cell) => (cell instanceof Date ? wallText(cell.getTime()) : cell)));
  return stringify([titles, ...cells], { escape_formulas: true });
}

/** What `escape_formulas` guards in CSV. */
const FORMULA = /^[=+\-@\t\r\uFF1D\uFF0B\uFF0D\uFF20]/;

const DATE_FORMAT = 'yyyy-mm-dd hh:mm';
const [LEAST_WIDTH, MOST_WIDTH] = [10, 40];

export function workbook({ titles, rows }: Sheet): Promise<Buffer> {
  const head = titles.map((title) => ({ value: title, fontWeight: 'bold' as const }));
  const widths = titles.map((title) => title.length + 2);
  const cells = rows.map((row) =>
    row.map((cell, index) => {
      const shown = workbookCell(cell);
      widths[index] = Math.max(widths[index] ?? 0, shown instanceof Date ? DATE_FORMAT.length : lengthOf(shown));
      return shown;
    }),
  );
  const columns = widths.map((width) => ({ width: Math.min(MOST_WIDTH, Math.max(LEAST_WIDTH, width)) }));
  const options = { sheet: 'miners', columns, stickyRowsCount: 1, dateFormat: DATE_FORMAT };
  return writeExcelFile([head, ...cells], options).toBuffer();
}

const lengthOf = (cell: string | number | null): number => (cell === null ? 0 : String(cell).length + 1);

function workbookCell(cell: Cell): Cell {
  if (typeof cell !== 'string') return cell;
  return FORMULA.test(cell) ? `'${cell}` : cell === '' ? null : cell;
}
