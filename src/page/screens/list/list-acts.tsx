// What can be done to the miners of the list: those that are chosen, else all of the filter.
import { useSignal } from '@preact/signals';
import type { BoardMiner } from '../../../model/board/board-miner.ts';
import { useTexts } from '../../app-state.ts';
import { useFarm } from '../../live/farm-state.ts';
import { ActFlow } from '../act/act-flow.tsx';
import { ACTS, type Act, actText } from '../act/acts.ts';
import { MaintenanceSheet } from '../maintenance/maintenance.tsx';

const SHOWN = (
  ['light', 'lightOff', 'refresh', 'reboot', 'sleep', 'wake', 'pools', 'firmware', 'password', 'log'] as const
).map((name) => ACTS[name]);

type ActsProps = {
  readonly ids: readonly string[];
  readonly isChosen: boolean;
  readonly onClear: () => void;
};

export function ListActs({ ids, isChosen, onClear }: ActsProps) {
  const { may, minerOf } = useFarm();
  const texts = useTexts();
  const open = useSignal<Act | undefined>(undefined);
  const inMaintenance = useSignal<readonly string[] | undefined>(undefined);
  const acts = SHOWN.filter(({ permission }) => may(permission));
  const mayEdit = may('miners.update');
  // A sheet stays open though the filter fits none any more.
  if (ids.length === 0 && inMaintenance.value === undefined) return null;
  if (acts.length === 0 && !mayEdit) return null;
  const tasks = tasksOf(ids, minerOf);
  return (
    <div class="list-acts">
      <span>
        {isChosen ? texts.list.chosen(ids.length) : texts.list.byFilter(ids.length)}{' '}
        {isChosen && (
          <button type="button" class="link" onClick={onClear}>
            {texts.list.clear}
          </button>
        )}
      </span>
      <span class="actions">
        {acts.map((act) => {
          const can = tasks.has(act.task);
          return (
            <button
              key={act.name}
              type="button"
              class="act"
              aria-disabled={!can}
              title={can ? undefined : texts.act.cannot}
              onClick={() => {
                if (can) open.value = act;
              }}
            >
              {actText(act.name, texts)}
            </button>
          );
        })}
        {mayEdit && (
          <button type="button" class="act" onClick={() => (inMaintenance.value = ids)}>
            {texts.setAct.maintenance}
          </button>
        )}
      </span>
      {inMaintenance.value !== undefined && (
        <MaintenanceSheet
          miners={inMaintenance.value.flatMap((id) => minerOf(id) ?? [])}
          onClose={() => (inMaintenance.value = undefined)}
        />
      )}
      {open.value !== undefined && <ActFlow act={open.value} minerIds={ids} onClose={() => (open.value = undefined)} />}
    </div>
  );
}

/** Those that at least one of the miners can do. */
function tasksOf(ids: readonly string[], minerOf: (id: string) => BoardMiner | undefined): ReadonlySet<string> {
  const tasks = new Set<string>();
  for (const id of ids) {
    for (const task of minerOf(id)?.abilities ?? []) tasks.add(task);
    if (SHOWN.every((act) => tasks.has(act.task))) break;
  }
  return tasks;
}
