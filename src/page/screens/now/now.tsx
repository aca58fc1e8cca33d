// What needs a person now: what the farm makes, what is wrong by cause, and the worklist in the order of a walk.
import { type ReadonlySignal, useComputed } from '@preact/signals';
import { useApp, useTexts } from '../../app-state.ts';
import { useFarm } from '../../live/farm-state.ts';
import { causeCounts, type WorkLine } from '../../model/causes.ts';
import { NO_FILTER, writeFilter } from '../../model/list/filter.ts';
import { farmSums } from '../../model/sums.ts';
import { Loading } from '../../parts/bits.tsx';
import { causeText } from './cause-text.ts';
import { RunningTasks } from './running-tasks.tsx';
import { useWorkLines } from './use-work-lines.ts';
import { Worklist } from './worklist.tsx';

export function Now() {
  const texts = useTexts();
  const { isKnown } = useFarm();
  const lines = useWorkLines();
  if (!isKnown.value) return <Loading />;
  return (
    <>
      <h1 class="hidden">{texts.now.title}</h1>
      <Sums />
      <Onward />
      <Counts lines={lines} />
      <Worklist lines={lines} />
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

function Counts({ lines }: { readonly lines: ReadonlySignal<readonly WorkLine[]> }) {
  const { miners, farm } = useFarm();
  const { nowMs, format } = useApp();
  const texts = useTexts();
  const counts = useComputed(() => causeCounts(lines.value, miners.value, nowMs.peek())).value;
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
