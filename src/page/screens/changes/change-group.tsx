// The changes of one kind: when, where, what, by whom; one that is about a miner leads to it, and tasks to their batch.
import type { ComponentChildren } from 'preact';
import type { z } from 'zod';
import type { ChangeKind } from '../../../model/changes/change-kinds.ts';
import type { changesSchema } from '../../../wire/api/farm/memory.ts';
import { useApp, useTexts } from '../../app-state.ts';
import { useFarm } from '../../live/farm-state.ts';
import { placeOf } from '../../model/label.ts';
import { Age } from '../../parts/bits.tsx';

type Change = z.infer<typeof changesSchema>['changes'][number];
type NamedMiner = NonNullable<Change['miner']>;

/** What is not over has an age. */
const OPEN: readonly ChangeKind[] = ['open', 'still_open', 'missing', 'still_missing'];

type GroupProps = { readonly kind: ChangeKind; readonly changes: readonly Change[]; readonly count: number };

export function ChangeGroup({ kind, changes, count }: GroupProps) {
  const { format } = useApp();
  const texts = useTexts();
  const { value: show } = format;
  const shown = show.number(changes.length);
  const counted = changes.length === count ? shown : texts.changes.firstOf(shown, show.number(count));
  return (
    <section class={`group change-${kind}`}>
      <h2 id={kind}>
        {texts.changes.kinds[kind]} <span class="line-count">{counted}</span>
      </h2>
      <ul class="work">
        {changes.map((change, index) => (
          <ChangeLine key={`${change.at} ${change.miner?.id} ${index}`} change={change} />
        ))}
      </ul>
    </section>
  );
}

function ChangeLine({ change }: { change: Change }) {
  const { format, nowMs } = useApp();
  const texts = useTexts();
  const { kind, at, ended_at, miner, text, by, unsuccessful } = change;
  const statuses: Readonly<Record<string, string>> = texts.task.status;
  const now = nowMs.peek();
  const moment = (iso: string) => format.value.moment(Date.parse(iso), now);
  const end = ended_at === null || moment(ended_at) === moment(at) ? '' : `–${moment(ended_at)}`;
  return (
    <li class="line change">
      <Lead change={change}>
        <time class="change-when" dateTime={at}>
          {moment(at)}
          {end}
        </time>
        <span class="change-where">{miner === null ? '' : <Where miner={miner} />}</span>
        <span class="change-text">{inLocalTime(text, moment)}</span>
        <span class="change-by">
          {by !== null && `${by.name}${by.via === undefined ? '' : ` ${texts.changes.host}`}`}
          {OPEN.includes(kind) && <Age atMs={Date.parse(at)} />}
        </span>
      </Lead>
      {unsuccessful.length > 0 && (
        <ul class="change-failed">
          {unsuccessful.map(({ miner: of, status, message }, index) => (
            <li key={`${of?.id} ${index}`}>
              {of !== null && <Where miner={of} />} {statuses[status] ?? status}
              {message !== null && `: ${message}`}
            </li>
          ))}
        </ul>
      )}
    </li>
  );
}

/** Leads to the miner, or to the batch of tasks. */
function Lead({ change, children }: { change: Change; children: ComponentChildren }) {
  const { farm, may } = useFarm();
  const { kind, miner, evidence } = change;
  const base = `/f/${farm.id}`;
  const batch = kind === 'task' && typeof evidence.task_batch_id === 'string' ? evidence.task_batch_id : undefined;
  if (batch !== undefined && may('tasks.read')) return <a href={`${base}/tasks/${batch}`}>{children}</a>;
  if (miner !== null) return <a href={`${base}/miners/${miner.id}`}>{children}</a>;
  return <div class="line-plain">{children}</div>;
}

function Where({ miner }: { miner: NamedMiner }) {
  const place = placeOf(miner);
  return (
    <>
      <strong>{place ?? miner.ip ?? '–'}</strong> {place === null ? miner.model : miner.ip}
    </>
  );
}

/** Texts of the service name moments in UTC. */
const inLocalTime = (text: string, moment: (iso: string) => string): string =>
  text.replaceAll(/\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g, moment);
