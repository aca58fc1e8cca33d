// A secret that the service shows once. It is nowhere but in the screen that shows it, and gone when that is closed.
import { useSignal } from '@preact/signals';
import { useTexts } from '../../app-state.ts';
import { Dialog } from '../dialog.tsx';

type SecretDialogProps = {
  readonly title: string;
  readonly hint: string;
  readonly secret: string;
  readonly onClose: () => void;
};

export function SecretDialog({ title, hint, secret, onClose }: SecretDialogProps) {
  const { apiKeys, common } = useTexts();
  const isCopied = useSignal(false);
  /** A browser gives it to encrypted pages only. */
  const { clipboard }: { readonly clipboard?: Clipboard } = navigator;
  const copy = async () => {
    await clipboard?.writeText(secret);
    isCopied.value = true;
  };
  return (
    <Dialog title={title} onClose={onClose}>
      <p>{hint}</p>
      <p>
        <code class="code-address">{secret}</code>
      </p>
      {clipboard === undefined && <p class="note barred">{apiKeys.byHand}</p>}
      <div class="actions">
        {clipboard !== undefined && (
          <button type="button" class="act" onClick={() => void copy()}>
            <span aria-live="polite">{isCopied.value ? apiKeys.copied : apiKeys.copy}</span>
          </button>
        )}
        <button type="button" class="act act-main" onClick={onClose}>
          {common.close}
        </button>
      </div>
    </Dialog>
  );
}
