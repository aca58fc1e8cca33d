// What a person has confirmed waits a few seconds before it is sent, so that it can be taken back. The bar stays on
// every screen of the farm until it is sent.
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { useTexts } from '../../app-state.ts';
import { every } from '../../time.ts';

export const WAIT_S = 5;

type PendingProps = { readonly what: string; readonly onSend: () => void; readonly onUndo: () => void };

export function Pending({ what, onSend, onUndo }: PendingProps) {
  const texts = useTexts();
  const leftS = useSignal(WAIT_S);
  useEffect(() => {
    const end = every(1_000, () => {
      leftS.value -= 1;
      if (leftS.value > 0) return;
      end();
      onSend();
    });
    return end;
  }, []);
  return (
    <div class="pending" role="status">
      <span>{texts.act.sending(what, leftS.value)}</span>
      <button type="button" class="act act-main" onClick={onUndo}>
        {texts.common.undo}
      </button>
    </div>
  );
}
