// Asks for a new secret, and for how long the one before counts beside it.
import { useSignal } from '@preact/signals';
import type { WebhookWithSecret } from '../../../wire/api/webhooks.ts';
import { useTexts } from '../../app-state.ts';
import { useCommand } from '../../live/ask/use-command.ts';
import { RefusalNote } from '../../parts/bits.tsx';
import { Dialog, FormButtons } from '../../parts/dialog.tsx';

/** Hours. */
const OVERLAPS = ['24', '168', '0'] as const;

type RotateSecretProps = {
  readonly name: string;
  readonly path: string;
  readonly onRotated: (rotated: WebhookWithSecret) => void;
  readonly onClose: () => void;
};

export function RotateSecret({ name, path, onRotated, onClose }: RotateSecretProps) {
  const { webhooks: texts } = useTexts();
  const command = useCommand();
  const overlap = useSignal<string>(OVERLAPS[0]);
  const submit = async (event: SubmitEvent) => {
    event.preventDefault();
    const body = { overlap_hours: Number(overlap.value) };
    const rotated = await command.run<WebhookWithSecret>({ method: 'POST', path: `${path}/rotate`, body });
    if (rotated !== undefined) onRotated(rotated);
  };
  return (
    <Dialog title={texts.rotateAsk(name)} onClose={onClose}>
      <form onSubmit={submit}>
        <label>
          {texts.overlap}
          <select
            value={overlap.value}
            onChange={({ currentTarget: { value } }) => {
              overlap.value = value;
            }}
          >
            {OVERLAPS.map((hours) => (
              <option key={hours} value={hours}>
                {texts.overlaps[hours]}
              </option>
            ))}
          </select>
        </label>
        <RefusalNote refusal={command.refusal} />
        <FormButtons label={texts.rotate} isDisabled={command.isBusy} onClose={onClose} />
      </form>
    </Dialog>
  );
}
