// What answers with pages of lists: the store's lists for small ones, a thread for large ones, and the newest of those.
import type { Clock } from '../../../base/clock.ts';
import type { ListStores, Store } from '../../store/store.ts';
import { createPageCache, type PageCache } from './page-cache.ts';
import { createPageThread, type PageThread } from './page-thread.ts';

export type Pages = { readonly lists: ListStores; readonly thread: PageThread; readonly cache: PageCache };

const KEPT = { minBytes: 256 * 1024, maxBytes: 64 * 1024 * 1024 };

/** `target` is the database that the store has opened. */
export function createPages(
  target: string,
  store: Pick<Store, 'miners' | 'events' | 'batchDetail' | 'availability' | 'storage'>,
  clock: Clock,
): Pages {
  const { miners, events, batchDetail: tasks, availability, storage } = store;
  return {
    lists: { miners, events, tasks },
    thread: createPageThread({ target, availability, noteReadError: storage?.noteReadError, clock }),
    cache: createPageCache(clock, KEPT),
  };
}
