// The people of the workspace, and adding one.
import { useSignal } from '@preact/signals';
import type { Person, PersonWithCode } from '../../../wire/api/people/people.ts';
import { workspacePath } from '../../api/paths.ts';
import type { Answer } from '../../api/request.ts';
import { useApp, useTexts } from '../../app-state.ts';
import { useAsked } from '../../live/ask/use-asked.ts';
import { useFarm } from '../../live/farm-state.ts';
import { Age, Loading, ReadAge, RefusalNote } from '../../parts/bits.tsx';
import { guarded } from '../entry/guarded.tsx';
import { AddPerson } from './add-person.tsx';
import { CodeDialog } from './code-dialog.tsx';
import { barredText, rolesText } from './person-text.ts';

const EVERY_MS = 15_000;
/** A workspace has no more people. */
const MOST = 1_000;

export const People = guarded('people.update', PeopleScreen);

function PeopleScreen() {
  const { ref } = useFarm();
  const texts = useTexts();
  const asked = useAsked<Answer<readonly Person[]>>(
    workspacePath(ref.workspaceId, `people?page_size=${MOST}`),
    EVERY_MS,
  );
  const isAdding = useSignal(false);
  const added = useSignal<PersonWithCode | undefined>(undefined);
  const { answer, atMs, refusal, again } = asked;
  return (
    <section>
      <h1>{texts.people.title}</h1>
      <RefusalNote refusal={refusal} />
      <div class="actions">
        <button type="button" class="act act-main" onClick={() => (isAdding.value = true)}>
          {texts.people.add}
        </button>
      </div>
      {answer === undefined && refusal === undefined && <Loading />}
      <ul class="work">
        {answer?.data.map((person) => (
          <PersonLine key={person.id} person={person} />
        ))}
      </ul>
      <ReadAge atMs={atMs} />
      {isAdding.value && (
        <AddPerson
          onClose={() => (isAdding.value = false)}
          onAdded={(person) => {
            isAdding.value = false;
            added.value = person;
            again();
          }}
        />
      )}
      {added.value !== undefined && (
        <CodeDialog
          name={added.value.name}
          code={added.value.code}
          onClose={() => {
            added.value = undefined;
          }}
        />
      )}
    </section>
  );
}

function PersonLine({ person }: { person: Person }) {
  const { nowMs, session } = useApp();
  const { farm } = useFarm();
  const texts = useTexts();
  const state = session.value;
  const barred = barredText(person, nowMs.value, texts);
  const { id, name, is_wall, last_seen_at, session_count } = person;
  return (
    <li class="line">
      <a href={`/f/${farm.id}/people/${id}`}>
        <strong>{name}</strong>
        <span class="line-count">{is_wall ? texts.people.wall : texts.people.sessions(session_count)}</span>
        <span class="line-age">
          <Age atMs={last_seen_at === null ? null : Date.parse(last_seen_at)} />
        </span>
        <span class="line-message">{rolesText(person, state.kind === 'open' ? state.session.farms : [], texts)}</span>
        {barred !== undefined && <span class="line-message barred">{barred}</span>}
      </a>
    </li>
  );
}
