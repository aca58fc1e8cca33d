// Where the miners of a farm stand, in the order of their addresses; read in pages, between which others have their turn. It changes nothing.
import { sql } from 'kysely';
import { turn } from '../../../base/clock.ts';
import type { Db, Row } from '../schema.ts';

const PAGE = 2_000;

/** Where a miner stands, with what identifies it. */
export type Placement = Readonly<Pick<Row<'miners'>, 'id' | 'mac' | 'serial' | 'rack' | 'position'>> & {
  readonly ipNum: number;
};

export async function listPlacements(read: Db, farmId: string): Promise<readonly Placement[]> {
  // By id: a miner whose address changes meanwhile is still there once.
  const found = new Map<string, Placement>();
  for (let last: Placement | undefined, isMore = true; isMore; ) {
    const page = await readPage(read, farmId, last);
    for (const placement of page) found.set(placement.id, placement);
    last = page.at(-1);
    isMore = page.length === PAGE;
    await turn();
  }
  return [...found.values()];
}

/** Those that come after `last` in the order of addresses. */
async function readPage(read: Db, farmId: string, last: Placement | undefined): Promise<Placement[]> {
  const all = read
    .selectFrom('miners')
    .select(['id', 'mac', 'serial', 'ip_num', 'rack', 'position'])
    .where('farm_id', '=', farmId);
  const after = last && sql<boolean>`(ip_num, id) > (${last.ipNum}, ${last.id})`;
  const rows = await (after === undefined ? all : all.where(after))
    .orderBy('ip_num')
    .orderBy('id')
    .limit(PAGE)
    .execute();
  return rows.map(({ ip_num, ...row }) => ({ ...row, ipNum: ip_num }));
}
