// Which pools miners shall get: a saved set, or, for those who may set any, pools that are written here.
import type { Signal } from '@preact/signals';
import { useTexts } from '../../app-state.ts';
import { useFarm } from '../../live/farm-state.ts';
import { Loading, RefusalNote } from '../../parts/bits.tsx';
import { Dialog, FormButtons } from '../../parts/dialog.tsx';
import { PoolFields } from '../pools/pool-fields.tsx';
import { PoolList } from '../pools/pool-list.tsx';
import { type PoolRow, poolsOf } from '../pools/pool-rows.ts';
import { usePoolSets } from '../pools/use-pool-sets.ts';
import { actText } from './acts.ts';
import type { FormProps } from './form-props.ts';

/** `set` undefined = none is chosen yet; empty = the rows. */
export type PoolsDraft = { readonly set: string | undefined; readonly rows: readonly PoolRow[] };
const TYPED = '';

type PoolsFormProps = FormProps & { readonly draft: Signal<PoolsDraft> };

export function PoolsForm({ count, draft, onReady, onClose }: PoolsFormProps) {
  const { may } = useFarm();
  const texts = useTexts();
  const { answer, refusal } = usePoolSets();
  const sets = answer?.data ?? [];
  const mayType = may('tasks.pools');
  const { set: written, rows } = draft.value;
  const chosen = written ?? sets[0]?.name ?? (mayType ? TYPED : undefined);
  const found = sets.find(({ name }) => name === chosen);
  const isReady = chosen === TYPED || (found !== undefined && found.pools !== null);
  const next = (event: SubmitEvent) => {
    event.preventDefault();
    if (!isReady) return;
    onReady(chosen === TYPED ? { pools: poolsOf(rows) } : { pool_set: chosen });
  };
  return (
    <Dialog title={texts.act.title(actText('pools', texts), count)} onClose={onClose}>
      <RefusalNote refusal={refusal} />
      {answer === undefined && refusal === undefined && <Loading />}
      {answer !== undefined && (
        <form onSubmit={next}>
          {chosen === undefined ? (
            <p class="note">{texts.setAct.noSets}</p>
          ) : (
            <label>
              {texts.setAct.poolSet}
              <select
                value={chosen}
                onChange={({ currentTarget: { value } }) => (draft.value = { ...draft.value, set: value })}
              >
                {sets.map(({ name }) => (
                  <option key={name} value={name}>
                    {name}
                  </option>
                ))}
                {mayType && <option value={TYPED}>{texts.setAct.typePools}</option>}
              </select>
            </label>
          )}
          {found !== undefined && <PoolList pools={found.pools} />}
          {chosen === TYPED && (
            <PoolFields rows={rows} onChange={(changed) => (draft.value = { set: TYPED, rows: changed })} />
          )}
          <FormButtons label={texts.setAct.next} isDisabled={!isReady} onClose={onClose} />
        </form>
      )}
    </Dialog>
  );
}
