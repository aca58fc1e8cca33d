// The IP-report buttons of the farm while a walk is on the screen: asks for such events once a second. An EventSource
// would hold one of the few connections of a browser. What was pressed before, or while the page was hidden, does not
// count: a person may have stood elsewhere.
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { z } from 'zod';
import type { eventSchema } from '../../../wire/api/tenants.ts';
import { farmPath } from '../../api/paths.ts';
import type { Answer } from '../../api/request.ts';
import { useApp } from '../../app-state.ts';
import { repeat } from '../../live/ask/repeat.ts';
import type { Refusal } from '../../live/ask/use-asked.ts';
import { useFarm } from '../../live/farm-state.ts';

type MinerEvent = z.infer<typeof eventSchema>;

const EVERY_MS = 1_000;
/** Of a farm that has no event yet each one is new. */
const BEGIN = '1970-01-01T00:00:00Z';

export type Hearing =
  | { readonly kind: 'starting' | 'heard' }
  /** Buttons are not heard for now. */
  | { readonly kind: 'deaf'; readonly refusal: Refusal };

/** Calls `onPressed` with the id of each miner, in the order in which they were pressed. */
export function useButtons(onPressed: (minerId: string) => void): Hearing {
  const { ask } = useApp();
  const { ref } = useFarm();
  const hearing = useSignal<Hearing>({ kind: 'starting' });
  useEffect(() => {
    /** The newest event that is known; '' = the farm has none. */
    let after: string | undefined;
    const forget = () => {
      if (document.visibilityState !== 'hidden') return;
      after = undefined;
      hearing.value = { kind: 'starting' };
    };
    const end = repeat(EVERY_MS, async (signal) => {
      const from = after;
      const query = from === undefined ? 'page_size=1' : `type=ip_reported&page_size=100&${feedFrom(from)}`;
      const outcome = await ask<Answer<MinerEvent[]>>({ path: farmPath(ref, `events?${query}`), signal });
      // It was hidden meanwhile: the answer is of before.
      if (signal.aborted || document.visibilityState === 'hidden' || from !== after) return;
      hearing.value = outcome.kind === 'ok' ? { kind: 'heard' } : { kind: 'deaf', refusal: outcome };
      if (outcome.kind !== 'ok') return;
      const { data } = outcome.answer;
      if (from === undefined) {
        after = data[0]?.id ?? '';
        return;
      }
      after = data.at(-1)?.id ?? from;
      for (const { miner_id: minerId } of data) if (minerId !== null) onPressed(minerId);
    });
    document.addEventListener('visibilitychange', forget);
    return () => {
      document.removeEventListener('visibilitychange', forget);
      end();
    };
  }, []);
  return hearing.value;
}

const feedFrom = (after: string): string => (after === '' ? `since=${BEGIN}` : `after=${encodeURIComponent(after)}`);
