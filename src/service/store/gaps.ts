// Stores what is missing of what an agent produced: gaps that it declares, and records of a slice that were not stored.
import type { GapRecord } from '../../wire/records.ts';
import { chunks } from './rows.ts';
import type { Db, Row } from './schema.ts';

type Origin = {
  readonly agentId: string;
  readonly epoch: string;
  readonly seq: number;
  readonly producedAtMs: number;
  readonly nowMs: number;
};

/** `counts` = of what was not stored, by the reason. */
export async function storeGaps(
  db: Db,
  slice: Origin,
  records: readonly GapRecord[],
  counts: Readonly<Record<string, number>>,
): Promise<void> {
  const { agentId, epoch, seq, nowMs, producedAtMs: at } = slice;
  const origin = { agent_id: agentId, epoch, seq };
  const rows: Row<'gaps'>[] = records.map(({ from, to, reason, count }) => ({
    ...origin,
    from_at: Math.min(Date.parse(from), nowMs),
    to_at: Math.min(Date.parse(to), nowMs),
    reason,
    count,
  }));
  for (const [reason, count] of Object.entries(counts))
    if (count > 0) rows.push({ ...origin, from_at: at, to_at: at, reason, count });
  for (const part of chunks(rows)) await db.insertInto('gaps').values(part).execute();
}
