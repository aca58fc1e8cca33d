// Lines of comma-separated values that are safe to open in a spreadsheet.
import { stringify } from 'csv-stringify/sync';
import { visibleText } from '../../model/plain-text.ts';

/** A cell that a spreadsheet would run as a formula is quoted with an apostrophe. */
export function csvLine(cells: readonly (string | number | null)[]): string {
  return stringify([cells.map((cell) => (typeof cell === 'string' ? visibleText(cell).trim() : cell))], {
    eof: false,
    escape_formulas: true,
  });
}
