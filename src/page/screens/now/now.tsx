// What needs a person now: what the farm makes, what is wrong by cause, and the worklist in the order of a walk.
import { useComputed, useSignal } from '@preact/signals';
import { useApp, useTexts } from '../../app-state.ts';
import { useFarm } from '../../live/farm-state.ts';
import { causeCounts, type WorkLine, worklist } from '../../model/causes.ts';
import { filterOf, NO_FILTER, writeFilter } from '../../model/list/filter.ts';
import { farmSums } from '../../model/sums.ts';
import { Age, Loading } from '../../parts/bits.tsx';
import { createAside } from './aside.ts';
import { causeText } from './cause-text.ts';
import { RunningTasks } from './running-tasks.tsx';

export function Now() {
  const texts = useTexts();
  const { known } = useFarm();
  if (known.value === undefined) return <Loading />;
  return (
    <>
      <h1 class="hidden">{texts.now.title}</h1>
      <Sums />
      <Onward />
      <Counts />
      <Worklist />
      <RunningTasks />
    </>
  );
}

/** What the work of a shift begins and ends with. */
function Onward() {
  const { farm, may } = useFarm();
  const texts = useTexts();
  return (
    <p class="actions">
      {may('events.read') && (
        <a class="act" href={`/f/${farm.id}/changes`}>
          {texts.changes.title}
        </a>
      )}
      <a class="act" href={`/f/${farm.id}/overview`}>
        {texts.overview.title}
      </a>
    </p>
  );
}

function Sums() {
  const { miners } = useFarm();
  const { format } = useApp();
  const texts = useTexts();
  const sums = useComputed(() => farmSums(miners.value)).value;
  const { value: show } = format;
  return (
    <section class="sums" aria-label={texts.now.title}>
      {sums.algorithms.map(({ algorithm, hashrateHs, share }) => (
        <p key={algorithm} class="sum">
          <strong>{show.hashrate(hashrateHs)}</strong> <span>{algorithm ?? texts.common.unknown}</span>{' '}
          {share !== null && <span>{texts.now.ofExpected(show.percent(share))}</span>}
        </p>
      ))}
      <p class="sum">
        <strong>{show.power(sums.powerW)}</strong>{' '}
        <span>{texts.now.counts(show.number(sums.online), show.number(sums.expected))}</span>
      </p>
      {sums.unknown > 0 && <p class="sum">{texts.truth.unknown(sums.unknown)}</p>}
    </section>
  );
}

/** What to do first: without an agent there is nothing to scan with. */
function Empty() {
  const { farm, agents, may } = useFarm();
  const texts = useTexts();
  if (agents.answeredMs.value !== undefined && agents.list.value.length === 0)
    return (
      <p class="note">
        {texts.now.noMiners} {texts.truth.noAgent} <code>{`${texts.truth.noAgentCommand} ${farm.id}`}</code>
      </p>
    );
  return (
    <p class="note">
      {texts.now.noMiners} {may('tasks.scan') && <a href={`/f/${farm.id}/scan`}>{texts.nav.scan}</a>}
    </p>
  );
}

function Counts() {
  const { miners, farm } = useFarm();
  const { nowMs, format } = useApp();
  const texts = useTexts();
  const counts = useComputed(() => causeCounts(miners.value, nowMs.peek())).value;
  if (miners.value.length === 0) return <Empty />;
  return (
    <ul class="counts">
      {counts.map(({ cause, count }) => (
        <li key={cause}>
          <a class={`count count-${cause}`} href={`/f/${farm.id}/miners?${writeFilter({ ...NO_FILTER, cause })}`}>
            <span>{causeText(cause, texts)}</span> <strong>{format.value.number(count)}</strong>
          </a>
        </li>
      ))}
    </ul>
  );
}

function Worklist() {
  const { miners, farm } = useFarm();
  const { nowMs, kept } = useApp();
  const texts = useTexts();
  const aside = useSignal(createAside(kept, farm.id));
  const lines = useComputed(() => worklist(miners.value, nowMs.peek())).value;
  // Of what is not known it cannot be said that it is good.
  const isAllKnown = miners.value.length > 0 && miners.value.every(({ isUnknown }) => !isUnknown);
  const isShown = useSignal(false);
  const open = lines.filter((line) => !aside.value.isAside(line, nowMs.peek()));
  const put = lines.filter((line) => !open.includes(line));
  const mark = (line: WorkLine, how: 'done' | 'notToday' | 'back') => {
    aside.value = aside.value.mark(line, how, nowMs.peek());
  };
  return (
    <section>
      <h2>{texts.now.work}</h2>
      {lines.length === 0 && isAllKnown && <p class="note note-good">{texts.now.allGood}</p>}
      <ul class="work">
        {open.map((line) => (
          <Line key={line.key} line={line} onMark={(how) => mark(line, how)} isAside={false} />
        ))}
        {isShown.value &&
          put.map((line) => <Line key={line.key} line={line} onMark={(how) => mark(line, how)} isAside={true} />)}
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

type LineProps = {
  readonly line: WorkLine;
  readonly isAside: boolean;
  readonly onMark: (how: 'done' | 'notToday' | 'back') => void;
};

function Line({ line, isAside, onMark }: LineProps) {
  const { farm } = useFarm();
  const { format } = useApp();
  const texts = useTexts();
  const { cause, place, count, sinceMs, isUnplaced } = line;
  const message = line.pool ?? line.message;
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
      </a>
      <details class="line-menu">
        <summary aria-label={texts.common.more}>⋯</summary>
        <div>
          {place.rack !== null && (
            <a href={`/f/${farm.id}/map/${encodeURIComponent(place.rack)}`}>{texts.places.map}</a>
          )}
          {isAside ? (
            <button type="button" onClick={() => onMark('back')}>
              {texts.now.mark.back}
            </button>
          ) : (
            <>
              <button type="button" onClick={() => onMark('done')}>
                {texts.now.mark.done}
              </button>
              <button type="button" onClick={() => onMark('notToday')}>
                {texts.now.mark.notToday}
              </button>
            </>
          )}
        </div>
      </details>
    </li>
  );
}
