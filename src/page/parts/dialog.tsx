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

type FormButtonsProps = { readonly label: string; readonly isDisabled?: boolean; readonly onClose: () => void };

/** What a form in a dialog ends with: the button that sends it, and one that leaves it. */
export function FormButtons({ label, isDisabled = false, onClose }: FormButtonsProps) {
  const { common } = useTexts();
  return (
    <div class="actions">
      <button type="submit" class="act act-main" disabled={isDisabled}>
        {label}
      </button>
      <button type="button" class="act" onClick={onClose}>
        {common.cancel}
      </button>
    </div>
  );
}
