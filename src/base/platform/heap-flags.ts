// How the JavaScript engine of a long-running program keeps its memory small: it is told to grow its heap in small steps. It limits nothing.
import { setFlagsFromString } from 'node:v8';

/** Per cent of what is alive that may pile up before it is tidied. The engine's own rule, up to four times as much, is for programs that end. */
export const GROWTH_PERCENT = 25;

/**
 * MB for young objects, twice: what is in use, and the place that the living are moved to. The engine would take many times that on a host with
 * memory; it hears of it at its start alone.
 */
export const YOUNG_MB = 4;

/** From here on, for the life of the process. */
export function keepHeapSmall(): void {
  setFlagsFromString(`--heap-growing-percent=${GROWTH_PERCENT}`);
}
