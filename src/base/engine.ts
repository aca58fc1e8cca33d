// How the JavaScript engine of a long-running program keeps its memory small: it is told to grow its heap in small steps. It limits nothing.
import { setFlagsFromString } from 'node:v8';

/** Per cent of what is alive that may pile up before it is tidied. The engine's own rule, up to four times as much, is for programs that end. */
export const GROWTH_PERCENT = 50;

/** From here on, for the life of the process. */
export function keepHeapSmall(): void {
  setFlagsFromString(`--heap-growing-percent=${GROWTH_PERCENT}`);
}
