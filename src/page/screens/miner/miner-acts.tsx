// What can be done to one miner from its screen. Light and refresh go at once; a reboot is held, waits five seconds,
// and is followed until it is proven.
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { BoardMiner } from '../../../model/board/board-miner.ts';
import { useTexts } from '../../app-state.ts';
import { useFarm } from '../../live/farm-state.ts';
import { RefusalNote } from '../../parts/bits.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { HoldButton } from '../../parts/hold-button.tsx';
import { isTyping } from '../../parts/keys.tsx';
import { ActFlow } from '../act/act-flow.tsx';
import { ACT_NAMES, ACTS, type Act, type ActName, actText } from '../act/acts.ts';
import { Pending } from '../act/pending.tsx';
import { useSend } from '../act/use-send.ts';
import { MaintenanceSheet } from '../maintenance/maintenance.tsx';
import { TaskProof } from './task-proof.tsx';

const KEYS: Readonly<Record<string, ActName>> = { l: 'light', r: 'refresh', R: 'reboot' };

export function MinerActs({ row, onDone }: { row: BoardMiner; onDone: () => void }) {
  const { may } = useFarm();
  const texts = useTexts();
  const pending = useSignal<Act | undefined>(undefined);
  const asked = useSignal<Act | undefined>(undefined);
  /** What it shall set is asked in a sheet. */
  const inSheet = useSignal<Act | undefined>(undefined);
  const isMaintenanceOpen = useSignal(false);
  const sent = useSignal<{ readonly act: Act; readonly number: number } | undefined>(undefined);
  const send = (act: Act) => {
    pending.value = undefined;
    sent.value = { act, number: (sent.peek()?.number ?? 0) + 1 };
  };
  const acts = ACT_NAMES.map((name) => ACTS[name]).filter(({ permission }) => may(permission));
  const can = (act: Act) => row.abilities.includes(act.task);
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (isTyping(event) || event.ctrlKey || event.metaKey || event.altKey) return;
      const act = acts.find(({ name }) => name === KEYS[event.key]);
      if (act === undefined || !can(act)) return;
      asked.value = act;
    };
    addEventListener('keydown', press);
    return () => removeEventListener('keydown', press);
  });
  return (
    <section class="miner-acts" aria-label={texts.common.menu}>
      <div class="actions">
        {acts.map((act) => {
          const label = actText(act.name, texts);
          const reason = can(act) ? undefined : texts.act.cannot;
          return act.isGrave && act.asks === undefined ? (
            <HoldButton
              key={act.name}
              label={label}
              question={texts.act.confirm(label, 1)}
              reason={reason}
              onConfirm={() => (pending.value = act)}
            />
          ) : (
            <button
              key={act.name}
              type="button"
              class="act"
              aria-disabled={reason !== undefined}
              title={reason}
              onClick={() => {
                if (reason !== undefined) return;
                if (act.asks === undefined) send(act);
                else inSheet.value = act;
              }}
            >
              {label}
            </button>
          );
        })}
        {may('miners.update') && (
          <button type="button" class="act" onClick={() => (isMaintenanceOpen.value = true)}>
            {texts.setAct.maintenance}
          </button>
        )}
      </div>
      {isMaintenanceOpen.value && (
        <MaintenanceSheet miners={[row]} onDone={onDone} onClose={() => (isMaintenanceOpen.value = false)} />
      )}
      {asked.value !== undefined && (
        <Dialog
          title={texts.act.confirm(actText(asked.value.name, texts), 1)}
          onClose={() => (asked.value = undefined)}
        >
          <div class="actions">
            <button
              type="button"
              class="act act-main"
              onClick={() => {
                const act = asked.value;
                asked.value = undefined;
                if (act?.isGrave) pending.value = act;
                else if (act !== undefined) send(act);
              }}
            >
              {actText(asked.value.name, texts)}
            </button>
            <button type="button" class="act" onClick={() => (asked.value = undefined)}>
              {texts.common.cancel}
            </button>
          </div>
        </Dialog>
      )}
      {inSheet.value !== undefined && (
        <ActFlow act={inSheet.value} minerIds={[row.id]} onClose={() => (inSheet.value = undefined)} />
      )}
      {pending.value !== undefined && (
        <Pending
          what={actText(pending.value.name, texts)}
          onSend={() => {
            if (pending.value !== undefined) send(pending.value);
          }}
          onUndo={() => (pending.value = undefined)}
        />
      )}
      {sent.value !== undefined && (
        <SentAct key={sent.value.number} act={sent.value.act} minerId={row.id} onDone={onDone} />
      )}
    </section>
  );
}

type SentProps = { readonly act: Act; readonly minerId: string; readonly onDone: () => void };

/** Sends it once, and shows what becomes of it. */
function SentAct({ act, minerId, onDone }: SentProps) {
  const texts = useTexts();
  const { state, send } = useSend(act);
  useEffect(() => {
    void send([minerId]);
  }, []);
  const what = actText(act.name, texts);
  const outcome = state.value;
  if (outcome.kind === 'not-sent')
    return outcome.refusal.kind === 'unreachable' ? (
      <p class="note note-bad" role="alert">
        {texts.act.unclear(what)}
      </p>
    ) : (
      <RefusalNote refusal={outcome.refusal} />
    );
  if (outcome.kind !== 'sent') return null;
  const [batch] = outcome.created.data;
  const [skipped] = outcome.created.meta.skipped;
  if (batch === undefined)
    return (
      <p class="note note-bad" role="alert">
        {what}: {skipped?.message}
      </p>
    );
  return <TaskProof what={what} batchId={batch.id} onDone={onDone} />;
}
