// Miners as rows of cells, for spreadsheets. Rates stand in a column per algorithm, whose unit is in its title, so that
// no sum adds up different ones. Texts have no invisible characters. Pure.
import type { WallClock } from '../../../base/time/wall-clock.ts';
import { unitOf } from '../../../model/board/algorithm-units.ts';
import type { BoardMiner } from '../../../model/board/board-miner.ts';
import { visibleText } from '../../../model/plain-text.ts';
import type { SheetColumn, SheetTime, SheetValue } from './values.ts';

/** A `Date` is what the clock on the wall shows, as if it showed UTC: sheets have no time zones. */
export type Cell = string | number | Date | null;

export type Sheet = { readonly titles: readonly string[]; readonly rows: readonly (readonly Cell[])[] };

/** Miners of a portion at a time may be made into rows of the same columns. */
export type SheetMaker = {
  readonly titles: readonly string[];
  readonly rowOf: (miner: BoardMiner) => readonly Cell[];
};

export function sheetMaker(
  columns: readonly SheetColumn[],
  miners: readonly BoardMiner[],
  time: SheetTime,
): SheetMaker {
  const algorithms = [...new Set(miners.map(({ algorithm }) => algorithm))].toSorted(byName);
  const titled = columns.flatMap((column) => titledColumns(column, algorithms));
  return {
    titles: titled.map(({ title }) => title),
    rowOf: (miner) => titled.map(({ value }) => cellOf(value(miner, time), time.wallClock)),
  };
}

export function sheetOf(columns: readonly SheetColumn[], miners: readonly BoardMiner[], time: SheetTime): Sheet {
  const { titles, rowOf } = sheetMaker(columns, miners, time);
  return { titles, rows: miners.map(rowOf) };
}

type Titled = Pick<SheetColumn, 'value'> & { readonly title: string };

function titledColumns(column: SheetColumn, algorithms: readonly (string | null)[]): Titled[] {
  const { key, kind, value } = column;
  if (kind !== 'rate' && kind !== 'efficiency') return [{ title: titleOf(key), value }];
  return algorithms.map((algorithm) => {
    const { name, sizeHs, efficiency } = unitOf(algorithm);
    const size = kind === 'rate' ? sizeHs : 1;
    const of = algorithms.length > 1 ? ` ${algorithm ?? 'other'}` : '';
    return {
      title: `${key}${of} ${kind === 'rate' ? name : efficiency}`,
      value: (miner, time) => (miner.algorithm === algorithm ? scaled(value(miner, time), size) : null),
    };
  });
}

const names = new Intl.Collator('en', { numeric: true, sensitivity: 'base' });
const byName = (a: string | null, b: string | null): number => names.compare(a ?? '~', b ?? '~');

const scaled = (value: SheetValue, size: number) => (typeof value === 'number' ? rounded(value / size) : value);
const rounded = (value: number) => Number(value.toPrecision(6));

const UNITS: Readonly<Record<string, string>> = {
  percent: '%',
  power: 'W',
  temp: '°C',
  fan: 'rpm',
  uptime: 's',
  age: 's',
};
const titleOf = (key: string) => (UNITS[key] === undefined ? key : `${key} ${UNITS[key]}`);

function cellOf(value: SheetValue, wallClock: WallClock): Cell {
  if (typeof value === 'string') return visibleText(value).trim();
  return value instanceof Date ? new Date(wallClock(value.getTime())) : value;
}
