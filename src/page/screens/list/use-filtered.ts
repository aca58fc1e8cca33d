// The miners of a filter, whatever it is written in: by parts of names, or by a selector that the service reads.
import type { BoardMiner } from '../../../model/board/board-miner.ts';
import { useApp } from '../../app-state.ts';
import { useFarm } from '../../live/farm-state.ts';
import { useNames } from '../../live/use-names.ts';
import { isInFilter, isSearchOnly, type ListFilter } from '../../model/list/filter.ts';
import { foundMiners, type KnownNames } from '../../model/list/find.ts';
import { isSelector, type Selection, useSelection } from './use-selection.ts';

export type Filtered = {
  readonly shown: readonly BoardMiner[];
  readonly selection: Selection;
  /** The service has not said yet which ones a selector means. */
  readonly isAsking: boolean;
};

export function useFiltered(filter: ListFilter): Filtered {
  const { miners } = useFarm();
  const names = useNames();
  const { nowMs } = useApp();
  const isSelected = isSelector(filter.search);
  const selection = useSelection(isSelected ? filter.search : undefined);
  const found = searched(miners.value, filter.search, selection.ids, names);
  const shown = isSearchOnly(filter) ? found : found.filter(isInFilter(filter, nowMs.peek()));
  return { shown, selection, isAsking: isSelected && selection.ids === undefined };
}

function searched(
  miners: readonly BoardMiner[],
  search: string,
  selected: ReadonlySet<string> | undefined,
  names: KnownNames,
): readonly BoardMiner[] {
  if (search.trim() === '') return miners;
  if (isSelector(search)) return selected === undefined ? [] : miners.filter(({ id }) => selected.has(id));
  return foundMiners(search, miners, names);
}
