// Keys of every screen: g and a letter goes, / finds, ? shows this list. No key does anything to a miner without a
// question.
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { useLocation } from 'preact-iso/router';
import { useTexts } from '../app-state.ts';
import { Dialog } from './dialog.tsx';

/** A person writes something, and means no key of ours. */
export const isTyping = ({ target }: KeyboardEvent): boolean =>
  target instanceof HTMLInputElement || target instanceof HTMLSelectElement || target instanceof HTMLTextAreaElement;

const PLACES: Readonly<Record<string, string>> = { n: 'now', m: 'miners', t: 'tasks', s: 'scan', f: 'find' };
/** After `g` the next key counts for so long. */
const SECOND_MS = 1_500;

export function Keys({ base }: { base: string }) {
  const texts = useTexts();
  const { route } = useLocation();
  const isShown = useSignal(false);
  useEffect(() => {
    let goMs = 0;
    const press = (event: KeyboardEvent) => {
      if (isTyping(event) || event.ctrlKey || event.metaKey || event.altKey) return;
      const place = PLACES[event.key];
      if (event.timeStamp - goMs < SECOND_MS && place !== undefined) route(`${base}/${place}`);
      goMs = event.key === 'g' ? event.timeStamp : 0;
      if (event.key === '?') isShown.value = true;
      if (event.key !== '/') return;
      event.preventDefault();
      const box = document.querySelector('[data-key="/"]');
      if (box instanceof HTMLElement) box.focus();
      else route(`${base}/find`);
    };
    addEventListener('keydown', press);
    return () => removeEventListener('keydown', press);
  }, [base]);
  if (!isShown.value) return null;
  return (
    <Dialog title={texts.keys.title} onClose={() => (isShown.value = false)}>
      <KeyList list={texts.keys.list} />
    </Dialog>
  );
}

/** Each text is a key and what it does, as `g n = now`. */
export function KeyList({ list }: { list: readonly string[] }) {
  return (
    <dl class="facts">
      {list.map((text) => {
        const [key = '', ...words] = text.split(' = ');
        return (
          <div key={key} class="fact">
            <dt>
              <kbd>{key}</kbd>
            </dt>
            <dd>{words.join(' = ')}</dd>
          </div>
        );
      })}
    </dl>
  );
}
