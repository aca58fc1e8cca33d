// What a person chooses of a list: its columns and its order. Throws ConfigError for a name that is none.
import { nearestNames } from '../../../base/nearest-names.ts';
import type { BoardMiner } from '../../../model/board/board-miner.ts';
import { byAddress, bySortValue, type Compare, inTurn } from '../../../model/board/miner-order.ts';
import { splitList, wrongOption } from '../../options.ts';
import type { Column } from '../../output/table.ts';
import { locationOf } from '../row/state.ts';
import { COLUMNS, type ColumnKey, columnNamed, type MinerColumn, shownText, USUAL } from './columns.ts';

/** One line per column, for help. */
export const columnHelp = (): string => COLUMNS.map(({ key, about }) => `  ${key.padEnd(12)}${about}`).join('\n');

export function readColumns(written: string | undefined, usual: readonly ColumnKey[]): readonly MinerColumn[] {
  const keys = written === undefined ? usual : [...new Set(splitList([written]))];
  if (keys.length === 0) throw wrongOption('--columns', 'names no column');
  return keys.map((key) => columnOr('--columns', key));
}

/** `age`, `-rate`, `rack,-temp`: a minus turns the order round. Ends with the address. */
export function readSort(written: string): Compare {
  const compares = splitList([written]).map((name): Compare => {
    const isDescending = name.startsWith('-');
    const { compare, value } = columnOr('--sort', isDescending ? name.slice(1) : name);
    if (compare === undefined) return bySortValue((miner) => sortable(value(miner, 0)), isDescending);
    return isDescending ? (a, b) => compare(b, a) : compare;
  });
  return inTurn(...compares, byAddress);
}

const sortable = (value: ReturnType<MinerColumn['value']>) =>
  value instanceof Date ? value.getTime() : value === '' ? null : value;

function columnOr(option: string, name: string): MinerColumn {
  const column = columnNamed(name.toLowerCase());
  if (column !== undefined) return column;
  const all = COLUMNS.map(({ key }) => key);
  const nearest = nearestNames(name, all);
  const hint = nearest.length > 0 ? `do you mean ${nearest.join(' or ')}?` : `accepted: ${all.join(', ')}`;
  throw wrongOption(option, `'${name}' is no column: ${hint}`);
}

/** For a screen. Where no miner has a location, its column is left out of the usual ones. */
export function tableColumns(
  columns: readonly MinerColumn[],
  miners: readonly BoardMiner[],
  nowMs: number,
): readonly Column<BoardMiner>[] {
  const isUsual = columns.length === USUAL.length && columns.every(({ key }, index) => key === USUAL[index]);
  const isPlaced = miners.some((miner) => locationOf(miner) !== undefined);
  return columns
    .filter(({ key }) => !isUsual || isPlaced || key !== 'location')
    .map((column) => ({
      title: column.title,
      text: (miner: BoardMiner) => shownText(column, miner, nowMs),
      ...(column.kind !== 'text' && column.kind !== 'time' && { align: 'right' as const }),
      ...(column.isWhole && { isWhole: true }),
      ...(column.under !== undefined && { under: columnNamed(column.under)?.title ?? '' }),
    }));
}
