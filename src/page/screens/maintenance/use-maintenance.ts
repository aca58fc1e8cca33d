// Puts miners into maintenance and takes them out of it, one request each and a few at a time. What the service has
// said yes to can be undone.
import { useSignal } from '@preact/signals';
import { farmPath } from '../../api/paths.ts';
import type { Answer } from '../../api/request.ts';
import { useApp } from '../../app-state.ts';
import type { Refusal } from '../../live/ask/use-asked.ts';
import { useFarm } from '../../live/farm-state.ts';

/** Null = no ops status: the miner is in use. */
export type Status = 'maintenance' | null;

export type Progress =
  | { readonly kind: 'idle' }
  | { readonly kind: 'busy'; readonly done: number; readonly all: number }
  | {
      readonly kind: 'over';
      readonly to: Status;
      /** The service has said yes to these. */
      readonly changed: readonly string[];
      readonly failed: number;
      /** Of the last one that failed, or whose note did. */
      readonly refusal: Refusal | undefined;
    };

const AT_ONCE = 4;

export function useMaintenance(onDone: (() => void) | undefined) {
  const { ask } = useApp();
  const { ref } = useFarm();
  const progress = useSignal<Progress>({ kind: 'idle' });
  const one = async (id: string, to: Status, note: string | undefined) => {
    const path = farmPath(ref, `miners/${encodeURIComponent(id)}`);
    const set = await ask<Answer<unknown>>({ method: 'PATCH', path, body: { ops_status: to } });
    if (set.kind !== 'ok') return { isSet: false, refusal: set };
    if (note === undefined) return { isSet: true, refusal: undefined };
    const noted = await ask<Answer<unknown>>({ method: 'POST', path: `${path}/notes`, body: { text: note } });
    return { isSet: true, refusal: noted.kind === 'ok' ? undefined : noted };
  };
  const run = async (ids: readonly string[], to: Status, note?: string): Promise<void> => {
    if (progress.value.kind === 'busy') return;
    const changed: string[] = [];
    const waiting = [...ids];
    let refusal: Refusal | undefined;
    let failed = 0;
    progress.value = { kind: 'busy', done: 0, all: ids.length };
    const work = async () => {
      for (let id = waiting.shift(); id !== undefined; id = waiting.shift()) {
        const outcome = await one(id, to, note);
        if (outcome.isSet) changed.push(id);
        else failed += 1;
        refusal = outcome.refusal ?? refusal;
        progress.value = { kind: 'busy', done: changed.length + failed, all: ids.length };
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, work));
    progress.value = { kind: 'over', to, changed, failed, refusal };
    onDone?.();
  };
  return { progress, run };
}
