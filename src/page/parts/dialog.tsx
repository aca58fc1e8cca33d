// A dialog of the browser: it keeps the focus, and Escape closes it.
import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef } from 'preact/hooks';
import { useTexts } from '../app-state.ts';

type DialogProps = { readonly title: string; readonly onClose: () => void; readonly children: ComponentChildren };

export function Dialog({ title, onClose, children }: DialogProps) {
  const texts = useTexts();
  const ref = useRef<HTMLDialogElement>(null);
  const isGone = useRef(false);
  const id = useId();
  useEffect(() => {
    const dialog = ref.current;
    dialog?.showModal();
    return () => {
      // The browser reports this end too, a moment later, when something else may stand in the place of the dialog.
      isGone.current = true;
      dialog?.close();
    };
  }, []);
  const end = () => {
    if (!isGone.current) onClose();
  };
  return (
    <dialog ref={ref} class="sheet" aria-labelledby={id} onCancel={end} onClose={end}>
      <header>
        <h2 id={id}>{title}</h2>
        <button type="button" class="icon" aria-label={texts.common.close} onClick={onClose}>
          ✕
        </button>
      </header>
      {children}
    </dialog>
  );
}
