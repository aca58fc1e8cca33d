// Miners as CSV and as a workbook, for spreadsheets. Rates stand in a column per algorithm, whose unit is in its title,
// so that no sum adds up different ones. A cell that a spreadsheet would take for a formula begins with an apostrophe.
import { stringify } from 'csv-stringify/sync';
import writeExcelFile from 'write-excel-file/node';
import type { BoardMiner } from '../../../model/board/board-miner.ts';
import { visibleText } from '../../../model/plain-text.ts';
import { formatTime } from '../../output/format.ts';
import { compareNames } from '../row/order.ts';
import { unitOf } from '../row/units.ts';
import type { ColumnValue, MinerColumn } from './columns.ts';

export type SheetColumn = {
  readonly title: string;
  readonly value: (miner: BoardMiner, nowMs: number) => ColumnValue;
};

export function sheetColumns(columns: readonly MinerColumn[], miners: readonly BoardMiner[]): readonly SheetColumn[] {
  const algorithms = [...new Set(miners.map(({ algorithm }) => algorithm))].toSorted((a, b) =>
    compareNames(a ?? '~', b ?? '~'),
  );
  return columns.flatMap((column): SheetColumn[] => {
    const { key, kind, value } = column;
    if (kind !== 'rate' && kind !== 'efficiency') return [{ title: titleOf(column), value }];
    return algorithms.map((algorithm) => {
      const { name, sizeHs, efficiency } = unitOf(algorithm);
      const size = kind === 'rate' ? sizeHs : 1;
      const of = algorithms.length > 1 ? ` ${algorithm ?? 'other'}` : '';
      return {
        title: `${key}${of} ${kind === 'rate' ? name : efficiency}`,
        value: (miner, nowMs) => (miner.algorithm === algorithm ? scaled(value(miner, nowMs), size) : null),
      };
    });
  });
}

const scaled = (value: ColumnValue, size: number) => (typeof value === 'number' ? rounded(value / size) : value);
const rounded = (value: number) => Number(value.toPrecision(6));

const UNITS: Readonly<Record<string, string>> = {
  percent: '%',
  power: 'W',
  temp: '°C',
  fan: 'rpm',
  uptime: 's',
  age: 's',
};
const titleOf = ({ key }: MinerColumn) => (UNITS[key] === undefined ? key : `${key} ${UNITS[key]}`);

/** Moments in the time zone of this host, as spreadsheets read them. */
export function csvText(columns: readonly SheetColumn[], miners: readonly BoardMiner[], nowMs: number): string {
  const cellOf = (value: ColumnValue) =>
    value instanceof Date ? formatTime(value) : typeof value === 'string' ? visibleText(value).trim() : value;
  const rows = miners.map((miner) => columns.map(({ value }) => cellOf(value(miner, nowMs))));
  return stringify([columns.map(({ title }) => title), ...rows], { escape_formulas: true });
}

/** What `escape_formulas` guards in CSV. */
const FORMULA = /^[=+\-@\t\r\uFF1D\uFF0B\uFF0D\uFF20]/;

const DATE_FORMAT = 'yyyy-mm-dd hh:mm';

/** An existing file is replaced. Throws what the system says. */
export async function writeWorkbook(
  path: string,
  columns: readonly SheetColumn[],
  miners: readonly BoardMiner[],
  nowMs: number,
): Promise<void> {
  const head = columns.map(({ title }) => ({ value: title, fontWeight: 'bold' as const }));
  const rows = miners.map((miner) => columns.map(({ value }) => workbookCell(value(miner, nowMs))));
  const widths = columns.map(({ title }, index) => {
    const texts = rows.map((row) => String(row[index] ?? ''));
    return { width: Math.min(40, Math.max(10, title.length + 2, ...texts.map((text) => text.length + 1))) };
  });
  const sheet = { sheet: 'miners', columns: widths, stickyRowsCount: 1, dateFormat: DATE_FORMAT };
  await writeExcelFile([head, ...rows], sheet).toFile(path);
}

function workbookCell(value: ColumnValue): string | number | Date | null {
  if (typeof value === 'string') {
    const text = visibleText(value).trim();
    return FORMULA.test(text) ? `'${text}` : text === '' ? null : text;
  }
  return value instanceof Date ? localMoment(value) : value;
}

/** A workbook has no time zones: its moments are those that the clock of this host shows. */
const localMoment = (at: Date) => new Date(at.getTime() - at.getTimezoneOffset() * 60_000);
