// The lines of the worklist, found once at each update for all that shows them.
import { type ReadonlySignal, useComputed } from '@preact/signals';
import { useRef } from 'preact/hooks';
import { useApp } from '../../app-state.ts';
import { useFarm } from '../../live/farm-state.ts';
import { keepLines, type WorkLine, worklist } from '../../model/causes.ts';

export function useWorkLines(): ReadonlySignal<readonly WorkLine[]> {
  const { miners } = useFarm();
  const { nowMs } = useApp();
  const before = useRef<readonly WorkLine[]>([]);
  return useComputed(() => {
    before.current = keepLines(before.current, worklist(miners.value, nowMs.peek()));
    return before.current;
  });
}
