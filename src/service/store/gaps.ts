// Stores what is missing of what an agent produced: gaps that it declares, and records of a slice that were not stored.
// Each is a row, up to a number that no honest agent reaches: what comes then is counted in one row of the agent.
import type { GapRecord } from '../../wire/records.ts';
import { chunks, countAll } from './rows.ts';
import type { Db, Row } from './schema.ts';

/** Of one agent; they are kept for 90 days. */
const MAX_ROWS = 10_000;
/** Of the row that counts the others. No agent can make one like it: its epoch is a UUID. */
const MORE = { epoch: '', reason: 'more' } as const;

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
  if (rows.length === 0) return;
  const stored = await countAll(db.selectFrom('gaps').where('agent_id', '=', agentId));
  const room = Math.max(0, MAX_ROWS - stored);
  for (const part of chunks(rows.slice(0, room))) await db.insertInto('gaps').values(part).execute();
  await addToMore(db, origin, rows.slice(room));
}

async function addToMore(
  db: Db,
  { agent_id, seq }: Pick<Row<'gaps'>, 'agent_id' | 'seq'>,
  rows: readonly Row<'gaps'>[],
): Promise<void> {
  if (rows.length === 0) return;
  const isMore = { agent_id, ...MORE };
  const before = await db
    .selectFrom('gaps')
    .select(['from_at', 'to_at', 'count'])
    .where((eb) => eb.and(isMore))
    .executeTakeFirst();
  const all = before === undefined ? rows : [...rows, before];
  const sum = {
    from_at: Math.min(...all.map(({ from_at }) => from_at)),
    to_at: Math.max(...all.map(({ to_at }) => to_at)),
    count: all.map(({ count }) => count).reduce(addCounts),
  };
  if (before === undefined)
    await db
      .insertInto('gaps')
      .values({ ...isMore, seq, ...sum })
      .execute();
  else
    await db
      .updateTable('gaps')
      .set(sum)
      .where((eb) => eb.and(isMore))
      .execute();
}

/** One that is not known makes the sum unknown. */
const addCounts = (a: number | null, b: number | null) =>
  a === null || b === null ? null : Math.min(Number.MAX_SAFE_INTEGER, a + b);
