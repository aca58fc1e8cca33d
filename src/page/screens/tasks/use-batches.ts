// The newest task batches of the farm, asked again while the screen is there.
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { z } from 'zod';
import type { BatchStatus } from '../../../model/task.ts';
import type { batchV2Schema } from '../../../wire/api/tasks.ts';
import { farmPath } from '../../api/paths.ts';
import type { Answer } from '../../api/request.ts';
import { type Asked, useAsked } from '../../live/ask/use-asked.ts';
import { useFarm } from '../../live/farm-state.ts';

export type Batch = z.infer<typeof batchV2Schema>;
const OPEN: readonly BatchStatus[] = ['pending', 'running'];
const EVERY_MS = 3_000;
/** While none of them goes on: one that begins meanwhile is seen as late as this. */
const QUIET_EVERY_MS = 10_000;

export function useBatches(statuses: readonly BatchStatus[], most: number): Asked<Answer<readonly Batch[]>> {
  const { ref } = useFarm();
  const goesOn = useSignal(true);
  const body = { page_size: most, ...(statuses.length > 0 && { status: { in: statuses } }) };
  const everyMs = goesOn.value ? EVERY_MS : QUIET_EVERY_MS;
  const asked = useAsked<Answer<readonly Batch[]>>(farmPath(ref, 'task-batches/search'), everyMs, body);
  const { answer } = asked;
  useEffect(() => {
    if (answer !== undefined) goesOn.value = answer.data.some(({ status }) => OPEN.includes(status));
  }, [answer]);
  return asked;
}
