// The feed of a webhook: the next page of events, and how far it has come. Of its farms the one whose next event is the
// oldest comes first: after a failure every copy goes on with the same message.
import { yieldToEventLoop } from '../../../base/clock.ts';
import type { Databases } from '../databases.ts';
import { appendEvents, OF_SERVICE } from '../events/append.ts';
import type { Cursor } from '../events/cursor.ts';
import { EVENT_COLUMNS, type MinerEvent, toEvent } from '../events/events.ts';
import { chunks } from '../rows.ts';
import type { Db } from '../schema.ts';
import { trimDeadLetters } from './dead-letters.ts';
import { positionsOf } from './webhook-cursors.ts';
import {
  type Held,
  holdLease,
  type LeasedWebhook,
  type MayGoOn,
  type WebhookStanding,
  writeFailure,
  writeSuccess,
} from './webhook-lease.ts';
import type { WebhookFailure } from './webhook-rows.ts';

/** Events of one farm, of every type, in their order. `head`: the newest position when it was read. */
export type WebhookPage = {
  readonly farmId: string;
  readonly after: number;
  readonly head: number;
  readonly events: readonly MinerEvent[];
};

/** Events read at a time where none is sent. */
const PORTION = 500;

export function createWebhookFeed({ read, transact }: Databases) {
  return {
    /** Undefined = nothing came after what the webhook has. */
    async nextPage(webhook: LeasedWebhook, limit: number): Promise<WebhookPage | undefined> {
      const place = await oldestPlace(read, webhook);
      return place && { ...place, events: await readEvents(read, place, limit) };
    },
    noteDelivered: (webhook: LeasedWebhook, at: Cursor, nowMs: number): Promise<MayGoOn> =>
      transact(async (trx) => {
        const held = await writeSuccess(trx, webhook, nowMs);
        return held !== undefined && moveCursor(trx, webhook, held, at);
      }),
    /** Goes on behind events that are not for it. An event says how many were removed before it came to them. */
    skip: (webhook: LeasedWebhook, at: Cursor, lost: number, nowMs: number): Promise<MayGoOn> =>
      transact(async (trx) => {
        const held = await holdLease(trx, webhook, nowMs);
        if (held === undefined) return false;
        const mayGoOn = await moveCursor(trx, webhook, held, at);
        if (lost > 0 && mayGoOn) await recordLost(trx, webhook, new Map([[at.farmId, lost]]), nowMs);
        return mayGoOn;
      }),
    /** The event becomes a dead letter. */
    giveUp: (
      webhook: LeasedWebhook,
      at: Cursor,
      standing: WebhookStanding,
      failure: WebhookFailure,
    ): Promise<MayGoOn> =>
      transact(async (trx) => {
        if (!(await writeFailure(trx, webhook, standing, failure))) return false;
        const lost = await addDeadLetters(trx, webhook, [at], standing.attempts, failure);
        const mayGoOn = await moveCursor(trx, webhook, { farmIds: webhook.farmIds, isUnchanged: true }, at);
        await recordLost(trx, webhook, lost, failure.atMs);
        return mayGoOn;
      }),
    /**
     * In portions: every event that comes next and happened at `untilMs` or before becomes a dead letter. Gives how
     * many; ends early when the lease is lost or `signal` aborts.
     */
    async giveUpUntil(
      webhook: LeasedWebhook,
      { untilMs, failure, attempts, nowMs, signal }: GivingUp,
    ): Promise<number> {
      let count = 0;
      for (const farmId of (await positionsOf(read, webhook)).keys())
        for (let isDone = false; !isDone && !signal.aborted; await yieldToEventLoop()) {
          const given = await transact(async (trx) => {
            const held = await holdLease(trx, webhook, nowMs());
            if (held?.isUnchanged !== true) return undefined;
            const after = (await positionsOf(trx, webhook)).get(farmId) ?? 0;
            const events = await readEvents(trx, { farmId, after }, PORTION);
            const end = events.findIndex(({ atMs }) => atMs > untilMs);
            const overdue = end < 0 ? events : events.slice(0, end);
            const last = overdue.at(-1);
            if (last === undefined) return { letters: 0, isLast: true };
            const letters = overdue.filter(({ type }) => isWanted(webhook, type));
            const lost = await addDeadLetters(trx, webhook, letters, attempts, failure);
            await moveCursor(trx, webhook, held, last);
            await recordLost(trx, webhook, lost, failure.atMs);
            return { letters: letters.length, isLast: overdue.length < PORTION };
          });
          if (given === undefined) return count;
          count += given.letters;
          isDone = given.isLast;
        }
      return count;
    },
  };
}

