// A miner named by what a person reads off it: the last digits are enough, and a tap places it.
import { useSignal } from '@preact/signals';
import { useTexts } from '../../app-state.ts';
import { useFarm } from '../../live/farm-state.ts';
import { labelOf, modelOf } from '../../model/label.ts';
import { findMiners } from '../../model/list/find.ts';
import { NoneFound } from '../../parts/field/none-found.tsx';
import { Sticker } from '../../parts/field/sticker.tsx';

const MOST = 5;

/** `onNamed` gets the id of the miner. */
export function ByHand({ onNamed }: { onNamed: (minerId: string) => void }) {
  const { miners } = useFarm();
  const texts = useTexts();
  const written = useSignal('');
  const found = findMiners(written.value, miners.value);
  const name = (id: string) => {
    written.value = '';
    onNamed(id);
  };
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    const [only] = found;
    if (only !== undefined && found.length === 1) name(only.id);
  };
  return (
    <form onSubmit={submit}>
      <label>
        {texts.walk.byHand}
        <input
          autocapitalize="none"
          autocomplete="off"
          spellcheck={false}
          enterkeyhint="done"
          maxLength={128}
          value={written.value}
          onInput={({ currentTarget: { value } }) => (written.value = value)}
        />
      </label>
      <Sticker onRead={(text) => (written.value = text)} />
      {written.value.trim() !== '' && found.length === 0 && <NoneFound />}
      <div class="actions">
        {found.slice(0, MOST).map((miner) => (
          <button key={miner.id} type="button" class="act" onClick={() => name(miner.id)}>
            {[miner.ip, ...(labelOf(miner) === miner.ip ? [] : [labelOf(miner)]), modelOf(miner) ?? ''].join(' ')}
          </button>
        ))}
      </div>
      {found.length > MOST && <p class="note">{texts.find.more(found.length - MOST)}</p>}
    </form>
  );
}
