// The worklist of a farm in the order of a walk: one line per cause and place. A person takes lines, which all see, and
// puts lines aside on this device.
import { useComputed, useSignal } from '@preact/signals';
import type { MouseEventHandler } from 'preact';
import { useLocation } from 'preact-iso';
import { useApp, useTexts } from '../../app-state.ts';
import { useFarm } from '../../live/farm-state.ts';
import { type WorkLine, worklist } from '../../model/causes.ts';
import { filterOf, writeFilter } from '../../model/list/filter.ts';
import { Age, RefusalNote } from '../../parts/bits.tsx';
import { createAside } from './aside.ts';
import { causeText } from './cause-text.ts';
import { type TakenLines, useTaken } from './use-taken.ts';

export function Worklist() {
  const { miners, farm } = useFarm();
  const { nowMs, kept } = useApp();
  const texts = useTexts();
  const aside = useSignal(createAside(kept, farm.id));
  const lines = useComputed(() => worklist(miners.value, nowMs.peek())).value;
  // Of what is not known it cannot be said that it is good.
  const isAllKnown = miners.value.length > 0 && miners.value.every(({ isUnknown }) => !isUnknown);
  const isShown = useSignal(false);
  const taken = useTaken();
  const mine = useMine();
  const listed = mine.isOnly ? lines.filter((line) => taken.holderOf(line)?.isMine) : lines;
  const open = listed.filter((line) => !aside.value.isAside(line, nowMs.peek()));
  const put = listed.filter((line) => !open.includes(line));
  const mark = (line: WorkLine, how: 'done' | 'notToday' | 'back') => {
    aside.value = aside.value.mark(line, how, nowMs.peek());
  };
  return (
    <section>
      <h2>{texts.now.work}</h2>
      {lines.length === 0 && isAllKnown && <p class="note note-good">{texts.now.allGood}</p>}
      <OnlyMine mine={mine} count={lines.filter((line) => taken.holderOf(line)?.isMine).length} />
      <RefusalNote refusal={taken.refusal} />
      <ul class="work">
        {[...open, ...(isShown.value ? put : [])].map((line) => (
          <Line
            key={line.key}
            line={line}
            taken={taken}
            isAside={!open.includes(line)}
            onMark={(how) => mark(line, how)}
          />
        ))}
      </ul>
      {put.length > 0 && (
        <p class="note">
          {texts.now.hidden(put.length)}{' '}
          <button type="button" class="link" onClick={() => (isShown.value = !isShown.value)}>
            {isShown.value ? texts.common.close : texts.now.show}
          </button>
        </p>
      )}
    </section>
  );
}

/** Whether only those lines are shown that this person has taken: it stands in the address, as filters do. */
function useMine() {
  const { query, path, route } = useLocation();
  const isOnly = query.mine !== undefined;
  return { isOnly, turn: () => route(isOnly ? path : `${path}?mine`, true) };
}

function OnlyMine({ mine, count }: { readonly mine: ReturnType<typeof useMine>; readonly count: number }) {
  const { format } = useApp();
  const { now } = useTexts();
  if (count === 0 && !mine.isOnly) return null;
  return (
    <p class="actions">
      <button type="button" class="act" aria-pressed={mine.isOnly} onClick={mine.turn}>
        {now.onlyMine(format.value.number(count))}
      </button>
    </p>
  );
}

type LineProps = {
  readonly line: WorkLine;
  readonly taken: TakenLines;
  readonly isAside: boolean;
  readonly onMark: (how: 'done' | 'notToday' | 'back') => void;
};

function Line({ line, taken, isAside, onMark }: LineProps) {
  const { farm } = useFarm();
  const { format } = useApp();
  const texts = useTexts();
  const { cause, place, count, sinceMs, isUnplaced } = line;
  const message = line.pool ?? line.message;
  const holder = taken.holderOf(line);
  const where = isUnplaced
    ? texts.now.unplaced
    : [place.container, place.rack].filter((name) => name !== null).join(' ');
  return (
    <li class={`line line-${cause}`}>
      <a href={`/f/${farm.id}/miners?${writeFilter(filterOf(line))}`}>
        <strong>{causeText(cause, texts)}</strong> <span class="line-count">{format.value.number(count)}</span>
        <span class="line-place">{where}</span>
        <span class="line-age">
          <Age atMs={sinceMs} />
        </span>
        {message !== null && <span class="line-message">{message}</span>}
        {holder !== undefined && (
          <span class="line-holder">{holder.isMine ? texts.now.mine : texts.now.takenBy(holder.name)}</span>
        )}
      </a>
      <details class="line-menu">
        <summary aria-label={texts.common.more}>⋯</summary>
        <div>
          {place.rack !== null && (
            <a href={`/f/${farm.id}/map/${encodeURIComponent(place.rack)}`}>{texts.places.map}</a>
          )}
          <Take line={line} taken={taken} />
          <Marks isAside={isAside} onMark={onMark} />
        </div>
      </details>
    </li>
  );
}

/** Who takes it says so to all; it is seen by others within seconds. */
function Take({ line, taken }: Pick<LineProps, 'line' | 'taken'>) {
  const { may } = useFarm();
  const { now } = useTexts();
  const holder = taken.holderOf(line);
  if (!may('miners.update')) return null;
  const act = holder?.isMine ? taken.release : taken.take;
  const onClick: MouseEventHandler<HTMLButtonElement> = ({ currentTarget }) => {
    currentTarget.closest('details')?.removeAttribute('open');
    act(line);
  };
  return (
    <button type="button" onClick={onClick}>
      {holder === undefined ? now.take : holder.isMine ? now.release : now.takeOver(holder.name)}
    </button>
  );
}

function Marks({ isAside, onMark }: Pick<LineProps, 'isAside' | 'onMark'>) {
  const { mark } = useTexts().now;
  const shown = isAside ? (['back'] as const) : (['done', 'notToday'] as const);
  return shown.map((how) => (
    <button key={how} type="button" onClick={() => onMark(how)}>
      {mark[how]}
    </button>
  ));
}
