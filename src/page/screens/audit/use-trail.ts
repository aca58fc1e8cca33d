// The audit trail of the workspace, newest first: the newest page is asked again and again, older ones on request.
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { AuditPage } from '../../../wire/api/audit.ts';
import { workspacePath } from '../../api/paths.ts';
import { useApp } from '../../app-state.ts';
import { repeat } from '../../live/ask/repeat.ts';
import type { Refusal } from '../../live/ask/use-asked.ts';
import { useFarm } from '../../live/farm-state.ts';
import { nowMs } from '../../time.ts';
import { type Trail, withNewest, withOlder } from './trail.ts';

const EVERY_MS = 15_000;
const PAGE_SIZE = 50;

export function useTrail() {
  const { ask } = useApp();
  const { ref } = useFarm();
  const trail = useSignal<Trail | undefined>(undefined);
  const atMs = useSignal<number | undefined>(undefined);
  const refusal = useSignal<Refusal | undefined>(undefined);
  const isAsking = useSignal(false);
  const path = workspacePath(ref.workspaceId, `audit?order=newest&page_size=${PAGE_SIZE}`);
  useEffect(() => {
    trail.value = undefined;
    return repeat(EVERY_MS, async (signal) => {
      const outcome = await ask<AuditPage>({ path, signal });
      if (signal.aborted) return;
      refusal.value = outcome.kind === 'ok' ? undefined : outcome;
      if (outcome.kind !== 'ok') return;
      trail.value = withNewest(trail.value, outcome.answer);
      atMs.value = nowMs();
    });
  }, [path]);
  const askOlder = async () => {
    const after = trail.value?.older ?? undefined;
    if (after === undefined || isAsking.value) return;
    isAsking.value = true;
    const outcome = await ask<AuditPage>({ path: `${path}&after=${after}` });
    isAsking.value = false;
    refusal.value = outcome.kind === 'ok' ? undefined : outcome;
    if (outcome.kind === 'ok' && trail.value !== undefined) trail.value = withOlder(trail.value, after, outcome.answer);
  };
  return { trail: trail.value, atMs: atMs.value, refusal: refusal.value, isAsking: isAsking.value, askOlder };
}
