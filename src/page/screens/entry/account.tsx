// The person who is logged in: devices, password, language, logging out.
import { useSignal } from '@preact/signals';
import type { Device, EndedSessions } from '../../../wire/api/people/session.ts';
import { SESSION } from '../../api/paths.ts';
import type { Answer } from '../../api/request.ts';
import { useApp, useTexts } from '../../app-state.ts';
import { type Refusal, useAsked } from '../../live/ask/use-asked.ts';
import { useCommand } from '../../live/ask/use-command.ts';
import { ReadAge, RefusalNote } from '../../parts/bits.tsx';
import { LanguageChoice } from '../../parts/language.tsx';
import { Leave } from '../../parts/leave.tsx';

const EVERY_MS = 30_000;

export function Account() {
  const app = useApp();
  const texts = useTexts();
  const state = app.session.value;
  return (
    <section class="account">
      <h1>{state.kind === 'open' ? state.session.person.name : texts.account.title}</h1>
      <Leave />
      <LanguageChoice />
      <PasswordChange />
      <Devices />
    </section>
  );
}

function PasswordChange() {
  const app = useApp();
  const texts = useTexts();
  const state = useSignal<Refusal | 'changed' | undefined>(undefined);
  const submit = async (event: SubmitEvent) => {
    event.preventDefault();
    const { currentTarget: form } = event;
    if (!(form instanceof HTMLFormElement)) return;
    const fields = new FormData(form);
    const body = {
      current_password: String(fields.get('current') ?? ''),
      new_password: String(fields.get('password') ?? ''),
    };
    const outcome = await app.ask<Answer<unknown>>({ method: 'POST', path: `${SESSION}/password`, body });
    state.value = outcome.kind === 'ok' ? 'changed' : outcome;
    if (outcome.kind === 'ok') form.reset();
  };
  return (
    <details class="fold">
      <summary>{texts.account.changePassword}</summary>
      <form onSubmit={submit}>
        <label>
          {texts.account.current}
          <input name="current" type="password" autocomplete="current-password" required maxLength={128} />
        </label>
        <label>
          {texts.claim.newPassword}
          <input name="password" type="password" autocomplete="new-password" required minLength={10} maxLength={128} />
        </label>
        {state.value === 'changed' ? (
          <p class="note note-good">{texts.account.changed}</p>
        ) : (
          <RefusalNote refusal={state.value} />
        )}
        <button type="submit" class="act act-main">
          {texts.common.save}
        </button>
      </form>
    </details>
  );
}

function Devices() {
  const app = useApp();
  const texts = useTexts();
  const devices = useAsked<Answer<readonly Device[]>>(`${SESSION}/devices`, EVERY_MS);
  const { run, isBusy, refusal } = useCommand();
  const ended = useSignal<number | undefined>(undefined);
  const end = async (path: string) => {
    const answer = await run<EndedSessions>({ method: 'DELETE', path: `${SESSION}/devices${path}` });
    ended.value = answer?.ended_count;
    devices.again();
  };
  const hasOthers = devices.answer?.data.some(({ is_current }) => !is_current) === true;
  return (
    <>
      <h2>{texts.account.devices}</h2>
      <RefusalNote refusal={devices.refusal ?? refusal} />
      <ul class="work">
        {devices.answer?.data.map(({ id, device, address, is_current, is_paired, last_used_at }) => (
          <li key={id} class="line">
            <div class="line-plain">
              <strong>{device}</strong>
              <span class="line-count">
                {is_current ? texts.account.thisDevice : is_paired ? texts.account.paired : ''}
              </span>
              <span class="line-place">{address}</span>
              <span class="line-message">
                {texts.account.lastUsed(app.format.value.duration(app.nowMs.value - Date.parse(last_used_at)))}
              </span>
            </div>
            {!is_current && (
              <button
                type="button"
                class="act"
                aria-label={`${texts.account.logout}: ${device}`}
                disabled={isBusy}
                onClick={() => void end(`/${id}`)}
              >
                {texts.account.logout}
              </button>
            )}
          </li>
        ))}
      </ul>
      <ReadAge atMs={devices.atMs} />
      {ended.value !== undefined && (
        <p class="note note-good" role="status">
          {texts.people.ended(ended.value)}
        </p>
      )}
      {hasOthers && (
        <button type="button" class="act" disabled={isBusy} onClick={() => void end('')}>
          {texts.account.everywhere}
        </button>
      )}
    </>
  );
}
