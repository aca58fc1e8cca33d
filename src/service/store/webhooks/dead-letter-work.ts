// Dead letters that are sent once more because a person asks for it: one attempt each.
import type { Databases } from '../databases.ts';
import type { Cursor } from '../events/cursor.ts';
import { EVENT_COLUMNS, type MinerEvent, toEvent } from '../events/events.ts';
import type { Db } from '../schema.ts';
import { type LeasedWebhook, type MayGoOn, type WebhookStanding, writeFailure, writeSuccess } from './webhook-lease.ts';
import type { WebhookFailure } from './webhook-rows.ts';

export function createDeadLetterWork({ read, transact }: Databases) {
  return {
    /** Those that are to be sent now, in the order of their farms and positions. */
    async askedFor({ id }: LeasedWebhook, limit: number): Promise<readonly MinerEvent[]> {
      const rows = await read
        .selectFrom('webhook_dead_letters as letter')
        .innerJoin('events', (join) =>
          join.onRef('events.farm_id', '=', 'letter.farm_id').onRef('events.position', '=', 'letter.position'),
        )
        .select(EVENT_COLUMNS.map((column) => `events.${column}` as const))
        .where('letter.webhook_id', '=', id)
        .where('is_to_be_sent', '=', 1)
        .orderBy('letter.farm_id')
        .orderBy('letter.position')
        .limit(limit)
        .execute();
      return rows.map(toEvent);
    },
    /** It is no dead letter any more. */
    noteResent: (webhook: LeasedWebhook, at: Cursor, nowMs: number): Promise<MayGoOn> =>
      transact(async (trx) => {
        const held = await writeSuccess(trx, webhook, nowMs);
        if (held === undefined) return false;
        await trx
          .deleteFrom('webhook_dead_letters')
          .where('webhook_id', '=', webhook.id)
          .where('farm_id', '=', at.farmId)
          .where('position', '=', at.position)
          .execute();
        return held.isUnchanged;
      }),
    /** It stays one, until a person asks again. */
    noteResendFailed: (
      webhook: LeasedWebhook,
      at: Cursor,
      standing: WebhookStanding,
      failure: WebhookFailure,
    ): Promise<MayGoOn> =>
      transact(async (trx) => {
        if (!(await writeFailure(trx, webhook, standing, failure))) return false;
        await keepLetter(trx, webhook, at, failure);
        return true;
      }),
  };
}

const keepLetter = (transaction: Db, { id }: LeasedWebhook, at: Cursor, { atMs, error }: WebhookFailure) =>
  transaction
    .updateTable('webhook_dead_letters')
    .set((eb) => ({ is_to_be_sent: 0, failed_at: atMs, reason: error, attempts: eb('attempts', '+', 1) }))
    .where('webhook_id', '=', id)
    .where('farm_id', '=', at.farmId)
    .where('position', '=', at.position)
    .execute();
