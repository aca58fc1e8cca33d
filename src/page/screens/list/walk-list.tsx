// The miners of a filter on paper, in the order of a walk, with boxes to tick. It shows them as they were when it was
// opened: paper does not change either.
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { useLocation } from 'preact-iso/router';
import type { BoardMiner } from '../../../model/board/board-miner.ts';
import { useApp, useTexts } from '../../app-state.ts';
import { useFarm } from '../../live/farm-state.ts';
import { causeOf } from '../../model/causes.ts';
import { modelOf } from '../../model/label.ts';
import { readFilter, writeFilter } from '../../model/list/filter.ts';
import { sorted } from '../../model/list/order.ts';
import { Loading, RefusalNote } from '../../parts/bits.tsx';
import { troubleOf } from '../../parts/miner-card.tsx';
import { useFiltered } from './use-filtered.ts';

/** Of one list: forty sheets of paper. */
const MOST = 1_000;

type Taken = { readonly miners: readonly BoardMiner[]; readonly atMs: number };

export function WalkList() {
  const { isKnown } = useFarm();
  const { nowMs } = useApp();
  const { query } = useLocation();
  const filter = readFilter(query);
  const { shown, selection, isAsking } = useFiltered(filter);
  const taken = useSignal<Taken | undefined>(undefined);
  const isReady = isKnown.value && !isAsking;
  const what = writeFilter(filter);
  useEffect(() => {
    if (isReady) taken.value = { miners: sorted(shown, 'location', nowMs.peek()), atMs: nowMs.peek() };
  }, [isReady, what]);
  return (
    <section>
      <RefusalNote refusal={selection.refusal} />
      {taken.value === undefined ? selection.refusal === undefined && <Loading /> : <Sheet {...taken.value} />}
    </section>
  );
}

function Sheet({ miners, atMs }: Taken) {
  const { farm } = useFarm();
  const { format, session } = useApp();
  const texts = useTexts();
  const { value: show } = format;
  const some = miners.slice(0, MOST);
  const racks = Map.groupBy(some, ({ container, rack }) => [container, rack].filter((name) => name !== null).join(' '));
  const state = session.value;
  const person = state.kind === 'open' ? state.session.person.name : '';
  return (
    <>
      <h1>
        {texts.exports.walkTitle}: {farm.name ?? 'Pithead'}, {texts.miners(miners.length)}
      </h1>
      <p>{texts.exports.asOf(show.dated(atMs))}</p>
      <p class="print-only">{texts.changes.printedBy(person, show.dated(atMs))}</p>
      {some.length < miners.length && (
        <p class="note note-bad">{texts.exports.firstOf(show.number(some.length), show.number(miners.length))}</p>
      )}
      <p class="actions">
        <button type="button" class="act act-main" onClick={() => window.print()}>
          {texts.changes.print}
        </button>
      </p>
      {[...racks].map(([rack, of]) => (
        <RackSheet key={rack} name={rack === '' ? texts.now.unplaced : rack} miners={of} atMs={atMs} />
      ))}
    </>
  );
}

function RackSheet({ name, miners, atMs }: Taken & { readonly name: string }) {
  const texts = useTexts();
  const { ticked, slot, address, model, worker, what } = texts.exports;
  return (
    <section class="group">
      <h2>{name}</h2>
      <table class="walk-list">
        <thead>
          <tr>
            {[ticked, slot, address, `${model}, ${worker}`, what].map((title) => (
              <th key={title} scope="col">
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {miners.map((miner) => (
            <tr key={miner.id}>
              <td>
                <span class="tick" aria-hidden="true" />
              </td>
              <td>{miner.position ?? '–'}</td>
              <td>
                {miner.ip}
                {miner.mac !== null && <small>{miner.mac}</small>}
              </td>
              <td>
                {modelOf(miner) ?? '–'}
                <small>{miner.worker ?? '–'}</small>
              </td>
              <td>{troubleOf(miner, causeOf(miner, atMs), texts) ?? ''}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
