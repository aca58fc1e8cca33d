// The newest task batches of the farm, asked again while the screen is there.
import type { z } from 'zod';
import type { BatchStatus } from '../../../model/task.ts';
import type { batchV2Schema } from '../../../wire/api/tasks.ts';
import { farmPath } from '../../api/paths.ts';
import type { Answer } from '../../api/request.ts';
import { type Asked, useAsked } from '../../live/ask/use-asked.ts';
import { useFarm } from '../../live/farm-state.ts';

export type Batch = z.infer<typeof batchV2Schema>;
const EVERY_MS = 3_000;

export function useBatches(statuses: readonly BatchStatus[], most: number): Asked<Answer<readonly Batch[]>> {
  const { ref } = useFarm();
  const body = { page_size: most, ...(statuses.length > 0 && { status: { in: statuses } }) };
  return useAsked(farmPath(ref, 'task-batches/search'), EVERY_MS, body);
}
