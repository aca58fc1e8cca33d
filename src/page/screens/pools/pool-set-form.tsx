// A new saved set of pools, or a change of one: the whole set is saved anew, with its passwords.
import { useSignal } from '@preact/signals';
import type { PoolSetItem } from '../../../wire/api/farm/pool-sets.ts';
import { farmPath } from '../../api/paths.ts';
import { useTexts } from '../../app-state.ts';
import { useCommand } from '../../live/ask/use-command.ts';
import { useFarm } from '../../live/farm-state.ts';
import { RefusalNote } from '../../parts/bits.tsx';
import { Dialog, FormButtons } from '../../parts/dialog.tsx';
import { PoolFields } from './pool-fields.tsx';
import { EMPTY_ROW, poolsOf, rowsOf } from './pool-rows.ts';
import { poolSetPath } from './use-pool-sets.ts';

type FormProps = {
  /** Undefined = a new one. */
  readonly set: PoolSetItem | undefined;
  readonly taken: readonly string[];
  readonly onClose: () => void;
  readonly onDone: () => void;
};

export function PoolSetForm({ set, taken, onClose, onDone }: FormProps) {
  const { ref } = useFarm();
  const texts = useTexts();
  const { run, isBusy, refusal } = useCommand();
  const name = useSignal(set?.name ?? '');
  const rows = useSignal(set === undefined ? [EMPTY_ROW] : rowsOf(set.pools));
  // A new set must not take the place of one unseen.
  const isTaken = set === undefined && taken.includes(name.value.trim());
  const save = async (event: SubmitEvent) => {
    event.preventDefault();
    if (isTaken) return;
    const path = farmPath(ref, poolSetPath(name.value.trim()));
    const body = { pools: poolsOf(rows.value) };
    if ((await run<PoolSetItem>({ method: 'PUT', path, body })) === undefined) return;
    onDone();
    onClose();
  };
  return (
    <Dialog title={set === undefined ? texts.pools.add : texts.pools.changeSet(set.name)} onClose={onClose}>
      <form onSubmit={save}>
        {set === undefined ? (
          <label>
            {texts.pools.name}
            <input
              required
              maxLength={64}
              autocomplete="off"
              spellcheck={false}
              value={name.value}
              onInput={({ currentTarget: { value } }) => (name.value = value)}
            />
          </label>
        ) : (
          <p class="note">{texts.pools.typeAgain}</p>
        )}
        {isTaken && (
          <p class="note note-bad" role="alert">
            {texts.pools.taken(name.value.trim())}
          </p>
        )}
        <PoolFields rows={rows.value} onChange={(changed) => (rows.value = changed)} />
        <RefusalNote refusal={refusal} />
        <FormButtons label={texts.common.save} isDisabled={isBusy || isTaken} onClose={onClose} />
      </form>
    </Dialog>
  );
}
