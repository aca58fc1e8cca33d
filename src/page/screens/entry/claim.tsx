// A one-time code: the first person of a service, a new password, or a phone of a person who is known. The code comes
// in the fragment of the address, which no server and no log sees, and leaves it at once.
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { useLocation } from 'preact-iso/router';
import type { Claim as ClaimBody, Session } from '../../../wire/api/people/session.ts';
import { SESSION } from '../../api/paths.ts';
import type { Answer } from '../../api/request.ts';
import { useApp, useTexts } from '../../app-state.ts';
import type { Refusal } from '../../live/ask/use-asked.ts';
import { entryText } from '../../parts/bits.tsx';
import { LanguageChoice } from '../../parts/language.tsx';

/** What the person is asked for: what the code needs, as its address says. */
type Purpose = 'claim' | 'reset' | 'pair';

/** `#claim:4F7KQ-2M9XC`, `#reset:…` or `#pair:…`; the code alone is one of the first admin. */
function readFragment(fragment: string): { readonly purpose: Purpose; readonly code: string } {
  const [, purpose, code = ''] = /^#?(?:(claim|reset|pair):)?(.*)$/.exec(decodeURIComponent(fragment)) ?? [];
  return { purpose: purpose === 'reset' || purpose === 'pair' ? purpose : 'claim', code };
}

export function Claim() {
  const app = useApp();
  const texts = useTexts();
  const { route } = useLocation();
  const given = useSignal(readFragment(location.hash));
  const refusal = useSignal<Refusal | 'different' | undefined>(undefined);
  const isBusy = useSignal(false);
  const { purpose, code } = given.value;
  const send = async (body: ClaimBody) => {
    if (isBusy.value) return;
    isBusy.value = true;
    const outcome = await app.ask<Answer<Session>>({ method: 'POST', path: `${SESSION}/claim`, body });
    isBusy.value = false;
    if (outcome.kind !== 'ok') {
      refusal.value = outcome;
      return;
    }
    app.session.value = { kind: 'open', session: outcome.answer.data };
    route('/', true);
  };
  useEffect(() => {
    history.replaceState(null, '', location.pathname);
    if (purpose === 'pair' && code !== '') void send({ code });
  }, []);
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    if (!(event.currentTarget instanceof HTMLFormElement)) return;
    const form = new FormData(event.currentTarget);
    const text = (name: string) => String(form.get(name) ?? '');
    if (purpose !== 'pair' && text('password') !== text('again')) {
      refusal.value = 'different';
      return;
    }
    refusal.value = undefined;
    void send({
      code: code || text('code'),
      ...(purpose === 'claim' && { name: text('name') }),
      ...(purpose !== 'pair' && { password: text('password') }),
    });
  };
  const problem = refusal.value;
  return (
    <main class="entry">
      <h1>{texts.claim.title}</h1>
      <p class="note">{purpose === 'pair' && isBusy.value ? texts.claim.pairing : texts.claim.intro}</p>
      <form onSubmit={submit}>
        {code === '' && (
          <label>
            {texts.claim.code}
            <input
              name="code"
              autocomplete="one-time-code"
              autocapitalize="characters"
              required
              maxLength={16}
              placeholder={texts.claim.codeHint}
            />
          </label>
        )}
        {purpose === 'claim' && (
          <label>
            {texts.claim.name}
            <input name="name" autocomplete="username" required maxLength={64} />
          </label>
        )}
        {purpose !== 'pair' && (
          <>
            <label>
              {texts.claim.newPassword}
              <input
                name="password"
                type="password"
                autocomplete="new-password"
                required
                minLength={10}
                maxLength={128}
              />
            </label>
            <label>
              {texts.claim.again}
              <input name="again" type="password" autocomplete="new-password" required minLength={10} maxLength={128} />
            </label>
          </>
        )}
        {problem !== undefined && (
          <p class="note note-bad" role="alert">
            {problem === 'different'
              ? texts.claim.different
              : problem.kind === 'refused' && problem.status === 401
                ? texts.claim.wrong
                : entryText(problem, texts, app.format.value.duration)}
          </p>
        )}
        <button type="submit" class="act act-main" disabled={isBusy.value}>
          {texts.claim.submit}
        </button>
      </form>
      <LanguageChoice />
    </main>
  );
}
