// The row that the keys mean: j and k move, Enter opens, x chooses.
import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { isTyping } from '../../parts/keys.tsx';

export function useCursor(ids: readonly string[], onOpen: (id: string) => void, onToggle: (id: string) => void) {
  const id = useSignal<string | undefined>(undefined);
  const current = useRef({ ids, onOpen, onToggle });
  current.current = { ids, onOpen, onToggle };
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (isTyping(event) || event.ctrlKey || event.metaKey || event.altKey) return;
      const { ids: all, onOpen: open, onToggle: toggle } = current.current;
      const at = all.indexOf(id.value ?? '');
      if (event.key === 'j') id.value = all[Math.min(all.length - 1, at + 1)];
      else if (event.key === 'k') id.value = all[Math.max(0, at - 1)];
      else if (event.key === 'Enter' && id.value !== undefined && event.target === document.body) open(id.value);
      else if (event.key === 'x' && id.value !== undefined) toggle(id.value);
    };
    addEventListener('keydown', press);
    return () => removeEventListener('keydown', press);
  }, []);
  const index = ids.indexOf(id.value ?? '');
  return { id: id.value, toIndex: index === -1 ? undefined : index };
}
