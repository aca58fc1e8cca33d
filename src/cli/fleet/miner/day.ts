// The last day of one miner, an hour a character: hashrate and temperature. The service keeps it; where that runs
// elsewhere there is none.
import type { z } from 'zod';
import { answerOf } from '../../../wire/api/envelope.ts';
import { minerMetricsBucketSchema } from '../../../wire/api/metrics.ts';
import type { ServiceClient } from '../../connection/service-client.ts';
import { formatHashrate, formatNumber } from '../../output/format.ts';
import { sparkline } from '../../output/sparkline.ts';

export type Hour = z.infer<typeof minerMetricsBucketSchema>;

const HOURS = 24;
const HOUR_MS = 3_600_000;
const hoursSchema = answerOf(minerMetricsBucketSchema.loose().array());

/** 24 hours, the present one last. */
export async function askDay(service: ServiceClient, minerId: string, nowMs: number): Promise<readonly Hour[]> {
  const body = {
    from_time: new Date(nowMs - (HOURS - 1) * HOUR_MS).toISOString(),
    to_time: new Date(nowMs).toISOString(),
    granularity: 'hour',
  };
  const path = `/miners/${minerId}/metrics/query`;
  return (await service.ask(hoursSchema, { method: 'POST', path, body })).data.slice(-HOURS);
}

/** Nothing where the service knows nothing of that day. */
export function dayFacts(hours: readonly Hour[]): [about: string, text: string][] {
  const row = (
    about: string,
    values: readonly (number | null)[],
    isFromZero: boolean,
    words: (value: number) => string,
  ): [string, string][] => {
    const known = values.filter((value) => value !== null);
    if (known.length === 0) return [];
    const range = `${words(Math.min(...known))} to ${words(Math.max(...known))}`;
    return [[about, `${sparkline(values, { isFromZero })}  ${range}`]];
  };
  return [
    ...row(
      'hashrate, 24 h',
      hours.map(({ hashrate_avg }) => hashrate_avg),
      true,
      formatHashrate,
    ),
    ...row(
      'temperature, 24 h',
      hours.map(({ temperature_max }) => temperature_max),
      false,
      (tempC) => formatNumber(tempC, '°C'),
    ),
  ];
}
