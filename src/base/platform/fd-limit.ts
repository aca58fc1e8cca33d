// How many files and sockets this process may open. When none is left, unrelated calls fail too, so modules that open
// many stay well below.
import { readFileSync } from 'node:fs';
import { z } from 'zod';

const LINE = /^Max open files\s+(\d+|unlimited)/m;
const reportSchema = z.object({
  userLimits: z.object({ open_files: z.object({ soft: z.union([z.number(), z.string()]) }) }),
});

/**
 * The soft limit, which Node raises to the hard one at its start. Infinity = no limit; undefined = the system does not
 * say.
 */
export function openFileLimit(readLimits: () => string = readSystemLimits): number | undefined {
  try {
    const limit = LINE.exec(readLimits())?.[1];
    if (limit === undefined) return undefined;
    return limit === 'unlimited' ? Number.POSITIVE_INFINITY : Number(limit);
  } catch {
    return undefined;
  }
}

/** Files other than connections: databases, their logs, the event loop's own, listeners, and some to spare. */
const OWN_FILES = 52;
/** With fewer, a scan or poll takes too long to be useful; requests beyond it fail one by one and are tried again. */
const LEAST_SOCKETS = 6;
const USUAL_SOCKETS = 64;
const RESERVE = 512;

/** Sockets that scans and polls may hold at once: half of the limit, less what the rest of the process needs. */
export function socketsWithin(openFiles: number): number {
  const scarce = Math.max(LEAST_SOCKETS, Math.floor((openFiles - OWN_FILES) / 2));
  return Math.max(Math.min(USUAL_SOCKETS, scarce), Math.floor(openFiles / 2) - RESERVE);
}

/** Incoming connections that may be open at once. One more is refused, and the process goes on. */
export function connectionsWithin(most: number, openFiles: number | undefined): number {
  return openFiles === undefined ? most : Math.min(most, Math.max(4, Math.floor((openFiles - OWN_FILES) / 2)));
}

/** Linux has a file for it; elsewhere Node's own report knows, at the price of some ten milliseconds. */
function readSystemLimits(): string {
  if (process.platform === 'linux') return readFileSync('/proc/self/limits', 'utf8');
  const { soft } = reportSchema.parse(process.report.getReport()).userLimits.open_files;
  return `Max open files ${soft}`;
}
