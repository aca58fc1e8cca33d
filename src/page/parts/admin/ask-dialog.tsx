// Asks before what cannot be undone. It stays open until the service has done it, or has said why not.

import { useTexts } from '../../app-state.ts';
import type { Command } from '../../live/ask/use-command.ts';
import { RefusalNote } from '../bits.tsx';
import { Dialog } from '../dialog.tsx';

type AskDialogProps = {
  readonly title: string;
  readonly hint: string;
  /** What the button that does it says. */
  readonly act: string;
  readonly command: Command;
  readonly onAct: () => Promise<void>;
  readonly onClose: () => void;
};

export function AskDialog({ title, hint, act, command, onAct, onClose }: AskDialogProps) {
  const { common } = useTexts();
  return (
    <Dialog title={title} onClose={onClose}>
      <p>{hint}</p>
      <RefusalNote refusal={command.refusal} />
      <div class="actions">
        <button type="button" class="act act-main" disabled={command.isBusy} onClick={() => void onAct()}>
          {act}
        </button>
        <button type="button" class="act" onClick={onClose}>
          {common.cancel}
        </button>
      </div>
    </Dialog>
  );
}
