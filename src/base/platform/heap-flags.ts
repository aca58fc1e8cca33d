// Keeps the memory of a long-running program small: V8 grows its heap in small steps. It sets no limit.
import { setFlagsFromString } from 'node:v8';

/**
 * Growth of the live heap, in per cent, before a collection. V8's own rule allows four times as much: it suits short
 * programs.
 */
export const GROWTH_PERCENT = 25;

/**
 * Size of V8's young generation in MB, needed twice (from-space and to-space). V8 would take far more on a host with
 * much memory, and reads the flag at its start only.
 */
export const YOUNG_MB = 4;

/** From here on, for the life of the process. */
export function keepHeapSmall(): void {
  setFlagsFromString(`--heap-growing-percent=${GROWTH_PERCENT}`);
}
