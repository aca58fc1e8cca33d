// The saved sets of pools: what stands in each, and who saved it last. Those who may set any pools add, change and
// remove them; the others give them to miners.
import { useSignal } from '@preact/signals';
import type { PoolSetItem } from '../../../wire/api/farm/pool-sets.ts';
import { farmPath } from '../../api/paths.ts';
import { useTexts } from '../../app-state.ts';
import { useCommand } from '../../live/ask/use-command.ts';
import { useFarm } from '../../live/farm-state.ts';
import { Age, Loading, ReadAge, RefusalNote } from '../../parts/bits.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { guardedInFarm } from '../entry/guarded.tsx';
import { PoolList } from './pool-list.tsx';
import { PoolSetForm } from './pool-set-form.tsx';
import { poolSetPath, usePoolSets } from './use-pool-sets.ts';

export const Pools = guardedInFarm('tasks.pools_saved', PoolsScreen);

function PoolsScreen() {
  const { may } = useFarm();
  const texts = useTexts();
  const { answer, atMs, refusal, again } = usePoolSets();
  const edited = useSignal<PoolSetItem | 'new' | undefined>(undefined);
  const doomed = useSignal<string | undefined>(undefined);
  const mayChange = may('tasks.pools');
  const sets = answer?.data ?? [];
  return (
    <section>
      <h1>{texts.pools.title}</h1>
      <p class="note">{texts.pools.intro}</p>
      <RefusalNote refusal={refusal} />
      {mayChange && (
        <div class="actions">
          <button type="button" class="act act-main" onClick={() => (edited.value = 'new')}>
            {texts.pools.add}
          </button>
        </div>
      )}
      {answer === undefined && refusal === undefined && <Loading />}
      {answer !== undefined && sets.length === 0 && <p class="note">{texts.pools.none}</p>}
      <ul class="pool-sets">
        {sets.map((set) => (
          <li key={set.name}>
            <h2>{set.name}</h2>
            <PoolList pools={set.pools} />
            <p class="note">
              {texts.pools.savedBy(set.updated_by.name)} · <Age atMs={Date.parse(set.updated_at)} />
            </p>
            {mayChange && (
              <div class="actions">
                <button type="button" class="act" onClick={() => (edited.value = set)}>
                  {texts.pools.change}
                </button>
                <button type="button" class="act" onClick={() => (doomed.value = set.name)}>
                  {texts.pools.remove}
                </button>
              </div>
            )}
          </li>
        ))}
      </ul>
      <ReadAge atMs={atMs} />
      {edited.value !== undefined && (
        <PoolSetForm
          set={edited.value === 'new' ? undefined : edited.value}
          taken={sets.map(({ name }) => name)}
          onClose={() => (edited.value = undefined)}
          onDone={again}
        />
      )}
      {doomed.value !== undefined && (
        <Removal name={doomed.value} onClose={() => (doomed.value = undefined)} onDone={again} />
      )}
    </section>
  );
}

type RemovalProps = { readonly name: string; readonly onClose: () => void; readonly onDone: () => void };

function Removal({ name, onClose, onDone }: RemovalProps) {
  const { ref } = useFarm();
  const texts = useTexts();
  const { run, isBusy, refusal } = useCommand();
  const remove = async () => {
    if ((await run({ method: 'DELETE', path: farmPath(ref, poolSetPath(name)) })) === undefined) return;
    onClose();
    onDone();
  };
  return (
    <Dialog title={texts.pools.removeAsk(name)} onClose={onClose}>
      <p>{texts.pools.removeHint}</p>
      <RefusalNote refusal={refusal} />
      <div class="actions">
        <button type="button" class="act act-main" disabled={isBusy} onClick={() => void remove()}>
          {texts.pools.remove}
        </button>
        <button type="button" class="act" onClick={onClose}>
          {texts.common.cancel}
        </button>
      </div>
    </Dialog>
  );
}
