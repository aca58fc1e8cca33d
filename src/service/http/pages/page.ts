// What a page of a list is: which items, in which version's envelope, as plain data that another thread can be given;
// and how it is made, as the bytes of an answer.
import type {
  EventQuery,
  FeedQuery,
  ListStores,
  MinerQuery,
  TakeText,
  TaskListQuery,
  Window,
} from '../../store/store.ts';
import { type PageQuery, paginateV1, paginateV2 } from '../shared/envelope.ts';
import { toEventItem, toTaskItem } from './items.ts';

type OfList =
  | { readonly list: 'miners'; readonly query: Omit<MinerQuery, 'nowMs'> }
  | { readonly list: 'events'; readonly query: EventQuery }
  | { readonly list: 'feed'; readonly query: FeedQuery }
  | { readonly list: 'tasks'; readonly query: TaskListQuery };

type InEnvelope =
  | { readonly version: 'v1'; readonly page: Window }
  | { readonly version: 'v2'; readonly page: PageQuery };

export type WantedPage = OfList & InEnvelope & { readonly nowMs: number };

/** A smaller page is an answer like any other: tagged, compressed and sent in one piece. */
export const SENT_IN_SLICES_FROM_BYTES = 1024 * 1024;

/** Hands over the JSON text of an answer. False when there is no such list: then there was none. */
export async function writePage(stores: ListStores, wanted: WantedPage, take: TakeText): Promise<boolean> {
  const total = await writeItems(stores, wanted, take);
  if (total === undefined) return false;
  const pagination = wanted.version === 'v1' ? paginateV1(wanted.page, total) : paginateV2(wanted.page, total);
  await take(`],"pagination":${JSON.stringify(pagination)},"error":null}`);
  return true;
}

const HEAD = '{"success":true,"data":[';

/** With what stands before them. Gives how many there are in all; undefined when there is no such list. */
async function writeItems(
  { miners, events, tasks }: ListStores,
  wanted: WantedPage,
  take: TakeText,
): Promise<number | undefined> {
  const { nowMs } = wanted;
  switch (wanted.list) {
    case 'miners':
      await take(HEAD);
      return miners.write({ ...wanted.query, nowMs }, take);
    case 'events':
    case 'feed': {
      const found = wanted.list === 'feed' ? await events.feed(wanted.query) : await events.list(wanted.query);
      await take(HEAD + joined(found.events.map((event) => toEventItem(event, nowMs))));
      return found.total;
    }
    case 'tasks': {
      const found = await tasks.listTasks(wanted.query);
      if (found === undefined) return undefined;
      await take(HEAD + joined(found.tasks.map((task) => toTaskItem(task, nowMs))));
      return found.total;
    }
  }
}

const joined = (items: readonly object[]): string => items.map((item) => JSON.stringify(item)).join(',');
