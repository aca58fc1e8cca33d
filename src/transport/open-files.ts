// How many sockets this process may have. When they run out, unrelated calls fail too, so the engine stays well below.
import { readFileSync } from 'node:fs';

const ASSUMED_LIMIT = 10_240;
/** Node raises the soft limit to the hard one at start, so the hard one counts. */
const LINE = /^Max open files\s+\S+\s+(\d+|unlimited)/m;

/** Hard limit of open files; a cautious guess where the system does not tell. */
export function openFileLimit(readLimits: () => string = () => readFileSync('/proc/self/limits', 'utf8')): number {
  try {
    const limit = LINE.exec(readLimits())?.[1];
    if (limit === 'unlimited') return Number.MAX_SAFE_INTEGER;
    return limit === undefined ? ASSUMED_LIMIT : Number(limit);
  } catch {
    return ASSUMED_LIMIT;
  }
}
