// Who did what in the workspace, newest first.
import type { AuditEntry } from '../../../wire/api/audit.ts';
import { useApp, useTexts } from '../../app-state.ts';
import { Fact, Loading, ReadAge, RefusalNote } from '../../parts/bits.tsx';
import type { Texts } from '../../text/texts.ts';
import { guarded } from '../entry/guarded.tsx';
import { useTrail } from './use-trail.ts';

export const Audit = guarded('audit.read', AuditScreen);

function AuditScreen() {
  const texts = useTexts();
  const { trail, atMs, refusal, isAsking, askOlder } = useTrail();
  return (
    <section>
      <h1>{texts.audit.title}</h1>
      <RefusalNote refusal={refusal} />
      <ReadAge atMs={atMs} />
      {trail === undefined && refusal === undefined && <Loading />}
      {trail?.entries.length === 0 && <p class="note">{texts.audit.none}</p>}
      <ul class="work">
        {trail?.entries.map((entry) => (
          <EntryLine key={entry.seq} entry={entry} />
        ))}
      </ul>
      {trail !== undefined && trail.older !== null && (
        <div class="actions">
          <button type="button" class="act" disabled={isAsking} onClick={() => void askOlder()}>
            {texts.audit.older}
          </button>
        </div>
      )}
      {trail !== undefined && trail.older === null && <p class="note">{texts.audit.end}</p>}
    </section>
  );
}

function EntryLine({ entry }: { entry: AuditEntry }) {
  const { nowMs, format } = useApp();
  const texts = useTexts();
  const { at, action, actor, detail } = entry;
  // The name of a person is shown as what it was done to.
  const more = Object.entries(detail).filter(([name]) => name !== 'name' || entry.subject.person === undefined);
  return (
    <li class="line audit-line">
      <div class="line-plain">
        <strong>{named(texts.audit.actions, action)}</strong>
        <time class="line-age" dateTime={at}>
          {format.value.moment(Date.parse(at), nowMs.value)}
        </time>
        <span class="line-place">{actor.name}</span>
        <span class="line-message">
          <Subject entry={entry} />
        </span>
        {more.length > 0 && (
          <details class="line-message fold">
            <summary>{texts.common.more}</summary>
            <dl class="facts">
              {more.map(([name, value]) => (
                <Fact key={name} name={name.replaceAll('_', ' ')}>
                  {typeof value === 'string' ? value : JSON.stringify(value)}
                </Fact>
              ))}
            </dl>
          </details>
        )}
      </div>
    </li>
  );
}

/** By name where the trail or the session knows it; ids are long, and their ends tell them apart. */
function Subject({ entry: { subject, detail } }: { entry: AuditEntry }) {
  const { session } = useApp();
  const texts = useTexts();
  const state = session.value;
  const farms = state.kind === 'open' ? state.session.farms : [];
  const nameOf = (kind: string, id: string): string => {
    if (kind === 'farm') return farms.find((farm) => farm.id === id)?.name ?? id.slice(-6);
    if (kind === 'person' && typeof detail.name === 'string') return detail.name;
    return kind === 'name' || kind === 'pool_set' ? id : id.slice(-6);
  };
  return (
    <>
      {Object.entries(subject)
        .filter(([, id]) => id !== '')
        .map(([kind, id]) => `${named(texts.audit.subjects, kind)} ${nameOf(kind, id)}`)
        .join(', ')}
    </>
  );
}

/** Newer services may know others: these are shown as they are. */
function named(names: Texts['audit']['actions'] | Texts['audit']['subjects'], key: string): string {
  const found = Object.entries(names).find(([name]) => name === key);
  return found?.[1] ?? key;
}
