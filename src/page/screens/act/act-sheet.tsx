// An act for many miners: what it would come to by the word of the agents, who is left out and why, on how many it is
// tried first; above twenty the count is typed. It is sent a few seconds after it was confirmed.
import { type Signal, useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { useLocation } from 'preact-iso/router';
import { FORCED_CANARIES } from '../../../model/tasks/task-kinds.data.ts';
import { farmPath } from '../../api/paths.ts';
import { useApp, useTexts } from '../../app-state.ts';
import type { Refusal } from '../../live/ask/use-asked.ts';
import { useFarm } from '../../live/farm-state.ts';
import { Loading, RefusalNote } from '../../parts/bits.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { HoldButton } from '../../parts/hold-button.tsx';
import { type Act, actText, batchBody } from './acts.ts';
import { Outlook } from './outlook.tsx';
import { Pending } from './pending.tsx';
import { type Created, useSend } from './use-send.ts';

/** Of more than so many the count is typed, and some are tried first. */
const MANY = 20;
const CANARY = 3;
/** New firmware is tried on one; where the service has its own rule, it is not asked for another. */
const canaryOf = ({ isGrave, name, task }: Act): number =>
  !isGrave || FORCED_CANARIES[task] !== undefined ? 0 : name === 'firmware' ? 1 : CANARY;

type SheetProps = {
  readonly act: Act;
  readonly minerIds: readonly string[];
  readonly onClose: () => void;
  /** To what the act shall set; undefined = nothing was asked. */
  readonly onBack?: () => void;
};

export function ActSheet({ act, minerIds, onClose, onBack }: SheetProps) {
  const { ask } = useApp();
  const { ref, farm } = useFarm();
  const texts = useTexts();
  const { route } = useLocation();
  const dryRun = useSignal<Created | undefined>(undefined);
  const refusal = useSignal<Refusal | undefined>(undefined);
  const isPending = useSignal(false);
  const isUnclear = useSignal(false);
  const canary = useSignal(minerIds.length > MANY ? canaryOf(act) : 0);
  const typed = useSignal('');
  const { state, send } = useSend(act);
  useEffect(() => {
    const abort = new AbortController();
    const body = batchBody(act, minerIds, { dry_run: true });
    void ask<Created>({ method: 'POST', path: farmPath(ref, 'task-batches'), body, signal: abort.signal }).then(
      (outcome) => {
        if (abort.signal.aborted) return;
        if (outcome.kind === 'ok') dryRun.value = outcome.answer;
        else refusal.value = outcome;
      },
    );
    return () => abort.abort();
  }, []);
  const what = actText(act.name, texts);
  // A dry run lists no batches.
  const targets = dryRun.value?.meta.summary.created_count ?? 0;
  const go = async () => {
    // A second tap is no second act.
    if (state.value.kind === 'sending') return;
    isPending.value = false;
    const rollout = canary.value > 0 && targets > canary.value ? { rollout: { canary: canary.value } } : {};
    const sent = await send(minerIds, rollout);
    isUnclear.value = sent.kind === 'not-sent' && sent.refusal.kind === 'unreachable';
    if (sent.kind === 'not-sent') refusal.value = sent.refusal;
    if (sent.kind !== 'sent') return;
    onClose();
    // One batch for each agent.
    const [batch, ...others] = sent.created.data;
    if (batch !== undefined) route(`/f/${farm.id}/tasks${others.length === 0 ? `/${batch.id}` : ''}`);
  };
  const isMany = act.isGrave && targets > MANY;
  const reason =
    targets === 0
      ? texts.act.noneLeft
      : isMany && typed.value.trim() !== String(targets)
        ? texts.act.typeCount(targets)
        : undefined;
  const confirm = () => {
    if (act.isGrave) isPending.value = true;
    else void go();
  };
  return (
    <Dialog title={texts.act.title(what, minerIds.length)} onClose={onClose}>
      <RefusalNote refusal={refusal.value} />
      {isUnclear.value && (
        <p class="note note-bad" role="alert">
          {texts.act.unclear(what)}
        </p>
      )}
      {dryRun.value === undefined && refusal.value === undefined && <Loading />}
      {dryRun.value !== undefined && <Outlook created={dryRun.value} />}
      {isMany && <Caution {...{ act, targets, canary, typed }} />}
      {isPending.value ? (
        <Pending what={what} onSend={() => void go()} onUndo={() => (isPending.value = false)} />
      ) : (
        <div class="actions">
          {dryRun.value !== undefined && (
            <Confirm
              label={texts.act.confirm(what, targets)}
              isHeld={act.isGrave}
              reason={reason}
              onConfirm={confirm}
            />
          )}
          {onBack !== undefined && (
            <button type="button" class="act" onClick={onBack}>
              {texts.common.back}
            </button>
          )}
          <button type="button" class="act" onClick={onClose}>
            {texts.common.cancel}
          </button>
        </div>
      )}
    </Dialog>
  );
}

type ConfirmProps = {
  readonly label: string;
  /** What changes what a miner does is held. */
  readonly isHeld: boolean;
  /** Why not yet; undefined = it can be confirmed. */
  readonly reason: string | undefined;
  readonly onConfirm: () => void;
};

function Confirm({ label, isHeld, reason, onConfirm }: ConfirmProps) {
  if (isHeld) return <HoldButton {...{ label, reason, onConfirm }} question={label} />;
  const confirm = () => {
    if (reason === undefined) onConfirm();
  };
  return (
    <button type="button" class="act act-main" aria-disabled={reason !== undefined} title={reason} onClick={confirm}>
      {label}
    </button>
  );
}

type CautionProps = {
  readonly act: Act;
  readonly targets: number;
  readonly canary: Signal<number>;
  readonly typed: Signal<string>;
};

/** For many: how many go first, and the count, which is typed. */
function Caution({ act, targets, canary, typed }: CautionProps) {
  const texts = useTexts();
  const isForced = FORCED_CANARIES[act.task] !== undefined;
  return (
    <>
      {isForced ? (
        <p class="note">{texts.setAct.oneFirst}</p>
      ) : (
        <label>
          {texts.act.canary}
          <input
            type="number"
            inputMode="numeric"
            min={0}
            max={targets}
            value={canary.value}
            onInput={({ currentTarget }) => (canary.value = Math.max(0, Math.floor(Number(currentTarget.value))))}
          />
          <small>{texts.act.canaryHint}</small>
        </label>
      )}
      <label>
        {texts.act.typeCount(targets)}
        <input
          inputMode="numeric"
          autocomplete="off"
          value={typed.value}
          onInput={({ currentTarget }) => (typed.value = currentTarget.value)}
        />
      </label>
    </>
  );
}
