// One box for what a person reads off a label: three taps to a miner.
import { useComputed, useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { useTexts } from '../../app-state.ts';
import { useFarm } from '../../live/farm-state.ts';
import { useNames } from '../../live/use-names.ts';
import { findMiners } from '../../model/list/find.ts';
import { NoneFound } from '../../parts/field/none-found.tsx';
import { Sticker } from '../../parts/field/sticker.tsx';
import { MinerCard } from '../../parts/miner-card.tsx';

const MOST = 20;

export function Find() {
  const { miners, farm } = useFarm();
  const names = useNames();
  const texts = useTexts();
  const written = useSignal('');
  const input = useRef<HTMLInputElement>(null);
  const found = useComputed(() => findMiners(written.value, miners.value, names));
  useEffect(() => input.current?.focus(), []);
  const list = found.value;
  return (
    <section class="find">
      <h1>{texts.find.title}</h1>
      <label>
        {texts.find.label}
        <input
          ref={input}
          type="search"
          autocapitalize="none"
          autocomplete="off"
          spellcheck={false}
          enterkeyhint="search"
          maxLength={128}
          placeholder={texts.find.hint}
          value={written.value}
          onInput={({ currentTarget: { value } }) => (written.value = value)}
        />
      </label>
      <Sticker onRead={(text) => (written.value = text)} />
      <div role="status">{written.value.trim() !== '' && list.length === 0 && <NoneFound />}</div>
      <ul class="cards">
        {list.slice(0, MOST).map((miner) => (
          <li key={miner.id}>
            <MinerCard miner={miner} base={`/f/${farm.id}`} />
          </li>
        ))}
      </ul>
      {list.length > MOST && <p class="note">{texts.find.more(list.length - MOST)}</p>}
    </section>
  );
}
