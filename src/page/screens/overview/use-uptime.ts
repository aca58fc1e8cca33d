// Asks the service for the hours of the last day, of the farm or of its groups.
import type { z } from 'zod';
import type { metricsQuerySchema } from '../../../wire/api/metrics.ts';
import { farmPath } from '../../api/paths.ts';
import type { Answer } from '../../api/request.ts';
import { useApp } from '../../app-state.ts';
import { type Asked, useAsked } from '../../live/ask/use-asked.ts';
import { useFarm } from '../../live/farm-state.ts';
import type { Grouping } from '../../model/overview.ts';
import { type HistoryItem, HOURS } from './uptime.ts';

const HOUR_MS = 3_600_000;
const EVERY_MS = 300_000;

/** By group; without `by`, of the farm. */
export function useUptime(by: Grouping | undefined): Asked<Answer<readonly HistoryItem[]>> {
  const { nowMs } = useApp();
  const { ref, may } = useFarm();
  const hour = Math.floor(nowMs.value / HOUR_MS);
  const body = {
    from_time: new Date((hour + 1 - HOURS) * HOUR_MS).toISOString(),
    to_time: new Date((hour + 1) * HOUR_MS).toISOString(),
    granularity: 'hour',
    ...(by !== undefined && { group_by: by }),
  } satisfies z.input<typeof metricsQuerySchema>;
  return useAsked(may('metrics.read') ? farmPath(ref, 'metrics/query') : undefined, EVERY_MS, body);
}
