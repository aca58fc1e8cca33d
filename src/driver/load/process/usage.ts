// What another process of this host uses, where the system tells it. It reads, and keeps nothing.
import { readFileSync } from 'node:fs';

const PAGE_BYTES = 4_096;
/** Of `/proc`, on all systems that Node runs on. */
const TICK_MS = 10;

/** Bytes that are in memory; undefined where the system does not tell. */
export function rssOf(pid: number): number | undefined {
  const pages = Number(procFile(pid, 'statm')?.split(' ')[1]);
  return Number.isFinite(pages) ? pages * PAGE_BYTES : undefined;
}

/** Time of the processor since its start, ms; undefined where the system does not tell. */
export function processorMsOf(pid: number): number | undefined {
  // The name before it may hold blanks.
  const fields = procFile(pid, 'stat')
    ?.replace(/^.*\) /s, '')
    .split(' ');
  const ticks = Number(fields?.[11]) + Number(fields?.[12]);
  return Number.isFinite(ticks) ? ticks * TICK_MS : undefined;
}

function procFile(pid: number, name: string): string | undefined {
  if (process.platform !== 'linux') return undefined;
  try {
    return readFileSync(`/proc/${pid}/${name}`, 'latin1');
  } catch {
    return undefined;
  }
}
