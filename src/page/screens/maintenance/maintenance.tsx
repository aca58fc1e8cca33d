// Maintenance of one miner or of many: it begins with a reason and, where that is known, an end, which stand as a note
// of each miner; it ends when a person says so. Both can be undone.
import type { BoardMiner } from '../../../model/board/board-miner.ts';
import { useApp, useTexts } from '../../app-state.ts';
import { RefusalNote } from '../../parts/bits.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { type Progress, type Status, useMaintenance } from './use-maintenance.ts';

type SheetProps = {
  readonly miners: readonly BoardMiner[];
  readonly onDone?: () => void;
  readonly onClose: () => void;
};

export function MaintenanceSheet({ miners, onDone, onClose }: SheetProps) {
  const texts = useTexts();
  const { progress, run } = useMaintenance(onDone);
  // Another ops status is that of people too: it stays.
  const idsOf = (status: Status) => miners.filter(({ opsStatus }) => opsStatus === status).map(({ id }) => id);
  const [free, inMaintenance] = [idsOf(null), idsOf('maintenance')];
  const others = miners.length - free.length - inMaintenance.length;
  return (
    <Dialog title={texts.act.title(texts.setAct.maintenance, miners.length)} onClose={onClose}>
      {progress.value.kind === 'idle' ? (
        <>
          {others > 0 && <p class="note">{texts.setAct.otherStatus(others)}</p>}
          {inMaintenance.length > 0 && (
            <div class="actions">
              <button type="button" class="act act-main" onClick={() => void run(inMaintenance, null)}>
                {texts.setAct.endMaintenance(inMaintenance.length)}
              </button>
            </div>
          )}
          {free.length > 0 && <BeginForm count={free.length} onBegin={(note) => void run(free, 'maintenance', note)} />}
        </>
      ) : (
        <Outcome
          progress={progress.value}
          onUndo={(changed, to) => void run(changed, to === null ? 'maintenance' : null)}
        />
      )}
      <div class="actions">
        <button type="button" class="act" onClick={onClose}>
          {texts.common.close}
        </button>
      </div>
    </Dialog>
  );
}

type OutcomeProps = {
  readonly progress: Progress;
  readonly onUndo: (changed: readonly string[], to: Status) => void;
};

function Outcome({ progress, onUndo }: OutcomeProps) {
  const texts = useTexts();
  if (progress.kind === 'idle') return null;
  if (progress.kind === 'busy')
    return <p role="status">{texts.setAct.setting(String(progress.done), String(progress.all))}</p>;
  const { to, changed, failed, refusal } = progress;
  return (
    <>
      {changed.length > 0 && (
        <div class="maintenance">
          <p role="status">
            {to === null ? texts.setAct.outOfMaintenance(changed.length) : texts.setAct.intoMaintenance(changed.length)}
          </p>
          <button type="button" class="act" onClick={() => onUndo(changed, to)}>
            {texts.common.undo}
          </button>
        </div>
      )}
      {failed > 0 && <p class="note note-bad">{texts.setAct.notSet(failed)}</p>}
      <RefusalNote refusal={refusal} />
    </>
  );
}

type FormProps = { readonly count: number; readonly onBegin: (note: string) => void };

function BeginForm({ count, onBegin }: FormProps) {
  const { format } = useApp();
  const texts = useTexts();
  const begin = (event: SubmitEvent) => {
    event.preventDefault();
    if (!(event.currentTarget instanceof HTMLFormElement)) return;
    const form = new FormData(event.currentTarget);
    const reason = String(form.get('reason') ?? '').trim();
    const endMs = Date.parse(String(form.get('end') ?? ''));
    if (reason === '') return;
    // With its day: it is read on other days too.
    const end = format.value.moment(endMs, 0);
    onBegin(Number.isNaN(endMs) ? texts.setAct.note(reason) : texts.setAct.noteUntil(reason, end));
  };
  return (
    <form onSubmit={begin}>
      <p class="note">{texts.setAct.maintenanceHint}</p>
      <label>
        {texts.setAct.reason}
        <input name="reason" required maxLength={500} autocomplete="off" />
      </label>
      <label>
        {texts.setAct.until}
        <input name="end" type="datetime-local" />
      </label>
      <div class="actions">
        <button type="submit" class="act act-main">
          {texts.setAct.begin(count)}
        </button>
      </div>
    </form>
  );
}
