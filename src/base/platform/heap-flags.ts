// Keeps the memory of an agent small: V8 grows its heap in small steps. It sets no limit.
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

/** For the process of an agent alone, from here on. */
export function keepHeapSmall(): void {
  setFlagsFromString(`--heap-growing-percent=${GROWTH_PERCENT}`);
}

/** A service stores reports half as fast in a heap that grows in the steps of an agent's. */
const SERVICE_GROWTH_PERCENT = 50;

/** For a process with a service in it, from here on: undoes what of HEAP_FLAGS can be undone. */
export function letHeapGrow(): void {
  setFlagsFromString('--no-optimize-for-size');
  setFlagsFromString(`--heap-growing-percent=${SERVICE_GROWTH_PERCENT}`);
}
