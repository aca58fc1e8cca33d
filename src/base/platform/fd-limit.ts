// How many files and sockets this process may have. When they run out, unrelated calls fail too: whoever opens many stays well below.
import { readFileSync } from 'node:fs';
import { z } from 'zod';

const LINE = /^Max open files\s+(\d+|unlimited)/m;
const reportSchema = z.object({
  userLimits: z.object({ open_files: z.object({ soft: z.union([z.number(), z.string()]) }) }),
});

/** The soft limit, which Node raises to the hard one when it starts. Infinity = no limit; undefined where the system does not tell. */
export function openFileLimit(readLimits: () => string = readSystemLimits): number | undefined {
  try {
    const limit = LINE.exec(readLimits())?.[1];
    if (limit === undefined) return undefined;
    return limit === 'unlimited' ? Number.POSITIVE_INFINITY : Number(limit);
  } catch {
    return undefined;
  }
}

/** Linux has a file for it; elsewhere Node's own report knows, at the price of some ten milliseconds. */
function readSystemLimits(): string {
  if (process.platform === 'linux') return readFileSync('/proc/self/limits', 'utf8');
  const { soft } = reportSchema.parse(process.report.getReport()).userLimits.open_files;
  return `Max open files ${soft}`;
}
