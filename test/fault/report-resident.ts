// One line of the table about the memory of a whole program, from what resident.ts saw.
import { expect } from 'vitest';
import { slopeOf, watchResident } from './resident.ts';
import { report } from './table.ts';

type Bounds = {
  readonly network: string;
  readonly miners: number;
  readonly hours: number;
  /** Growth counts after these. */
  readonly warmHours: number;
  readonly mostMb: number;
};

const HOUR_MS = 3_600_000;
const SLOPE_MB_PER_H = 1;
/** A heap between two collections differs by this much: in minutes no slope can be told more exactly. */
const NOISE_MB = 3;

export async function reportResident({ network, miners, hours, warmHours, mostMb }: Bounds): Promise<void> {
  const { samples, known } = await watchResident({ network, miners, forMs: hours * HOUR_MS });
  expect(known).toBe(miners);
  const late = samples.filter(({ atMs }) => atMs >= warmHours * HOUR_MS);
  const [first, last] = [late[0], late.at(-1)];
  if (first === undefined || last === undefined) throw new Error('nothing was measured');
  const slope = slopeOf(late.map(({ atMs, anonymousMb }) => [atMs / HOUR_MS, anonymousMb]));
  const watchedH = (last.atMs - first.atMs) / HOUR_MS;
  const median = (of: (sample: (typeof late)[number]) => number) =>
    late.map(of).toSorted((a, b) => a - b)[late.length >> 1] ?? 0;
  const [resident, anonymous] = [median((each) => each.residentMb), median((each) => each.anonymousMb)];
  const most = Math.max(...late.map(({ residentMb }) => residentMb));
  const startMost = Math.max(...samples.map(({ residentMb }) => residentMb));
  const handles = late.map((each) => each.handles);
  const cores = (last.cpuMs - first.cpuMs) / (last.atMs - first.atMs);
  report({
    id: 'R16',
    value: `the executable, ${miners} miners each 60 s, faults of R10 on the line, minutes ${Math.round(warmHours * 60)} to ${Math.round(hours * 60)}: RSS ${resident.toFixed(0)} MiB, at most ${most.toFixed(0)} (${startMost.toFixed(0)} from the start), ${anonymous.toFixed(0)} of it in no file, of which ${slope.toFixed(1)} MiB/h more; ${Math.min(...handles)} to ${Math.max(...handles)} open files, ${last.threads} threads; ${cores.toFixed(2)} cores`,
    bar: `≤ ${mostMb} MiB; ≤ ${SLOPE_MB_PER_H} MiB/h (told to ${NOISE_MB} MiB)`,
    isMet: most <= mostMb && slope * watchedH <= SLOPE_MB_PER_H * watchedH + NOISE_MB,
  });
}
