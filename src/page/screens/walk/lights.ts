// The lights of miners on a walk: on is not waited for; off is tried again while the miner is still busy with on.
import { farmPath } from '../../api/paths.ts';
import { useApp, useTexts } from '../../app-state.ts';
import { useFarm } from '../../live/farm-state.ts';
import { refusalText } from '../../parts/bits.tsx';
import { pause } from '../../time.ts';
import { ACTS, type Act, batchBody } from '../act/acts.ts';
import type { Created } from '../act/use-send.ts';

/** A walk goes on sooner: a light that comes later is of no use. */
const EXPIRES_S = 60;
const TRIES = 10;
const RETRY_MS = 2_000;

export function useLights() {
  const { ask, format } = useApp();
  const { ref } = useFarm();
  const texts = useTexts();
  /** Why it is not switched; null = it is. */
  const send = async (act: Act, minerId: string): Promise<string | null> => {
    const body = batchBody(act, [minerId], { expires_in_s: EXPIRES_S });
    const outcome = await ask<Created>({ method: 'POST', path: farmPath(ref, 'task-batches'), body });
    if (outcome.kind !== 'ok') return refusalText(outcome, texts, format.value.duration);
    const { summary, skipped } = outcome.answer.meta;
    return summary.created_count > 0 ? null : (skipped[0]?.message ?? texts.act.cannot);
  };
  const putOut = async (minerId: string) => {
    for (let tries = 0; tries < TRIES; tries += 1) {
      if ((await send(ACTS.lightOff, minerId)) === null) return;
      await pause(RETRY_MS);
    }
  };
  return {
    on: (minerId: string): Promise<string | null> => send(ACTS.light, minerId),
    off: (minerId: string): void => void putOut(minerId),
  };
}
