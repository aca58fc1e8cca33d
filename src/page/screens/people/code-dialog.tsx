// A one-time code for a person, as an address and as a picture of it. It is shown this once.
import { useSignal } from '@preact/signals';
import type { PersonCode } from '../../../wire/api/people/people.ts';
import { useApp, useTexts } from '../../app-state.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { Qr } from '../../parts/qr.tsx';

/** An address that no other device can open. */
const isOwnHost = (host: string): boolean => /^(localhost|127\.[\d.]+|\[::1\])$/.test(host);

type CodeDialogProps = { readonly name: string; readonly code: PersonCode; readonly onClose: () => void };

export function CodeDialog({ name, code: { code, purpose, expires_at }, onClose }: CodeDialogProps) {
  const { nowMs, format } = useApp();
  const texts = useTexts();
  const { people } = texts;
  const isCopied = useSignal(false);
  const address = `${location.origin}/claim#${purpose}:${code}`;
  const leftMs = Date.parse(expires_at) - nowMs.value;
  /** A browser gives it to encrypted pages only. */
  const { clipboard }: { readonly clipboard?: Clipboard } = navigator;
  const copy = async () => {
    await clipboard?.writeText(address);
    isCopied.value = true;
  };
  return (
    <Dialog title={people.codeFor[purpose](name)} onClose={onClose}>
      {leftMs > 0 ? (
        <>
          <p>{people.codeUse[purpose]}</p>
          <Qr address={address} label={people.qr} />
          <p>
            <code class="code-address">{address}</code>
          </p>
          {isOwnHost(location.hostname) && <p class="note barred">{people.ownHost}</p>}
          <p class="note">{people.codeLeft(format.value.duration(leftMs))}</p>
        </>
      ) : (
        <p class="note note-bad">{people.codeOver}</p>
      )}
      <div class="actions">
        {clipboard !== undefined && leftMs > 0 && (
          <button type="button" class="act" onClick={() => void copy()}>
            {isCopied.value ? people.copied : people.copy}
          </button>
        )}
        <button type="button" class="act act-main" onClick={onClose}>
          {texts.common.close}
        </button>
      </div>
    </Dialog>
  );
}
