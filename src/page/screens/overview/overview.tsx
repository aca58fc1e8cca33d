// What the farm makes, draws and lacks now, for who answers for it: per algorithm, then by container, rack or model. It
// is counted from the rows of the board; each line leads to the list of just the miners that it counts.
import { useComputed } from '@preact/signals';
import { useLocation } from 'preact-iso/router';
import { useApp, useTexts } from '../../app-state.ts';
import { useFarm } from '../../live/farm-state.ts';
import { filterOfGroup, writeFilter } from '../../model/list/filter.ts';
import { type AlgorithmFigures, type Figures, figuresOf, GROUPINGS, isGrouping } from '../../model/overview.ts';
import { Fact, Loading, RefusalNote } from '../../parts/bits.tsx';
import { efficiencyText, precise } from './figures-text.ts';
import { Groups } from './groups.tsx';
import { bucketsOf, HOURS, knownHours, uptimeOf } from './uptime.ts';
import { useUptime } from './use-uptime.ts';

export function Overview() {
  const { isKnown, miners, farm } = useFarm();
  const { nowMs, format } = useApp();
  const texts = useTexts();
  const { query, path } = useLocation();
  const by = isGrouping(query.by) ? query.by : 'rack';
  const figures = useComputed(() => figuresOf(miners.value, nowMs.peek())).value;
  if (!isKnown.value) return <Loading />;
  return (
    <section class="overview">
      <h1>
        {texts.overview.title}
        <span class="print-only"> {farm.name ?? 'Pithead'}</span>
      </h1>
      <p class="print-only">{format.value.dated(nowMs.value)}</p>
      <WholeFarm figures={figures} />
      {figures.algorithms.map((each) => (
        <Algorithm key={each.algorithm} figures={each} />
      ))}
      <nav class="actions" aria-label={texts.overview.by}>
        {GROUPINGS.map((each) => (
          <a key={each} class="act" href={`${path}?by=${each}`} aria-current={each === by ? 'true' : undefined}>
            {texts.overview.groupings[each]}
          </a>
        ))}
        <button type="button" class="act" onClick={() => window.print()}>
          {texts.changes.print}
        </button>
      </nav>
      <Groups key={by} by={by} />
    </section>
  );
}

function WholeFarm({ figures }: { figures: Figures }) {
  const { format } = useApp();
  const texts = useTexts();
  const { answer, refusal } = useUptime(undefined);
  const { value: show } = format;
  const { miners, onSite, online, unknown, ill, powerW } = figures;
  const buckets = answer === undefined ? [] : bucketsOf(answer.data);
  const hours = knownHours(buckets);
  return (
    <>
      <dl class="facts">
        <Fact name={texts.overview.answer}>
          {show.number(online)} / {show.number(onSite)}
        </Fact>
        <Fact name={texts.overview.uptime}>{precise(show, uptimeOf(buckets))}</Fact>
        <Fact name={texts.overview.ill}>{show.number(ill)}</Fact>
        <Fact name={texts.overview.power}>{show.power(powerW)}</Fact>
      </dl>
      <RefusalNote refusal={refusal} />
      {hours > 0 && hours < HOURS - 1 && <p class="note">{texts.overview.knownHours(show.number(hours, 1))}</p>}
      {unknown > 0 && <p class="note">{texts.overview.unknown(show.number(unknown))}</p>}
      {miners > onSite && <p class="note">{texts.overview.offSite(show.number(miners - onSite))}</p>}
    </>
  );
}

function Algorithm({ figures }: { figures: AlgorithmFigures }) {
  const { farm } = useFarm();
  const { format } = useApp();
  const texts = useTexts();
  const { value: show } = format;
  const { algorithm, miners, hashrateHs, expectedHs, share, powerW } = figures;
  const list = `/f/${farm.id}/miners?${writeFilter(filterOfGroup('algorithm', algorithm))}`;
  return (
    <section class="algorithm">
      <h2>
        <a href={list}>
          {algorithm ?? texts.common.unknown}: {texts.miners(miners)}
        </a>
      </h2>
      <dl class="facts">
        <Fact name={texts.overview.hashrate}>
          <strong>{show.hashrate(hashrateHs)}</strong>
        </Fact>
        <Fact name={texts.overview.expected}>
          {show.hashrate(expectedHs)} · {show.percent(share)}
        </Fact>
        <Fact name={texts.overview.power}>{show.power(powerW)}</Fact>
        <Fact name={texts.overview.efficiency}>{efficiencyText(show, figures)}</Fact>
      </dl>
      <Gaps figures={figures} />
    </section>
  );
}

/** What the sums do not have. */
function Gaps({ figures }: { figures: AlgorithmFigures }) {
  const { format } = useApp();
  const texts = useTexts();
  const { value: show } = format;
  const { miners, withoutRate, withoutExpected, withoutPower } = figures;
  const all = show.number(miners);
  const gaps = [
    ...(withoutRate > 0 ? [texts.overview.withoutRate(show.number(withoutRate), all)] : []),
    ...(withoutExpected > 0 ? [texts.overview.withoutExpected(show.number(withoutExpected), all)] : []),
    ...(withoutPower > 0 ? [texts.overview.withoutPower(show.number(withoutPower), all)] : []),
  ];
  return (
    <>
      {gaps.map((gap) => (
        <p key={gap} class="note gap">
          {gap}
        </p>
      ))}
    </>
  );
}
