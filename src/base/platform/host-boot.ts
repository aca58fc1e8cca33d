// Which boot of the host this is, and how long ago it was: two runs of a program can count time by it, whatever is done
// to the wall clock.
import { readFileSync } from 'node:fs';
import { uptime } from 'node:os';

/** `id` null = this system does not say which start it is. */
export type HostBoot = { readonly id: string | null; readonly uptimeMs: number };

export function readHostBoot(): HostBoot {
  return { id: readBootId(), uptimeMs: Math.round(uptime() * 1_000) };
}

function readBootId(): string | null {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim() || null;
  } catch {
    return null;
  }
}
