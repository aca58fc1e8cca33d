// The last day of a miner as a chart. The library for it is loaded when it is shown.
import { useEffect, useRef } from 'preact/hooks';
import type { z } from 'zod';
import type { minerMetricsBucketSchema } from '../../../wire/api/metrics.ts';
import { farmPath } from '../../api/paths.ts';
import type { Answer } from '../../api/request.ts';
import { useApp, useTexts } from '../../app-state.ts';
import { useAsked } from '../../live/ask/use-asked.ts';
import { useFarm } from '../../live/farm-state.ts';
import { RefusalNote } from '../../parts/bits.tsx';

type Bucket = z.infer<typeof minerMetricsBucketSchema>;
const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;
const EVERY_MS = 300_000;

export function History({ id }: { id: string }) {
  const { ref, may } = useFarm();
  const { nowMs } = useApp();
  const texts = useTexts();
  // The whole hour: the question stays the same for an hour.
  const toMs = Math.ceil(nowMs.peek() / HOUR_MS) * HOUR_MS;
  const body = {
    from_time: new Date(toMs - DAY_MS).toISOString(),
    to_time: new Date(toMs).toISOString(),
    granularity: 'hour',
  };
  const path = may('metrics.read') ? farmPath(ref, `miners/${encodeURIComponent(id)}/metrics/query`) : undefined;
  const { answer, refusal } = useAsked<Answer<readonly Bucket[]>>(path, EVERY_MS, body);
  const buckets = answer?.data ?? [];
  if (path === undefined) return null;
  return (
    <section>
      <h2>{texts.miner.sections.history}</h2>
      <RefusalNote refusal={refusal} />
      {buckets.length > 0 && <Chart buckets={buckets} />}
      <details>
        <summary>{texts.miner.fields.hashrate}</summary>
        <BucketTable buckets={buckets} />
      </details>
    </section>
  );
}

function Chart({ buckets }: { buckets: readonly Bucket[] }) {
  const texts = useTexts();
  const { format } = useApp();
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const root = place.current;
    if (root === null) return;
    let chart: { destroy(): void } | undefined;
    let isGone = false;
    void import('./chart.ts').then(({ drawChart }) => {
      if (!isGone)
        chart = drawChart(root, {
          timesS: buckets.map(({ from }) => Date.parse(from) / 1_000),
          rates: buckets.map(({ hashrate_avg }) => hashrate_avg),
          temps: buckets.map(({ temperature_max }) => temperature_max),
          words: { hashrate: texts.miner.fields.hashrate, temperature: texts.miner.fields.temperature },
          format: format.value,
        });
    });
    return () => {
      isGone = true;
      chart?.destroy();
    };
  }, [buckets, texts]);
  return <div ref={place} class="chart" aria-hidden="true" />;
}

/** The same as the chart, for who reads it otherwise. */
function BucketTable({ buckets }: { buckets: readonly Bucket[] }) {
  const { format, nowMs } = useApp();
  const { miner } = useTexts();
  const { value: show } = format;
  return (
    <table>
      <tbody>
        {buckets.map(({ from, hashrate_avg, temperature_max }) => (
          <tr key={from}>
            <th scope="row">{show.moment(Date.parse(from), nowMs.peek())}</th>
            <td>
              <span class="hidden">{miner.fields.hashrate}</span> {show.hashrate(hashrate_avg)}
            </td>
            <td>
              <span class="hidden">{miner.fields.temperature}</span> {show.tempC(temperature_max)}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
