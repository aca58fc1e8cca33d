// Which image miners shall get, by its name in the firmware folder of the agent. Whom it fits, the agent says then.
import { type Signal, useSignal } from '@preact/signals';
import { useTexts } from '../../app-state.ts';
import { Dialog, FormButtons } from '../../parts/dialog.tsx';
import { actText } from './acts.ts';
import type { FormProps } from './form-props.ts';

type FirmwareFormProps = FormProps & { readonly file: Signal<string> };

export function FirmwareForm({ count, file, onReady, onClose }: FirmwareFormProps) {
  const texts = useTexts();
  const version = useSignal('');
  const next = (event: SubmitEvent) => {
    event.preventDefault();
    const wanted = version.value.trim();
    onReady({ file: file.value.trim(), ...(wanted !== '' && { version: wanted }) });
  };
  const common = { autocomplete: 'off', autocapitalize: 'off', spellcheck: false } as const;
  return (
    <Dialog title={texts.act.title(actText('firmware', texts), count)} onClose={onClose}>
      <form onSubmit={next}>
        <label>
          {texts.setAct.file}
          <input
            {...common}
            required
            maxLength={200}
            value={file.value}
            onInput={({ currentTarget: { value } }) => (file.value = value)}
          />
          <small>{texts.setAct.fileHint}</small>
        </label>
        <label>
          {texts.setAct.version}
          <input
            {...common}
            maxLength={64}
            value={version.value}
            onInput={({ currentTarget: { value } }) => (version.value = value)}
          />
        </label>
        <FormButtons label={texts.setAct.next} onClose={onClose} />
      </form>
    </Dialog>
  );
}
