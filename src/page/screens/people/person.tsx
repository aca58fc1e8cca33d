// One person: what it may do, until when, and what an administrator does with it.
import { useLocation, useRoute } from 'preact-iso/router';
import type { Person as PersonItem } from '../../../wire/api/people/people.ts';
import { workspacePath } from '../../api/paths.ts';
import type { Answer } from '../../api/request.ts';
import { useApp, useTexts } from '../../app-state.ts';
import { useAsked } from '../../live/ask/use-asked.ts';
import { useFarm } from '../../live/farm-state.ts';
import { Age, Fact, Loading, ReadAge, RefusalNote } from '../../parts/bits.tsx';
import { guarded } from '../entry/guarded.tsx';
import { PersonActs } from './person-acts.tsx';
import { PersonForm } from './person-form.tsx';
import { barredText, rolesText } from './person-text.ts';

const EVERY_MS = 10_000;

export const Person = guarded('people.update', PersonScreen);

function PersonScreen() {
  const { ref, farm } = useFarm();
  const { params } = useRoute();
  const { route } = useLocation();
  const texts = useTexts();
  const path = workspacePath(ref.workspaceId, `people/${encodeURIComponent(params.id ?? '')}`);
  const { answer, atMs, refusal, again } = useAsked<Answer<PersonItem>>(path, EVERY_MS);
  const person = answer?.data;
  const people = `/f/${farm.id}/people`;
  return (
    <section>
      <p>
        <a class="act" href={people}>
          {texts.people.title}
        </a>
      </p>
      <RefusalNote refusal={refusal} />
      {person === undefined && refusal === undefined && <Loading />}
      {person !== undefined && (
        <>
          <h1>{person.name}</h1>
          <Facts person={person} />
          <ReadAge atMs={atMs} />
          <PersonForm
            // Anew when another admin has changed what it begins with.
            key={JSON.stringify([person.role, person.farm_roles, person.expires_at])}
            person={person}
            path={path}
            onChanged={again}
          />
          <PersonActs person={person} path={path} onChanged={again} onRemoved={() => route(people, true)} />
        </>
      )}
    </section>
  );
}

function Facts({ person }: { person: PersonItem }) {
  const { nowMs, format, session } = useApp();
  const texts = useTexts();
  const state = session.value;
  const { last_seen_at, session_count, expires_at, is_wall } = person;
  const barred = barredText(person, nowMs.value, texts);
  return (
    <>
      {barred !== undefined && <p class="note barred">{barred}</p>}
      {is_wall && <p class="note">{texts.people.wallHint}</p>}
      <dl class="facts">
        <Fact name={texts.people.roles}>
          {rolesText(person, state.kind === 'open' ? state.session.farms : [], texts)}
        </Fact>
        <Fact name={texts.people.lastSeen}>
          <Age atMs={last_seen_at === null ? null : Date.parse(last_seen_at)} />
        </Fact>
        <Fact name={texts.people.loggedIn}>{texts.people.sessions(session_count)}</Fact>
        <Fact name={texts.people.until}>
          {expires_at === null ? texts.people.noEnd : format.value.moment(Date.parse(expires_at), nowMs.value)}
        </Fact>
      </dl>
    </>
  );
}
