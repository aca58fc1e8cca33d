// Which miners a list shows, as it stands in the address of the page, so that a link shows the same to others. Pure.
import type { BoardMiner } from '../../../model/board/board-miner.ts';
import { isInState } from '../../../model/board/board-miner.ts';
import { CAUSES, type Cause } from '../../../model/board/work-line.ts';
import { causeOf, type WorkLine } from '../causes.ts';

export type ListFilter = {
  /** A selector, or a part of a name. */
  readonly search: string;
  /** `any` = all that need a person; `new` = new ones. */
  readonly cause: Cause | 'any' | 'new' | undefined;
  /** Empty text = miners that have none. */
  readonly container: string | undefined;
  readonly rack: string | undefined;
  readonly pool: string | undefined;
  readonly model: string | undefined;
  readonly algorithm: string | undefined;
};

export const NO_FILTER: ListFilter = {
  ...{ search: '', cause: undefined, container: undefined, rack: undefined, pool: undefined },
  ...{ model: undefined, algorithm: undefined },
};

const CAUSE_WORDS: readonly string[] = [...CAUSES, 'any', 'new'];
const isCauseWord = (text: string): text is NonNullable<ListFilter['cause']> => CAUSE_WORDS.includes(text);

export function readFilter(query: Readonly<Record<string, string | undefined>>): ListFilter {
  const { q = '', cause = '', container, rack, pool, model, algorithm } = query;
  return { search: q, cause: isCauseWord(cause) ? cause : undefined, container, rack, pool, model, algorithm };
}

/** What stands behind the `?`; empty where nothing is filtered. */
export function writeFilter({ search, ...named }: ListFilter): string {
  const query = new URLSearchParams();
  if (search !== '') query.set('q', search);
  for (const [name, value] of Object.entries(named)) if (value !== undefined) query.set(name, value);
  return query.toString();
}

/** The list behind a line of work: it holds exactly the miners that the line counts. */
export const filterOf = ({ cause, place, isWholeContainer, pool }: WorkLine): ListFilter =>
  cause === 'pool'
    ? { ...NO_FILTER, cause, pool: pool ?? '' }
    : {
        ...{ ...NO_FILTER, cause, container: place.container ?? '' },
        rack: isWholeContainer ? undefined : (place.rack ?? ''),
      };

/** The list behind a group of the overview. */
export const filterOfGroup = (by: 'container' | 'rack' | 'model' | 'algorithm', name: string | null): ListFilter => ({
  ...NO_FILTER,
  [by]: name ?? '',
});

/** Nothing but the search narrows the list. */
export const isSearchOnly = ({ search: _, ...named }: ListFilter): boolean =>
  Object.values(named).every((each) => each === undefined);

/** But for the search, which `search.ts` knows. */
export function isInFilter(
  { cause, container, rack, pool, model, algorithm }: ListFilter,
  nowMs: number,
): (miner: BoardMiner) => boolean {
  const isIn = (wanted: string | undefined, value: string | null) => wanted === undefined || (value ?? '') === wanted;
  return (miner) =>
    isIn(container, miner.container) &&
    isIn(rack, miner.rack) &&
    isIn(pool, miner.pool) &&
    isIn(model, miner.model) &&
    isIn(algorithm, miner.algorithm) &&
    (cause === undefined || hasCause(miner, cause, nowMs));
}

function hasCause(miner: BoardMiner, wanted: NonNullable<ListFilter['cause']>, nowMs: number): boolean {
  if (wanted === 'new') return isInState(miner, 'new', nowMs);
  const cause = causeOf(miner, nowMs);
  return wanted === 'any' ? cause !== undefined : cause === wanted;
}
