// The worklist of a farm in the order of a walk: one line per cause and place. A person takes lines, which all see, and
// puts lines aside on this device.
import { type ReadonlySignal, useSignal } from '@preact/signals';
import type { ComponentChildren, MouseEventHandler } from 'preact';
import { useCallback, useMemo } from 'preact/hooks';
import { useLocation } from 'preact-iso/router';
import { useApp, useTexts } from '../../app-state.ts';
import { useFarm } from '../../live/farm-state.ts';
import type { WorkLine } from '../../model/causes.ts';
import { filterOf, writeFilter } from '../../model/list/filter.ts';
import { Age, RefusalNote } from '../../parts/bits.tsx';
import type { Texts } from '../../text/texts.ts';
import { createAside } from './aside.ts';
import { causeText } from './cause-text.ts';
import { type TakenLines, useTaken } from './use-taken.ts';

export function Worklist({ lines: found }: { readonly lines: ReadonlySignal<readonly WorkLine[]> }) {
  const { miners, farm } = useFarm();
  const { nowMs, kept } = useApp();
  const texts = useTexts();
  const aside = useSignal(createAside(kept, farm.id));
  const lines = found.value;
  // Of what is not known it cannot be said that it is good.
  const isAllGood = lines.length === 0 && miners.value.length > 0 && miners.value.every(({ isUnknown }) => !isUnknown);
  const isShown = useSignal(false);
  const taken = useTaken();
  const mine = useMine();
  const own = lines.filter((line) => taken.holderOf(line)?.isMine);
  const listed = mine.isOnly ? own : lines;
  const isAside = (line: WorkLine) => aside.value.isAside(line, nowMs.peek());
  const open = listed.filter((line) => !isAside(line));
  const put = listed.filter(isAside);
  const mark = useCallback((line: WorkLine, how: Mark) => {
    aside.value = aside.value.mark(line, how, nowMs.peek());
  }, []);
  return (
    <section>
      <h2>{texts.now.work}</h2>
      {isAllGood && <p class="note note-good">{texts.now.allGood}</p>}
      <OnlyMine mine={mine} count={own.length} />
      <RefusalNote refusal={taken.refusal} />
      <ul class="work worklist">
        {open.map((line) => (
          <Line key={line.key} line={line} taken={taken} isAside={false} onMark={mark} />
        ))}
        {isShown.value &&
          put.map((line) => <Line key={line.key} line={line} taken={taken} isAside={true} onMark={mark} />)}
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

type Mark = 'done' | 'notToday' | 'back';
type LineProps = {
  readonly line: WorkLine;
  readonly taken: TakenLines;
  readonly isAside: boolean;
  /** The same one each time, as `taken` is until another answer comes: only lines that changed are drawn anew. */
  readonly onMark: (line: WorkLine, how: Mark) => void;
};

function Line({ line, taken, isAside, onMark }: LineProps) {
  const { farm } = useFarm();
  const { format } = useApp();
  const texts = useTexts();
  const { value: show } = format;
  return useMemo(() => {
    const { cause, place, count, sinceMs } = line;
    const message = line.pool ?? line.message;
    const holder = taken.holderOf(line);
    return (
      <li class={`line line-${cause}`}>
        <a href={`/f/${farm.id}/miners?${writeFilter(filterOf(line))}`}>
          <strong>{causeText(cause, texts)}</strong> <span class="line-count">{show.number(count)}</span>
          <span class="line-place">{placeText(line, texts)}</span>
          <span class="line-age">
            <Age atMs={sinceMs} />
          </span>
          {message !== null && <span class="line-message">{message}</span>}
          {holder !== undefined && (
            <span class="line-holder">{holder.isMine ? texts.now.mine : texts.now.takenBy(holder.name)}</span>
          )}
        </a>
        <Menu>
          {() => (
            <>
              {place.rack !== null && (
                <a href={`/f/${farm.id}/map/${encodeURIComponent(place.rack)}`}>{texts.places.map}</a>
              )}
              <Take line={line} taken={taken} />
              <Marks isAside={isAside} onMark={(how) => onMark(line, how)} />
            </>
          )}
        </Menu>
      </li>
    );
  }, [line, taken, isAside, onMark, farm.id, texts, show]);
}

/** What is in it is made when it is opened: a worklist can have a hundred of them. */
function Menu({ children }: { readonly children: () => ComponentChildren }) {
  const texts = useTexts();
  const isOpen = useSignal(false);
  return (
    <details class="line-menu" onToggle={({ currentTarget }) => (isOpen.value = currentTarget.open)}>
      <summary aria-label={texts.common.more}>⋯</summary>
      {isOpen.value && <div>{children()}</div>}
    </details>
  );
}

const placeText = ({ place, isUnplaced }: WorkLine, texts: Texts): string =>
  isUnplaced ? texts.now.unplaced : [place.container, place.rack].filter((name) => name !== null).join(' ');

/** Takes the line, or releases it. Others see that when their page asks again. */
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

function Marks({ isAside, onMark }: { readonly isAside: boolean; readonly onMark: (how: Mark) => void }) {
  const { mark } = useTexts().now;
  const shown = isAside ? (['back'] as const) : (['done', 'notToday'] as const);
  return shown.map((how) => (
    <button key={how} type="button" onClick={() => onMark(how)}>
      {mark[how]}
    </button>
  ));
}
