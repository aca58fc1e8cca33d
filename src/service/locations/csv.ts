// Locations as CSV: the columns of the export, and a table that a person made in a spreadsheet, whichever separator,
// order and spelling of the headers it has. It knows no miner.
import { parse } from 'csv-parse/sync';
import { stringify } from 'csv-stringify/sync';
import { z } from 'zod';
import type { Problem } from '../../base/errors.ts';

/** Of the export, in this order. */
export const EXPORTED = ['id', 'mac', 'serial_number', 'ip', 'rack', 'position', 'container'] as const;

/** The spellings of each column, in small letters and without what is neither letter nor digit. */
const SPELLINGS = {
  id: ['id', 'minerid', 'uuid'],
  mac: ['mac', 'macaddress', 'macaddr', 'hwaddress', 'ethernetaddress'],
  serial_number: ['sn', 'serial', 'serialnumber', 'serialno', 'serialnr', 'serialnum', 'minersn'],
  ip: ['ip', 'ipaddress', 'ipaddr', 'ipv4', 'address'],
  rack: ['rack', 'rackname', 'rackno', 'racknumber'],
  position: ['position', 'pos', 'slot', 'slotno', 'slotnumber', 'rackposition', 'rackslot'],
  row: ['row', 'rowno', 'rownumber'],
  column: ['column', 'col', 'columnno', 'columnnumber'],
  container: ['container', 'containername', 'containerno', 'containernumber'],
} as const;
export type LocationColumn = keyof typeof SPELLINGS;

const isColumn = (name: string): name is LocationColumn => Object.hasOwn(SPELLINGS, name);
export const LOCATION_COLUMNS: readonly LocationColumn[] = Object.keys(SPELLINGS).filter(isColumn);
const IDENTITY = ['id', 'mac', 'serial_number', 'ip'] as const;

const MAX_CSV_BYTES = 32 * 1024 * 1024;

/** `line` is that of the file on which the record begins: there may be blank lines, and cells of several. */
type Written = { readonly line: number; readonly cells: readonly string[] };

export type CsvRow = { readonly line: number; readonly cell: (column: LocationColumn) => string };
export type CsvTable = { readonly rows: readonly CsvRow[]; readonly ignored: readonly string[] };

export const toCsv = (rows: readonly (readonly (string | number | null)[])[]): string =>
  stringify([...rows], { escape_formulas: true });

/** The rows that are not empty, and the columns that it does not know; or what is wrong with the file. */
export function readCsv(text: string): CsvTable | { readonly problem: Problem } {
  if (Buffer.byteLength(text) > MAX_CSV_BYTES)
    return { problem: { path: 'file', message: `is larger than ${MAX_CSV_BYTES} bytes` } };
  const records = parseRecords(text);
  if (!Array.isArray(records)) return { problem: records };
  const [{ line, cells: header } = { line: 1, cells: [] }, ...written] = records;
  const found = new Map<LocationColumn, number>();
  const ignored: string[] = [];
  for (const [index, name] of header.entries()) {
    const column = columnOf(name);
    if (column === undefined) ignored.push(name.trim());
    else if (found.has(column)) return { problem: headerProblem(line, `with the column '${column}' twice`) };
    else found.set(column, index);
  }
  const lacking = lackingOf(found);
  if (lacking !== undefined) return { problem: headerProblem(line, `without ${lacking}`) };
  const rows = written
    .filter(({ cells }) => cells.some((cell) => cell.trim() !== ''))
    .map((row) => ({
      line: row.line,
      cell: (column: LocationColumn) => withoutGuard((row.cells[found.get(column) ?? -1] ?? '').trim()),
    }));
  return { rows, ignored: ignored.filter((name) => name !== '') };
}

function columnOf(header: string): LocationColumn | undefined {
  const name = header.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, '');
  return LOCATION_COLUMNS.find((column) => SPELLINGS[column].some((spelling) => spelling === name));
}

function lackingOf(found: ReadonlyMap<LocationColumn, number>): string | undefined {
  if (!IDENTITY.some((column) => found.has(column))) return `any of ${IDENTITY.join(', ')}`;
  if (!found.has('rack')) return 'rack';
  const hasCell = found.has('row') && found.has('column');
  return found.has('position') || hasCell ? undefined : 'position, or row and column';
}

const headerProblem = (line: number, received: string): Problem => ({
  path: `line ${line}`,
  message: `received ${received}, accepted: ${LOCATION_COLUMNS.join(', ')}, in any order`,
});

const recordsSchema = z.array(z.object({ record: z.array(z.string()), info: z.object({ lines: z.int() }) }));

function parseRecords(text: string): Written[] | Problem {
  try {
    const records: unknown = parse(text, {
      bom: true,
      info: true,
      delimiter: separatorOf(text),
      relax_column_count: false,
      skip_empty_lines: true,
      record_delimiter: ['\r\n', '\n', '\r'],
    });
    return recordsSchema.parse(records).map(({ record: cells, info }) => ({
      line: info.lines - (cells.join('').match(/\r\n|\n|\r/g)?.length ?? 0),
      cells,
    }));
  } catch (error) {
    return { path: 'file', message: error instanceof Error ? error.message : 'is no CSV' };
  }
}

const SEPARATORS = [',', ';', '\t'] as const;

/** That which is most often in the headers. */
function separatorOf(text: string): string {
  const header = /^\uFEFF?[\r\n]*([^\r\n]*)/.exec(text)?.[1] ?? '';
  const countOf = (separator: string) => header.split(separator).length;
  return SEPARATORS.reduce((best, one) => (countOf(one) > countOf(best) ? one : best), ',');
}

/** Spreadsheets take cells that begin like a formula for one; the export puts an apostrophe before them. */
const withoutGuard = (cell: string) => cell.replace(/^'(?=[=+\-@\t\r\uFF1D\uFF0B\uFF0D\uFF20])/, '');
