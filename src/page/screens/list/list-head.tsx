// Above the list: what is searched for, what filters it, how it is sorted, and how many there are.
import { useApp, useTexts } from '../../app-state.ts';
import { type ListFilter, NO_FILTER } from '../../model/list/filter.ts';
import { isSort, SORTS, type Sort } from '../../model/list/order.ts';
import { causeText } from '../now/cause-text.ts';

type HeadProps = {
  readonly filter: ListFilter;
  readonly sort: Sort;
  readonly shown: number;
  readonly all: number;
  readonly moved: number;
  readonly onSearch: (text: string) => void;
  readonly onFilter: (filter: ListFilter) => void;
  readonly onSort: (sort: Sort) => void;
  readonly onSortAgain: () => void;
};

export function ListHead({ filter, sort, shown, all, moved, onSearch, onFilter, onSort, onSortAgain }: HeadProps) {
  const { format } = useApp();
  const texts = useTexts();
  const { value: show } = format;
  return (
    <div class="list-head">
      <h1 class="hidden">{texts.list.title}</h1>
      <input
        type="search"
        aria-label={texts.list.search}
        placeholder={texts.list.search}
        value={filter.search}
        autocapitalize="none"
        autocomplete="off"
        spellcheck={false}
        maxLength={2_000}
        data-key="/"
        onInput={({ currentTarget: { value } }) => onSearch(value)}
      />
      <div class="list-line">
        <Chips filter={filter} onFilter={onFilter} />
        <span role="status">{texts.list.shown(show.number(shown), show.number(all))}</span>
        <label>
          <span class="hidden">{texts.list.sort}</span>
          <select
            value={sort}
            aria-label={texts.list.sort}
            onChange={({ currentTarget: { value } }) => {
              if (isSort(value)) onSort(value);
            }}
          >
            {SORTS.map((each) => (
              <option key={each} value={each}>
                {texts.list.sorts[each]}
              </option>
            ))}
          </select>
        </label>
        {moved > 0 && (
          <button type="button" class="link" onClick={onSortAgain}>
            {texts.list.moved(moved)}
          </button>
        )}
      </div>
    </div>
  );
}

/** What is filtered by, each with a way to leave it. */
function Chips({ filter, onFilter }: Pick<HeadProps, 'filter' | 'onFilter'>) {
  const texts = useTexts();
  const { cause, container, rack, pool, model, algorithm } = filter;
  const orUnknown = (name: string | undefined) => (name === '' ? texts.common.unknown : name);
  const chips = [
    ['cause', cause === undefined ? undefined : cause === 'any' ? texts.state.ill : causeText(cause, texts)],
    ['container', container === '' ? texts.now.unplaced : container],
    ['rack', rack === '' ? (container === '' ? undefined : texts.now.unplaced) : rack],
    ['pool', pool],
    ['model', orUnknown(model)],
    ['algorithm', orUnknown(algorithm)],
  ] as const;
  const leave = (name: (typeof chips)[number][0]) =>
    onFilter({ ...filter, [name]: undefined, ...(name === 'container' && filter.rack === '' && { rack: undefined }) });
  return (
    <>
      {chips.map(([name, text]) =>
        text === undefined ? null : (
          <button key={name} type="button" class="chip" onClick={() => leave(name)}>
            {text} <span aria-hidden="true">✕</span>
          </button>
        ),
      )}
      {chips.some(([, text]) => text !== undefined) && (
        <button type="button" class="link" onClick={() => onFilter({ ...NO_FILTER, search: filter.search })}>
          {texts.list.clear}
        </button>
      )}
    </>
  );
}
