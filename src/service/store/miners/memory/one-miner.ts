// One miner with what a list does not show of it: what it can be given to do, since when it is known, since when it is
// missing, its newest notes.
import type { Databases } from '../../databases.ts';
import { textList } from '../../rows.ts';
import type { Item } from '../items.ts';
import { listNotes, type Note } from './notes.ts';

const NOTES_SHOWN = 10;

export type OneMiner = {
  /** JSON text. */
  readonly item: string;
  /** Names of tasks that its driver can do. */
  readonly taskNames: readonly string[];
  readonly firstSeenMs: number;
  readonly missingSinceMs: number | null;
  readonly notes: readonly Note[];
};

type Wanted = { readonly farmId: string; readonly minerId: string; readonly item: Item; readonly nowMs: number };

/** Undefined = the farm has no such miner. */
export async function findMiner(
  { read, readItems }: Pick<Databases, 'read' | 'readItems'>,
  { farmId, minerId, item, nowMs }: Wanted,
): Promise<OneMiner | undefined> {
  const joined = read
    .selectFrom('miners')
    .innerJoin('miner_documents', 'miner_documents.row_id', 'miners.row_id')
    .where('miners.id', '=', minerId)
    .where('miners.farm_id', '=', farmId);
  const row = await joined
    .select(['miners.row_id', 'miners.created_at', 'miners.missing_since', 'abilities'])
    .executeTakeFirst();
  if (row === undefined) return undefined;
  const parts: string[] = [];
  const page = joined.orderBy('ip_num').orderBy('miners.id').limit(1);
  const take = (part: string | Uint8Array) =>
    void parts.push(typeof part === 'string' ? part : String(Buffer.from(part)));
  // It may have been removed in between.
  if ((await readItems(read, page, item, nowMs, take)) === 0) return undefined;
  const { notes } = await listNotes(read, row.row_id, { limit: NOTES_SHOWN, offset: 0 });
  return {
    ...{ item: parts.join(''), taskNames: textList(row.abilities), notes },
    ...{ firstSeenMs: row.created_at, missingSinceMs: row.missing_since },
  };
}
