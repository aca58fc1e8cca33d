// How much may be on the way unacknowledged. It starts small and grows with quick acknowledgements, so that a thin line never holds more than
// it can carry between two signs of life. Pure.

export const MAX_SLICES_IN_FLIGHT = 8;
const MAX_BYTES_IN_FLIGHT = 4 * 1024 * 1024;
const FIRST_BYTES = 256 * 1024;
const LEAST_BYTES = 16 * 1024;
const QUICK_MS = 2_000;
const SLOW_MS = 10_000;

export type Window = ReturnType<typeof createWindow>;

export function createWindow() {
  let bytes = FIRST_BYTES;
  return {
    /** Bytes that may be on the way. One slice may always go, however large. */
    bytes: () => bytes,
    acknowledged(tookMs: number): void {
      if (tookMs < QUICK_MS) bytes = Math.min(MAX_BYTES_IN_FLIGHT, bytes * 2);
      else if (tookMs > SLOW_MS) bytes = Math.max(LEAST_BYTES, bytes / 2);
    },
    /** The connection died with slices on the way. */
    broke(): void {
      bytes = Math.max(LEAST_BYTES, bytes / 4);
    },
  };
}
