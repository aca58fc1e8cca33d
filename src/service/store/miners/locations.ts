// Reads where the miners of a farm stand, in the order of their addresses, in pages with a yield to the event loop
// between them.
import { sql } from 'kysely';
import { yieldToEventLoop } from '../../../base/clock.ts';
import type { Db, Row } from '../schema.ts';

const PAGE = 2_000;

/** Where a miner stands, with what identifies it; `serials` of its parts too, one per line. */
export type MinerLocation = Readonly<
  Pick<Row<'miners'>, 'id' | 'mac' | 'serial' | 'serials' | 'model' | 'rack' | 'position'>
> & { readonly ipNum: number };

export async function listLocations(read: Db, farmId: string): Promise<readonly MinerLocation[]> {
  // By id: a miner whose address changes meanwhile is still there once.
  const found = new Map<string, MinerLocation>();
  for (let last: MinerLocation | undefined, isMore = true; isMore; ) {
    const page = await readPage(read, farmId, last);
    for (const miner of page) found.set(miner.id, miner);
    last = page.at(-1);
    isMore = page.length === PAGE;
    await yieldToEventLoop();
  }
  return [...found.values()];
}

/** Those that come after `last` in the order of addresses. */
async function readPage(read: Db, farmId: string, last: MinerLocation | undefined): Promise<MinerLocation[]> {
  const all = read
    .selectFrom('miners')
    .select(['id', 'mac', 'serial', 'serials', 'model', 'ip_num', 'rack', 'position'])
    .where('farm_id', '=', farmId);
  const after = last && sql<boolean>`(ip_num, id) > (${last.ipNum}, ${last.id})`;
  const rows = await (after === undefined ? all : all.where(after))
    .orderBy('ip_num')
    .orderBy('id')
    .limit(PAGE)
    .execute();
  return rows.map(({ ip_num, ...row }) => ({ ...row, ipNum: ip_num }));
}
