// Logging in by name and password. It never says which of the two was wrong.
import { useSignal } from '@preact/signals';
import { useLocation } from 'preact-iso/router';
import type { Session } from '../../../wire/api/people/session.ts';
import { SESSION } from '../../api/paths.ts';
import type { Answer } from '../../api/request.ts';
import { useApp, useTexts } from '../../app-state.ts';
import type { Refusal } from '../../live/ask/use-asked.ts';
import { entryText } from '../../parts/bits.tsx';
import { LanguageChoice } from '../../parts/language.tsx';

/** Only addresses of this page: a link from elsewhere must not lead on to elsewhere. */
const inner = (to: string | undefined): string => (to?.startsWith('/f/') ? to : '/');

export function Login() {
  const app = useApp();
  const texts = useTexts();
  const { query, route } = useLocation();
  const refusal = useSignal<Refusal | undefined>(undefined);
  const isBusy = useSignal(false);
  const submit = async (event: SubmitEvent) => {
    event.preventDefault();
    if (isBusy.value || !(event.currentTarget instanceof HTMLFormElement)) return;
    const form = new FormData(event.currentTarget);
    isBusy.value = true;
    const body = { name: String(form.get('name') ?? ''), password: String(form.get('password') ?? '') };
    const outcome = await app.ask<Answer<Session>>({ method: 'POST', path: SESSION, body });
    isBusy.value = false;
    if (outcome.kind !== 'ok') {
      refusal.value = outcome;
      return;
    }
    app.session.value = { kind: 'open', session: outcome.answer.data };
    route(inner(query.to), true);
  };
  const problem = refusal.value;
  return (
    <main class="entry">
      <h1>Pithead</h1>
      <form onSubmit={submit}>
        <label>
          {texts.login.name}
          <input name="name" autocomplete="username" autocapitalize="none" required maxLength={64} />
        </label>
        <label>
          {texts.login.password}
          <input name="password" type="password" autocomplete="current-password" required maxLength={128} />
        </label>
        {problem !== undefined && (
          <p class="note note-bad" role="alert">
            {problem.kind === 'refused' && problem.status === 401
              ? texts.login.failed
              : entryText(problem, texts, app.format.value.duration)}
          </p>
        )}
        <button type="submit" class="act act-main" disabled={isBusy.value}>
          {texts.login.submit}
        </button>
      </form>
      <p class="note">
        {texts.login.noAccount} <code>{texts.login.command}</code>
      </p>
      <p class="note">
        {texts.login.forgotten} <code>{texts.login.forgottenCommand}</code>
      </p>
      <LanguageChoice />
    </main>
  );
}
