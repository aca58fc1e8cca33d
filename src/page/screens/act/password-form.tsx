// The new password of miners, written twice. It goes to the service and is kept nowhere on this device.
import { useSignal } from '@preact/signals';
import { useTexts } from '../../app-state.ts';
import { Dialog, FormButtons } from '../../parts/dialog.tsx';
import { actText } from './acts.ts';
import type { FormProps } from './form-props.ts';

const MAX_LENGTH = 64;

export function PasswordForm({ count, onReady, onClose }: FormProps) {
  const texts = useTexts();
  const isDifferent = useSignal(false);
  const next = (event: SubmitEvent) => {
    event.preventDefault();
    if (!(event.currentTarget instanceof HTMLFormElement)) return;
    const form = new FormData(event.currentTarget);
    const [one, other] = [form.get('one'), form.get('other')].map((value) => String(value ?? ''));
    isDifferent.value = one !== other;
    if (one === other) onReady({ password: one });
  };
  const common = { type: 'password', required: true, maxLength: MAX_LENGTH, autocomplete: 'off' } as const;
  return (
    <Dialog title={texts.act.title(actText('password', texts), count)} onClose={onClose}>
      <form onSubmit={next}>
        <p class="note">{texts.setAct.passwordHint}</p>
        <label>
          {texts.setAct.newPassword}
          <input name="one" {...common} />
        </label>
        <label>
          {texts.setAct.again}
          <input name="other" {...common} />
        </label>
        {isDifferent.value && (
          <p class="note note-bad" role="alert">
            {texts.claim.different}
          </p>
        )}
        <FormButtons label={texts.setAct.next} onClose={onClose} />
      </form>
    </Dialog>
  );
}
