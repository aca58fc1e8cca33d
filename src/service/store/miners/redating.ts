// Moves the times of states that were written before the clock of the service was set back and are now in the future:
// they stay the newest no longer than they should, and no time that is shown is later than now.
import type { Databases } from '../databases.ts';
import { datedBack } from './items.ts';

const MINERS_AT_ONCE = 200;

/**
 * Set back by so many ms. Agent by agent and in portions, so that reports can be stored meanwhile; what has been
 * reported since stays.
 */
export async function redateMiners(
  { read, transact, lock }: Pick<Databases, 'read' | 'transact' | 'lock'>,
  nowMs: number,
  byMs: number,
): Promise<void> {
  const agents = await read
    .selectFrom('miners')
    .select('agent_id')
    .distinct()
    .where('reported_at', '>', nowMs)
    .execute();
  for (const { agent_id } of agents)
    for (let isMore = true; isMore; )
      isMore = await transact(async (trx) => {
        await lock(trx, `uplink ${agent_id ?? ''}`);
        const rows = await trx
          .selectFrom('miners')
          .leftJoin('miner_documents', 'miner_documents.row_id', 'miners.row_id')
          .select(['miners.row_id', 'reported_at', 'seen_at', 'document', 'extras'])
          .where('agent_id', agent_id === null ? 'is' : '=', agent_id)
          .where('reported_at', '>', nowMs)
          .limit(MINERS_AT_ONCE)
          .execute();
        for (const { row_id, reported_at, seen_at, document, extras } of rows) {
          await trx
            .updateTable('miners')
            .set({
              reported_at: backBy(reported_at),
              seen_at: seen_at === null || seen_at <= nowMs ? seen_at : backBy(seen_at),
            })
            .where('row_id', '=', row_id)
            .execute();
          if (document === null || extras === null) continue;
          await trx
            .updateTable('miner_documents')
            .set({ document: datedBack(document, nowMs, byMs), extras: datedBack(extras, nowMs, byMs) })
            .where('row_id', '=', row_id)
            .execute();
        }
        return rows.length === MINERS_AT_ONCE;
      });

  function backBy(ms: number): number {
    return Math.min(nowMs, ms - byMs);
  }
}
