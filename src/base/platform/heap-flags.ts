// Keeps the memory of a long-running program small: V8 grows its heap in small steps. It sets no limit.
import { setFlagsFromString } from 'node:v8';

/**
 * Growth of the live heap, in per cent, before a collection. V8's own rule allows four times as much: it suits short
 * programs.
 */
const GROWTH_PERCENT = 5;

/**
 * Size of V8's young generation in MB, needed twice (from-space and to-space). V8 would take far more on a host with
 * much memory, and reads the flag at its start only.
 */
const YOUNG_MB = 1;

/**
 * For the command line of Node: most are read at its start alone. One thread beside the main one collects: with more,
 * each keeps pages of its own.
 */
export const HEAP_FLAGS = [
  `--max-semi-space-size=${YOUNG_MB}`,
  `--heap-growing-percent=${GROWTH_PERCENT}`,
  '--optimize-for-size',
  '--v8-pool-size=1',
] as const;

/** From here on, for the life of the process. */
export function keepHeapSmall(): void {
  setFlagsFromString(`--heap-growing-percent=${GROWTH_PERCENT}`);
}
