// A button for what changes a device: it is held for a moment. With a keyboard or a switch, where nothing can be held,
// it opens a question instead.
import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { useTexts } from '../app-state.ts';
import { after } from '../time.ts';
import { Dialog } from './dialog.tsx';

const HOLD_MS = 600;

type HoldProps = {
  readonly label: string;
  /** What is asked where nothing is held. */
  readonly question: string;
  readonly onConfirm: () => void;
  /** Why it cannot be pressed; undefined = it can. */
  readonly reason?: string | undefined;
  readonly children?: ComponentChildren;
};

export function HoldButton({ label, question, onConfirm, reason, children }: HoldProps) {
  const texts = useTexts();
  const isHeld = useSignal(false);
  const isAsking = useSignal(false);
  const cancel = useRef(() => {});
  const isDisabled = reason !== undefined;
  const release = () => {
    cancel.current();
    isHeld.value = false;
  };
  useEffect(() => release, []);
  const press = (event: PointerEvent) => {
    if (isDisabled || event.button !== 0) return;
    isHeld.value = true;
    cancel.current = after(HOLD_MS, () => {
      release();
      navigator.vibrate?.(30);
      onConfirm();
    });
  };
  return (
    <>
      <button
        type="button"
        class={`act hold ${isHeld.value ? 'is-held' : ''}`}
        aria-disabled={isDisabled}
        title={reason ?? texts.act.hold}
        onPointerDown={press}
        onPointerUp={release}
        onPointerLeave={release}
        onPointerCancel={release}
        onContextMenu={(event) => event.preventDefault()}
        onClick={(event) => {
          // A click without a pointer is one of a keyboard.
          if (event.detail === 0 && !isDisabled) isAsking.value = true;
        }}
      >
        {children ?? label}
      </button>
      {isAsking.value && (
        <Dialog title={question} onClose={() => (isAsking.value = false)}>
          <div class="actions">
            <button
              type="button"
              class="act act-main"
              onClick={() => {
                isAsking.value = false;
                onConfirm();
              }}
            >
              {label}
            </button>
            <button type="button" class="act" onClick={() => (isAsking.value = false)}>
              {texts.common.cancel}
            </button>
          </div>
        </Dialog>
      )}
    </>
  );
}
