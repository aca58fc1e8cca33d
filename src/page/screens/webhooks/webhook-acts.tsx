// What a person does with a webhook: change, pause, test, a new secret, what was not delivered, and removing it.
import { useSignal } from '@preact/signals';
import type { TestItem, WebhookEdit, WebhookItem, WebhookWithSecret } from '../../../wire/api/webhooks.ts';
import { useApp, useTexts } from '../../app-state.ts';
import { useCommand } from '../../live/ask/use-command.ts';
import { AskDialog } from '../../parts/admin/ask-dialog.tsx';
import { RefusalNote } from '../../parts/bits.tsx';
import { DeadLetters } from './dead-letters.tsx';
import { RotateSecret } from './rotate-secret.tsx';
import { WebhookForm } from './webhook-form.tsx';

export type WebhookActsProps = {
  readonly webhook: WebhookItem;
  readonly path: string;
  readonly onChanged: () => void;
  readonly onSecret: (rotated: WebhookWithSecret) => void;
};

type Open = 'form' | 'secret' | 'letters' | 'remove';

export function WebhookActs({ webhook, path, onChanged, onSecret }: WebhookActsProps) {
  const { webhooks: texts } = useTexts();
  const command = useCommand();
  const open = useSignal<Open | undefined>(undefined);
  const tested = useSignal<TestItem | undefined>(undefined);
  const { name, state } = webhook;
  const close = () => {
    open.value = undefined;
  };
  const setState = async () => {
    const body: WebhookEdit = { state: state === 'active' ? 'paused' : 'active' };
    if ((await command.run({ method: 'PATCH', path, body })) !== undefined) onChanged();
  };
  const test = async () => {
    tested.value = undefined;
    tested.value = await command.run<TestItem>({ method: 'POST', path: `${path}/test` });
  };
  const remove = async () => {
    if ((await command.run({ method: 'DELETE', path })) === undefined) return;
    close();
    onChanged();
  };
  const show = (what: Open) => () => {
    open.value = what;
  };
  const acts = [
    [texts.change, show('form')],
    [state === 'active' ? texts.pause : texts.resume, setState],
    [texts.test, test],
    [texts.rotate, show('secret')],
    [texts.letters, show('letters')],
    [texts.remove, show('remove')],
  ] as const;
  return (
    <>
      <div class="actions">
        {acts.map(([label, act]) => (
          <button
            key={label}
            type="button"
            class="act"
            aria-label={`${label}: ${name}`}
            disabled={command.isBusy}
            onClick={() => void act()}
          >
            {label}
          </button>
        ))}
      </div>
      <TestNote tested={tested.value} />
      {open.value !== 'remove' && <RefusalNote refusal={command.refusal} />}
      {open.value === 'form' && (
        <WebhookForm
          request={{ method: 'PATCH', path }}
          webhook={webhook}
          onClose={close}
          onDone={() => {
            close();
            onChanged();
          }}
        />
      )}
      {open.value === 'secret' && (
        <RotateSecret
          {...{ name, path }}
          onClose={close}
          onRotated={(rotated) => {
            close();
            onSecret(rotated);
          }}
        />
      )}
      {open.value === 'letters' && <DeadLetters {...{ name, path, onChanged }} onClose={close} />}
      {open.value === 'remove' && (
        <AskDialog
          title={texts.removeAsk(name)}
          hint={texts.removeHint}
          act={texts.remove}
          command={command}
          onAct={remove}
          onClose={close}
        />
      )}
    </>
  );
}

function TestNote({ tested }: { tested: TestItem | undefined }) {
  const { format } = useApp();
  const { webhooks: texts } = useTexts();
  if (tested === undefined) return null;
  const { delivered, duration_ms, status, error } = tested;
  return (
    <p class={`note ${delivered ? 'note-good' : 'note-bad'}`} role="status">
      {delivered
        ? texts.delivered(format.value.number(duration_ms), String(status))
        : texts.notDelivered(error ?? String(status))}
    </p>
  );
}
