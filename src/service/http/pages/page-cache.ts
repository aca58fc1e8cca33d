// Bodies of large pages, kept for a second as they are sent: many clients that ask for the same page cost one reading
// of the database. What a client changed shows at once: the code that changes miners for a client clears the cache.
// Bounded in bytes; small bodies are made anew each time.
import type { Clock } from '../../../base/clock.ts';
import type { Body } from './page-memory.ts';
import type { MadePage } from './page-thread.ts';

export type PageCache = ReturnType<typeof createPageCache>;

/** How old a body may be when it is served, counted from before it was read. */
const FRESH_MS = 1_000;

type Entry = {
  readonly madeMs: number;
  readonly made: Promise<MadePage>;
  /** Requests that wait for it. */
  waiting: number;
  /** Once it is made, as long as a request can get it here. */
  body: Body | undefined;
};

export function createPageCache(
  clock: Clock,
  { minBytes, maxBytes }: { readonly minBytes: number; readonly maxBytes: number },
) {
  const entries = new Map<string, Entry>();
  const isFresh = (entry: Entry) => clock.monotonicMs() - entry.madeMs < FRESH_MS;
  const isKept = (key: string, entry: Entry) => entries.get(key) === entry;

  /** The body is ours until no request can get it here any more. */
  const releaseIfLeft = (key: string, entry: Entry) => {
    if (isKept(key, entry) || entry.waiting > 0) return;
    entry.body?.release();
    entry.body = undefined;
  };
  const drop = (key: string, entry: Entry) => {
    if (isKept(key, entry)) entries.delete(key);
    releaseIfLeft(key, entry);
  };
  /** Oldest first, until the rest fits. */
  const shrink = () => {
    let total = [...entries.values()].reduce((sum, { body }) => sum + (body?.length ?? 0), 0);
    for (const [key, entry] of entries) {
      if (total <= maxBytes) return;
      total -= entry.body?.length ?? 0;
      drop(key, entry);
    }
  };
  const takeIn = (key: string, entry: Entry, { body, isPacked }: NonNullable<MadePage>) => {
    entry.body = body;
    if (body.length < minBytes && !isPacked) drop(key, entry);
    if (!isKept(key, entry)) return;
    shrink();
    clock.after(FRESH_MS, () => drop(key, entry), { unref: true });
  };

  return {
    /**
     * The body under this key, made when there is none that is fresh; the caller releases it. Requests that come while
     * it is made wait for the same one.
     */
    async get(key: string, make: () => Promise<MadePage>): Promise<MadePage> {
      const before = entries.get(key);
      const fresh = before !== undefined && isFresh(before) ? before : undefined;
      // The new one goes to the end, because the order is that of age.
      if (before !== undefined && fresh === undefined) drop(key, before);
      const entry: Entry = fresh ?? { madeMs: clock.monotonicMs(), made: make(), waiting: 0, body: undefined };
      if (fresh === undefined) entries.set(key, entry);
      entry.waiting++;
      try {
        const made = await entry.made;
        if (made === undefined) drop(key, entry);
        else if (entry.body === undefined) takeIn(key, entry, made);
        made?.body.use();
        return made;
      } catch (error) {
        drop(key, entry);
        throw error;
      } finally {
        entry.waiting--;
        releaseIfLeft(key, entry);
      }
    },
    clear() {
      for (const [key, entry] of entries) drop(key, entry);
    },
  };
}
