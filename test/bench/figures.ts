// What benches say: times, quantiles, lines; and what processes take.
import { readFileSync } from 'node:fs';

export async function timed(work: () => Promise<unknown>): Promise<number> {
  const startMs = performance.now();
  await work();
  return performance.now() - startMs;
}

export const quantile = (values: readonly number[], share: number) =>
  values.toSorted((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * share))] ?? Number.NaN;
export const median = (values: readonly number[]) => quantile(values, 0.5);
export const stats = (values: readonly number[]) =>
  `p50 ${median(values).toFixed(1)} ms, p99 ${quantile(values, 0.99).toFixed(1)} ms`;
export const print = (line: string) => void process.stdout.write(`${line}\n`);

const TICKS_PER_S = 100;

/** Of a process of this host, as Linux says it. MB = 2^20 bytes. */
export function processFigures(pid: number) {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const mb = (name: string) => Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)?.[1]) / 1_024;
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  const cpuS = (Number(stat[11]) + Number(stat[12])) / TICKS_PER_S;
  return { residentMb: mb('VmRSS'), anonymousMb: mb('RssAnon'), mostMb: mb('VmHWM'), cpuS };
}
