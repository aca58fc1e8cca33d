// What changed in the farm in a span of time, for who takes over: grouped by kind, with who did it and what is still
// open from before. Printed it is the handover of a shift.
import { useComputed } from '@preact/signals';
import { useMemo } from 'preact/hooks';
import { useLocation } from 'preact-iso/router';
import type { z } from 'zod';
import type { ChangeKind } from '../../../model/changes/change-kinds.ts';
import type { changesSchema } from '../../../wire/api/farm/memory.ts';
import { farmPath } from '../../api/paths.ts';
import type { Answer } from '../../api/request.ts';
import { useApp, useTexts } from '../../app-state.ts';
import { useAsked } from '../../live/ask/use-asked.ts';
import { useFarm } from '../../live/farm-state.ts';
import { Loading, ReadAge, RefusalNote } from '../../parts/bits.tsx';
import { guardedInFarm } from '../entry/guarded.tsx';
import { ChangeGroup } from './change-group.tsx';
import { beginOf, readSince } from './since.ts';
import { SinceChoice } from './since-choice.tsx';

export type FarmChanges = z.infer<typeof changesSchema>;

const EVERY_MS = 30_000;
/** Of each kind; all that the service gives on request. */
const FEW = 100;
const MOST = 2_000;

/** As a shift reads them: what is open comes first. */
const ORDER = [
  ...(['open', 'still_open', 'missing', 'still_missing', 'healed', 'ended', 'back', 'appeared', 'moved'] as const),
  ...(['replaced', 'location', 'ops_status', 'note', 'task', 'agent', 'other'] as const),
] satisfies readonly ChangeKind[];

export const Changes = guardedInFarm('events.read', ChangesScreen);

function ChangesScreen() {
  const { nowMs } = useApp();
  const { ref } = useFarm();
  const texts = useTexts();
  const { query } = useLocation();
  const { since: written, all } = query;
  const since = readSince(written);
  const isAll = all !== undefined;
  const path = useMemo(() => {
    const from = new Date(beginOf(since, nowMs.peek())).toISOString();
    return farmPath(ref, `changes?since=${from}&limit=${isAll ? MOST : FEW}`);
  }, [written, isAll, ref.id]);
  const { answer, atMs, refusal } = useAsked<Answer<FarmChanges>>(path, EVERY_MS);
  return (
    <section class="handover">
      <h1 class="no-print">{texts.changes.title}</h1>
      <SinceChoice since={since} />
      <RefusalNote refusal={refusal} />
      {answer === undefined ? (
        refusal === undefined && <Loading />
      ) : (
        <Summary summary={answer.data} atMs={atMs} isAll={isAll} />
      )}
    </section>
  );
}

type SummaryProps = {
  readonly summary: FarmChanges;
  readonly atMs: number | undefined;
  readonly isAll: boolean;
};

function Summary({ summary, atMs, isAll }: SummaryProps) {
  const { format } = useApp();
  const texts = useTexts();
  const { path, query } = useLocation();
  const { from, to, flags_raised, flags_cleared, events_left_out, miners_left_out, kinds, changes } = summary;
  const { value: show } = format;
  const ofKind = useMemo(() => Map.groupBy(changes, ({ kind }) => kind), [changes]);
  const counts = new Map(kinds.map(({ kind, count }) => [kind, count]));
  const countOf = (kind: ChangeKind): number => counts.get(kind) ?? 0;
  const filled = ORDER.filter((kind) => countOf(kind) > 0);
  const empty = ORDER.filter((kind) => countOf(kind) === 0).map((kind) => texts.changes.kinds[kind]);
  const isCut = kinds.some(({ left_out }) => left_out > 0);
  const more = new URLSearchParams({ since: query.since ?? '12h', all: '1' }).toString();
  return (
    <>
      <PrintHead from={from} to={to} />
      <p class="no-print">
        <strong>{texts.changes.span(show.dated(Date.parse(from)), show.dated(Date.parse(to)))}</strong>
      </p>
      <p>{texts.changes.flags(show.number(flags_raised), show.number(flags_cleared))}</p>
      <div class="no-print">
        <ReadAge atMs={atMs} />
      </div>
      {events_left_out > 0 && <p class="note note-bad">{texts.changes.eventsLeftOut(show.number(events_left_out))}</p>}
      {miners_left_out > 0 && <p class="note note-bad">{texts.changes.minersLeftOut(show.number(miners_left_out))}</p>}
      {isCut && !isAll && (
        <p class="no-print">
          <a class="act" href={`${path}?${more}`}>
            {texts.changes.showMore(show.number(MOST))}
          </a>
        </p>
      )}
      <ul class="counts no-print">
        {filled.map((kind) => (
          <li key={kind}>
            <a class={`count count-of-${kind}`} href={`#${kind}`}>
              {texts.changes.kinds[kind]} <strong>{show.number(countOf(kind))}</strong>
            </a>
          </li>
        ))}
      </ul>
      {filled.length === 0 && <p class="note note-good">{texts.changes.nothing}</p>}
      {filled.map((kind) => (
        <ChangeGroup key={kind} kind={kind} changes={ofKind.get(kind) ?? []} count={countOf(kind)} />
      ))}
      {filled.length > 0 && empty.length > 0 && <p class="note">{texts.changes.none(empty.join(', '))}</p>}
      {changes.some(({ by }) => by?.via !== undefined) && <p class="note">{texts.changes.onHost}</p>}
    </>
  );
}

/** Stands on paper only: a sheet of paper has to say of itself whose and from when it is. */
function PrintHead({ from, to }: Pick<FarmChanges, 'from' | 'to'>) {
  const { format, nowMs, session } = useApp();
  const { farm } = useFarm();
  const texts = useTexts();
  const { value: show } = format;
  const person = useComputed(() => (session.value.kind === 'open' ? session.value.session.person.name : ''));
  return (
    <header class="print-only">
      <h1>{texts.changes.handover(farm.name ?? 'Pithead')}</h1>
      <p>{texts.changes.span(show.dated(Date.parse(from)), show.dated(Date.parse(to)))}</p>
      <p>{texts.changes.printedBy(person.value, show.dated(nowMs.value))}</p>
    </header>
  );
}
