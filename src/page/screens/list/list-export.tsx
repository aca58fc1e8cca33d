// The miners of the list as a file or on paper: those that are chosen, else all of the filter, in the order of the
// list.
import { useSignal } from '@preact/signals';
import { farmPath } from '../../api/paths.ts';
import { saveFile } from '../../api/save-file.ts';
import { useTexts } from '../../app-state.ts';
import type { Refusal } from '../../live/ask/use-asked.ts';
import { useFarm } from '../../live/farm-state.ts';
import { RefusalNote } from '../../parts/bits.tsx';

type ExportProps = {
  readonly ids: readonly string[];
  /** Of the filter, as it stands in the address. */
  readonly query: string;
};

type State =
  | { readonly kind: 'idle' | 'busy' }
  | { readonly kind: 'saved'; readonly name: string }
  | { readonly kind: 'failed'; readonly refusal: Refusal };

export function ListExport({ ids, query }: ExportProps) {
  const { ref, farm } = useFarm();
  const texts = useTexts();
  const state = useSignal<State>({ kind: 'idle' });
  const save = async (format: 'csv' | 'xlsx') => {
    if (state.value.kind === 'busy') return;
    state.value = { kind: 'busy' };
    const time_zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
    const body = { format, miner_ids: ids, time_zone, limit: Math.max(1, ids.length) };
    const outcome = await saveFile(farmPath(ref, 'miners/export'), body);
    state.value =
      outcome.kind === 'ok' ? { kind: 'saved', name: outcome.answer } : { kind: 'failed', refusal: outcome };
  };
  const { value: now } = state;
  return (
    <details class="fold list-export">
      <summary>
        {texts.exports.title}: {texts.miners(ids.length)}
      </summary>
      <p class="actions">
        {(['csv', 'xlsx'] as const).map((format) => (
          <button
            key={format}
            type="button"
            class="act"
            disabled={now.kind === 'busy' || ids.length === 0}
            onClick={() => void save(format)}
          >
            {texts.exports[format]}
          </button>
        ))}
        <a class="act" href={`/f/${farm.id}/walk-list${query === '' ? '' : `?${query}`}`}>
          {texts.exports.walkList}
        </a>
      </p>
      <p class="note" role="status">
        {now.kind === 'busy' && texts.exports.busy}
        {now.kind === 'saved' && texts.exports.done(now.name)}
      </p>
      {now.kind === 'failed' && <RefusalNote refusal={now.refusal} />}
    </details>
  );
}
