// The newest record of each miner while the disk takes nothing: a service may show it although it is not kept. In memory, and bounded.
import type { Entry } from '../storage/slice.ts';

/** Far more than the records of the largest farm; beyond it the states that changed longest ago are dropped. */
const MAX_BYTES = 64 * 1024 * 1024;

export type LiveStates = ReturnType<typeof createLiveStates>;

export function createLiveStates(maxBytes = MAX_BYTES) {
  /** By miner, the one that changed longest ago first. */
  const newest = new Map<string, { readonly entry: Entry; readonly number: number }>();
  let bytes = 0;
  let count = 0;
  const drop = (key: string) => {
    bytes -= newest.get(key)?.entry.bytes ?? 0;
    newest.delete(key);
  };
  return {
    note(key: string, entry: Entry): void {
      drop(key);
      newest.set(key, { entry, number: ++count });
      bytes += entry.bytes;
      for (const oldest of newest.keys()) {
        if (bytes <= maxBytes) break;
        drop(oldest);
      }
    },
    /** States after this number, the oldest first, as many as the limits allow. `last` is the next `after`. */
    news(after: number, limits: { readonly maxRecords: number; readonly maxBytes: number }) {
      const entries: Entry[] = [];
      let last = after;
      let size = 0;
      for (const { entry, number } of newest.values()) {
        if (number <= after) continue;
        size += entry.bytes;
        if (entries.length >= limits.maxRecords || (entries.length > 0 && size > limits.maxBytes)) break;
        entries.push(entry);
        last = number;
      }
      return { entries, last };
    },
    clear(): void {
      newest.clear();
      bytes = 0;
    },
  };
}
