// The miners that a request selects by words, for the lists and batches that take a selector beside other filters.
import { parseSelector } from '../../../model/selector/selector.ts';
import type { Boards } from '../../board/boards.ts';
import type { MinerFilter } from '../../store/store.ts';
import { invalidRequest } from './errors.ts';

/** Each is a parameter of a statement. */
const MOST_SELECTED = 30_000;

/** `path` = the name of the field in the request. Nothing written is no condition. */
export async function selectedBy(
  boards: Boards,
  farmId: string,
  text: string | null | undefined,
  path: string,
): Promise<Pick<MinerFilter, 'rowIds'>> {
  const read = parseSelector(text ?? '');
  if (read.kind === 'wrong') throw invalidRequest(...read.problems.map((problem) => `${path}: ${problem}`));
  if (read.selector.isEmpty) return {};
  const rowIds = await boards.of(farmId).select(read.selector);
  if (rowIds.length <= MOST_SELECTED) return { rowIds };
  throw invalidRequest(`${path}: selects ${rowIds.length} miners, accepted: one that selects at most ${MOST_SELECTED}`);
}
