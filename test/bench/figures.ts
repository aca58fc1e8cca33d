// What benches say: times, quantiles, lines.
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
