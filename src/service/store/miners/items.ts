// The parts of a miner in a list, and how rows become a page of JSON text; sqlite/items.ts does the same inside the
// database. It writes text because a page holds thousands of miners: parsing their documents would cost more than
// everything else together.
import type { SelectQueryBuilder } from 'kysely';
import type { Db, Row, Tables } from '../schema.ts';

/** What the service knows of a miner. `stale`, `status` and `lifecycle_status` depend on the time. */
export type ServiceField =
  | 'id'
  | 'rack'
  | 'position'
  | 'stale'
  | 'status'
  | 'ops_status'
  | 'lifecycle_status'
  | 'created_at';

export type ItemPart =
  /** JSON text that is the same for every miner. */
  | string
  /** As a JSON value. */
  | { readonly value: ServiceField }
  /**
   * The members of a stored object, without its braces. Of `replace` the first text, a field with or without its value,
   * becomes the second; no object in it has such a field elsewhere. Inside a text a quote is escaped, so a miner cannot
   * put such a field into its own texts.
   */
  | { readonly membersOf: 'document' | 'extras'; readonly replace?: readonly [string, string] };

/** One miner of a list as JSON text: the parts one after the other. */
export type Item = readonly ItemPart[];

/** Which miners, in which order, with a limit; no columns yet. */
export type MinerPage = SelectQueryBuilder<Tables, 'miners' | 'miner_documents', object>;

/**
 * Takes JSON text, a part after the other. It waits where the parts come faster than they can be taken. A part that is
 * bytes is valid until then: its memory is used again.
 */
export type TakeText = (part: string | Uint8Array) => Promise<void> | void;

/** Hands over the items with commas between them, and gives how many they are. `nowMs` decides who is stale. */
export type ReadItems = (read: Db, page: MinerPage, item: Item, nowMs: number, take: TakeText) => Promise<number>;

/** Times in a stored object. */
const TIME = /"(last_updated_at|since)":"([^"]*)"/g;

/** The object with each of its times that is later than now moved back by so many ms, and none later than now. */
export const datedBack = (object: string, nowMs: number, byMs: number): string =>
  object.replaceAll(TIME, (text, name: string, iso: string) => {
    const ms = Date.parse(iso);
    return ms > nowMs ? `${fieldText(name)}"${new Date(Math.min(nowMs, ms - byMs)).toISOString()}"` : text;
  });

/** For what was stored before our clock was set back, until it is dated anew. */
const notLater = (object: string, nowMs: number): string => datedBack(object, nowMs, 0);

const SHOWN = ['created_at', 'reported_at', 'stale_at', 'ops_status', 'rack', 'position'] as const;

export const readItemsFromRows: ReadItems = async (_read, page, item, nowMs, take) => {
  const rows = await rowsOf(page, item).execute();
  await take(writeItems(rows, item, nowMs));
  return rows.length;
};

/** The columns that the items need. */
export function rowsOf(page: MinerPage, item: Item) {
  const objects = (['document', 'extras'] as const).filter((name) => item.some((part) => isOf(part, name)));
  return page.select(['miners.id', ...SHOWN, ...objects]);
}

export const writeItems = (rows: readonly MinerRow[], item: Item, nowMs: number): string =>
  rows.map((row) => writeItem(row, item, nowMs)).join(',');

const isOf = (part: ItemPart, name: 'document' | 'extras') =>
  typeof part === 'object' && 'membersOf' in part && part.membersOf === name;

const fieldText = (name: string): string => `${JSON.stringify(name)}:`;

export type MinerRow = Pick<Row<'miners'>, 'id' | (typeof SHOWN)[number]> & {
  readonly document?: string;
  readonly extras?: string;
};

function writeItem(row: MinerRow, item: Item, nowMs: number): string {
  let text = '';
  for (const part of item) {
    if (typeof part === 'string') text += part;
    else if ('value' in part) text += writeValue(row, part.value, nowMs);
    else {
      const { [part.membersOf]: object = '{}' } = row;
      text += writeMembers(row.reported_at > nowMs ? notLater(object, nowMs) : object, part.replace);
    }
  }
  return text;
}

function writeMembers(object: string, replace: readonly [string, string] | undefined): string {
  const members = object.slice(1, -1);
  return replace === undefined ? members : members.replace(...replace);
}

function writeValue(row: MinerRow, field: ServiceField, nowMs: number): string {
  switch (field) {
    case 'id':
      return `"${row.id}"`;
    case 'rack':
      return JSON.stringify(row.rack);
    case 'position':
      return String(row.position);
    case 'stale':
      return String(isStale(row, nowMs));
    case 'status':
      return isStale(row, nowMs) ? '"stale"' : '"online"';
    case 'ops_status':
      return JSON.stringify(row.ops_status);
    case 'lifecycle_status':
      return writeValue(row, row.ops_status === null ? 'status' : 'ops_status', nowMs);
    case 'created_at':
      return `"${new Date(Math.min(row.created_at, nowMs)).toISOString()}"`;
  }
}

const isStale = ({ stale_at }: MinerRow, nowMs: number) => stale_at === null || stale_at <= nowMs;
