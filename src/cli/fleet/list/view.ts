// A list of miners on a screen or in a pipe: the rows or the groups that were chosen, in their order. It draws nothing
// itself.
import { type BoardMiner, isInState } from '../../../model/board/board-miner.ts';
import type { Compare } from '../../../model/board/miner-order.ts';
import { NO_BREAK, table } from '../../output/table.ts';
import type { Paint } from '../../output/terminal.ts';
import { tableColumns } from './choices.ts';
import type { MinerColumn } from './columns.ts';
import { type Grouping, groupColumns, groupMiners } from './groups.ts';

export type ListView = {
  readonly columns: readonly MinerColumn[];
  readonly compare: Compare;
  readonly grouping: Grouping | undefined;
};

export type Screen = { readonly width: number | undefined; readonly paint: Paint; readonly nowMs: number };

/** `miners` in their order; empty where there are none. */
export function listText(
  { columns }: Pick<ListView, 'columns'>,
  miners: readonly BoardMiner[],
  screen: Screen,
): string {
  const { width, paint, nowMs } = screen;
  if (miners.length === 0) return '';
  return table(tableColumns(columns, miners, nowMs), miners, {
    width,
    paintHead: (text) => paint('bold', text),
    paintRow: (miner, text) => paint(colourOf(miner, nowMs), text),
  });
}

export function groupText(grouping: Grouping, miners: readonly BoardMiner[], { width, paint, nowMs }: Screen): string {
  const groups = groupMiners(miners, grouping, nowMs);
  if (groups.length === 0) return '';
  return table(groupColumns(grouping, groups, width === undefined ? ' ' : NO_BREAK), groups, {
    width,
    paintHead: (text) => paint('bold', text),
  });
}

/** The words of the row say the same. */
function colourOf(miner: BoardMiner, nowMs: number): Parameters<Paint>[0] {
  const { isUnknown, opsStatus, firstFlag } = miner;
  if (isUnknown || opsStatus !== null) return 'dim';
  if (firstFlag !== null && (firstFlag.severity === 'critical' || firstFlag.severity === 'major')) return 'red';
  return miner.flags !== 0 || isInState(miner, 'silent', nowMs) ? 'yellow' : 'reset';
}
