// All miners, or those of a filter that stands in the address: rows on the screen only, in an order that stays until a
// person asks for another. What is done to a list is done to its filter.
import { useSignal } from '@preact/signals';
import { useCallback, useEffect, useRef } from 'preact/hooks';
import { useLocation } from 'preact-iso/router';
import { useApp, useTexts } from '../../app-state.ts';
import { useFarm } from '../../live/farm-state.ts';
import { readFilter, writeFilter } from '../../model/list/filter.ts';
import { isSort, NO_ORDER, nextOrder, type Sort } from '../../model/list/order.ts';
import { Loading, RefusalNote } from '../../parts/bits.tsx';
import { VirtualRows } from '../../parts/virtual-rows.tsx';
import { after } from '../../time.ts';
import { ListActs } from './list-acts.tsx';
import { ListExport } from './list-export.tsx';
import { ListHead } from './list-head.tsx';
import { MinerRow, rowHeight } from './miner-row.tsx';
import { useCursor } from './use-cursor.ts';
import { useFiltered } from './use-filtered.ts';

const WIDE = '(min-width: 640px)';

export function MinerList() {
  const { miners, minerOf, isKnown, farm } = useFarm();
  const { nowMs } = useApp();
  const texts = useTexts();
  const { query, path, route } = useLocation();
  const written = readFilter(query);
  const search = useWrittenLater(written.search, (text) => change({ ...written, search: text }));
  const filter = { ...written, search: search.value };
  const sorting = useWrittenLater<Sort>(isSort(query.sort) ? query.sort : 'location', (by) => change(filter, by));
  const sort = sorting.value;
  const isWide = useMedia(WIDE);
  const chosen = useSignal<ReadonlySet<string>>(new Set());
  const toggle = useCallback((id: string) => {
    const next = new Set(chosen.value);
    if (!next.delete(id)) next.add(id);
    chosen.value = next;
  }, []);
  const { shown, selection, isAsking } = useFiltered(filter);
  const now = nowMs.peek();
  // Before the first miners have come there is no order to be kept.
  const what = isKnown.value && !isAsking ? `${writeFilter(filter)} ${sort}` : '';
  const order = useOrder({ miners: shown, sort, what, nowMs: now });
  const rows = order.ids;
  const cursor = useCursor(rows, (id) => route(`/f/${farm.id}/miners/${id}`), toggle);
  const change = (next: typeof filter, by: Sort = sort) => {
    const text = writeFilter(next);
    const inOrder = by === 'location' ? '' : `sort=${by}`;
    route(`${path}?${[text, inOrder].filter((part) => part !== '').join('&')}`, true);
  };
  if (!isKnown.value) return <Loading />;
  const ids = chosen.value.size > 0 ? rows.filter((id) => chosen.value.has(id)) : rows;
  return (
    <section class="list">
      <ListHead
        {...{ filter, sort, shown: shown.length, all: miners.value.length, moved: order.moved }}
        onSearch={search.write}
        onFilter={change}
        onSort={sorting.write}
        onSortAgain={order.again}
      />
      <ListExport ids={ids} query={writeFilter(filter)} />
      <RefusalNote refusal={selection.refusal} />
      {selection.unmatched.map((text) => (
        <p key={text} class="note note-bad">
          {text}
        </p>
      ))}
      <VirtualRows
        count={rows.length}
        rowHeight={rowHeight(isWide)}
        label={texts.list.title}
        toIndex={cursor.toIndex}
        row={(index) => {
          const miner = minerOf(rows[index] ?? '');
          return miner === undefined ? null : (
            <MinerRow
              miner={miner}
              base={`/f/${farm.id}`}
              isWide={isWide}
              isChosen={chosen.value.has(miner.id)}
              isCursor={cursor.id === miner.id}
              onToggle={toggle}
            />
          );
        }}
      />
      <ListActs ids={ids} isChosen={chosen.value.size > 0} onClear={() => (chosen.value = new Set())} />
    </section>
  );
}

/** How long after the last letter or choice it stands in the address: neither waits for the history of the browser. */
const WRITTEN_MS = 300;

/** What the address says, or what a person chose since; `onWritten` gets that when nothing was chosen for a while. */
function useWrittenLater<T extends string>(inAddress: T, onWritten: (value: T) => void) {
  const chosen = useSignal<T | undefined>(undefined);
  const cancel = useRef(() => {});
  const latest = useRef(onWritten);
  latest.current = onWritten;
  useEffect(() => () => cancel.current(), []);
  // Another address has come, by what was chosen or by a link.
  useEffect(() => {
    cancel.current();
    chosen.value = undefined;
  }, [inAddress]);
  const write = (value: T) => {
    cancel.current();
    chosen.value = value;
    cancel.current = after(WRITTEN_MS, () => latest.current(value));
  };
  return { value: chosen.value ?? inAddress, write };
}

function useOrder(shown: Parameters<typeof nextOrder>[1]) {
  const kept = useRef(NO_ORDER);
  const asked = useSignal(0);
  void asked.value;
  kept.current = nextOrder(kept.current, shown);
  return {
    ids: kept.current.ids,
    moved: kept.current.moved,
    again: () => {
      kept.current = NO_ORDER;
      asked.value += 1;
    },
  };
}

function useMedia(query: string): boolean {
  const matches = useSignal(matchMedia(query).matches);
  useEffect(() => {
    const media = matchMedia(query);
    const look = () => {
      matches.value = media.matches;
    };
    media.addEventListener('change', look);
    return () => media.removeEventListener('change', look);
  }, [query]);
  return matches.value;
}
