// Events that a webhook was given up for. They refer to the feed, and go with their event.

import { OF_SERVICE } from '../events/append.ts';
import { type Cursor, parseCursor, toCursor } from '../events/cursor.ts';
import { chunks, countAll, type Window } from '../rows.ts';
import type { Db } from '../schema.ts';

/** `id` = that of the event. `isToBeSent` = once more, see `resend`. `agentId` null = about the service. */
export type DeadLetter = {
  readonly id: string;
  readonly farmId: string;
  readonly type: string;
  readonly minerId: string | null;
  readonly agentId: string | null;
  /** When the event happened; when the last attempt failed, or the event was given up without one. */
  readonly atMs: number;
  readonly failedAtMs: number;
  /** Of the webhook, failed in a row by then; and those of this event that were asked for and failed. */
  readonly attempts: number;
  readonly reason: string;
  readonly isToBeSent: boolean;
};

export async function listDeadLetters(
  db: Db,
  workspaceId: string,
  webhookId: string,
  window: Window,
): Promise<{ deadLetters: DeadLetter[]; total: number }> {
  const wanted = db
    .selectFrom('webhook_dead_letters as letter')
    .innerJoin('webhooks', 'webhooks.id', 'letter.webhook_id')
    .innerJoin('events as event', (join) =>
      join.onRef('event.farm_id', '=', 'letter.farm_id').onRef('event.position', '=', 'letter.position'),
    )
    .where('webhooks.workspace_id', '=', workspaceId)
    .where('letter.webhook_id', '=', webhookId);
  const rows = await wanted
    .select(['letter.farm_id', 'letter.position', 'failed_at', 'letter.attempts', 'reason', 'is_to_be_sent'])
    .select(['type', 'miner_id', 'agent_id', 'at'])
    .orderBy('failed_at', 'desc')
    .orderBy('letter.farm_id')
    .orderBy('letter.position', 'desc')
    .limit(window.limit)
    .offset(window.offset)
    .execute();
  const { n } = await wanted.select((eb) => eb.fn.countAll<number>().as('n')).executeTakeFirstOrThrow();
  const deadLetters = rows.map((row) => ({
    id: toCursor({ farmId: row.farm_id, position: row.position }),
    farmId: row.farm_id,
    type: row.type,
    minerId: row.miner_id,
    agentId: row.agent_id === OF_SERVICE ? null : row.agent_id,
    atMs: row.at,
    failedAtMs: row.failed_at,
    attempts: row.attempts,
    reason: row.reason,
    isToBeSent: row.is_to_be_sent === 1,
  }));
  return { deadLetters, total: Number(n) };
}

/** Of a webhook. */
const MOST_DEAD_LETTERS = 100_000;

/** Keeps as many as a webhook may have, the newest. Gives how many it removed of each farm. */
export async function trimDeadLetters(
  transaction: Db,
  webhookId: string,
  most = MOST_DEAD_LETTERS,
): Promise<ReadonlyMap<string, number>> {
  const removed = new Map<string, number>();
  const letters = transaction.selectFrom('webhook_dead_letters').where('webhook_id', '=', webhookId);
  const excess = (await countAll(letters)) - most;
  if (excess <= 0) return removed;
  const oldest = await letters
    .select(['farm_id', 'position'])
    .orderBy('failed_at')
    .orderBy('farm_id')
    .orderBy('position')
    .limit(excess)
    .execute();
  for (const [farmId, ofFarm] of Map.groupBy(oldest, ({ farm_id }) => farm_id)) {
    removed.set(farmId, ofFarm.length);
    for (const part of chunks(ofFarm))
      await transaction
        .deleteFrom('webhook_dead_letters')
        .where('webhook_id', '=', webhookId)
        .where('farm_id', '=', farmId)
        .where(
          'position',
          'in',
          part.map(({ position }) => position),
        )
        .execute();
  }
  return removed;
}

/** Of events that are kept no longer. */
export async function pruneDeadLetters(write: Db): Promise<void> {
  await write
    .deleteFrom('webhook_dead_letters')
    .where((eb) =>
      eb.not(
        eb.exists(
          eb
            .selectFrom('events')
            .select('events.farm_id')
            .whereRef('events.farm_id', '=', 'webhook_dead_letters.farm_id')
            .whereRef('events.position', '=', 'webhook_dead_letters.position'),
        ),
      ),
    )
    .execute();
}

/** Those of these ids, or all. Gives how many there were. */
export async function markForResend(
  transaction: Db,
  webhookId: string,
  ids: readonly string[] | undefined,
): Promise<number> {
  const marked = transaction
    .updateTable('webhook_dead_letters')
    .set({ is_to_be_sent: 1 })
    .where('webhook_id', '=', webhookId);
  if (ids === undefined) return Number((await marked.executeTakeFirst()).numUpdatedRows);
  let count = 0;
  const cursors = ids.map(parseCursor).filter((cursor): cursor is Cursor => cursor !== undefined);
  for (const [farmId, ofFarm] of Map.groupBy(cursors, (cursor) => cursor.farmId))
    for (const part of chunks(ofFarm)) {
      const positions = part.map(({ position }) => position);
      const { numUpdatedRows } = await marked
        .where('farm_id', '=', farmId)
        .where('position', 'in', positions)
        .executeTakeFirst();
      count += Number(numUpdatedRows);
    }
  return count;
}