type GivingUp = {
  readonly untilMs: number;
  readonly failure: WebhookFailure;
  readonly attempts: number;
  readonly nowMs: () => number;
  readonly signal: AbortSignal;
};

/** Whether the webhook sends events of this type. */
export const isWanted = ({ types }: Pick<LeasedWebhook, 'types'>, type: string): boolean =>
  types === null || types.includes(type);

async function oldestPlace(db: Db, { id, workspaceId, farmIds }: LeasedWebhook) {
  const places = db
    .selectFrom('farms')
    .innerJoin('event_counts as newest', 'newest.farm_id', 'farms.id')
    .leftJoin('webhook_cursors as place', (join) =>
      join.onRef('place.farm_id', '=', 'farms.id').on('place.webhook_id', '=', id),
    )
    .where('farms.workspace_id', '=', workspaceId)
    .where((eb) => eb('newest.position', '>', eb.fn.coalesce('place.position', eb.lit(0))));
  const rows = await (farmIds === null ? places : places.where('place.farm_id', 'is not', null))
    .select(['farms.id as farmId', 'newest.position as head'])
    .select((eb) => [
      eb.fn.coalesce('place.position', eb.lit(0)).as('after'),
      eb
        .selectFrom('events')
        .select('at')
        .whereRef('events.farm_id', '=', 'farms.id')
        .where((inner) => inner('events.position', '>', inner.fn.coalesce('place.position', inner.lit(0))))
        .orderBy('events.position')
        .limit(1)
        .as('atMs'),
    ])
    .orderBy('farms.id')
    .execute();
  const [oldest] = rows.toSorted((a, b) => (a.atMs ?? 0) - (b.atMs ?? 0));
  return oldest && { farmId: oldest.farmId, head: oldest.head, after: Number(oldest.after) };
}

type Place = { readonly farmId: string; readonly after: number };

async function readEvents(db: Db, { farmId, after }: Place, limit: number): Promise<readonly MinerEvent[]> {
  const rows = await db
    .selectFrom('events')
    .select(EVENT_COLUMNS)
    .where('farm_id', '=', farmId)
    .where('position', '>', after)
    .orderBy('position')
    .limit(limit)
    .execute();
  return rows.map(toEvent);
}

/** Forward only. Does nothing for a farm that the webhook does not cover any more. */
async function moveCursor(
  transaction: Db,
  { id }: LeasedWebhook,
  { farmIds, isUnchanged }: Held,
  { farmId, position }: Cursor,
): Promise<MayGoOn> {
  if (farmIds === null || farmIds.includes(farmId))
    await transaction
      .insertInto('webhook_cursors')
      .values({ webhook_id: id, farm_id: farmId, position })
      .onConflict((conflict) =>
        conflict
          .columns(['webhook_id', 'farm_id'])
          .doUpdateSet({ position })
          .where('webhook_cursors.position', '<', position),
      )
      .execute();
  return isUnchanged;
}

/** Gives how many dead letters had to go for them, by farm. */
async function addDeadLetters(
  transaction: Db,
  { id }: LeasedWebhook,
  events: readonly Cursor[],
  attempts: number,
  { atMs, error }: WebhookFailure,
): Promise<ReadonlyMap<string, number>> {
  const rows = events.map(({ farmId, position }) => ({
    ...{ webhook_id: id, farm_id: farmId, position, failed_at: atMs, attempts, reason: error, is_to_be_sent: 0 },
  }));
  for (const part of chunks(rows))
    await transaction
      .insertInto('webhook_dead_letters')
      .values(part)
      .onConflict((conflict) => conflict.doNothing())
      .execute();
  return rows.length > 0 ? trimDeadLetters(transaction, id) : new Map();
}

/** Events that the receiver never gets, by farm. As the last thing of its transaction. */
const recordLost = (transaction: Db, { id, name }: LeasedWebhook, lost: ReadonlyMap<string, number>, nowMs: number) =>
  appendEvents(
    transaction,
    [...lost].map(([farmId, count]) => ({
      ...{ farmId, agentId: OF_SERVICE, minerId: null, type: 'webhook_events_lost', atMs: nowMs },
      detail: { webhook_id: id, name, count },
    })),
  );
