// What a copy of the service needs to send for webhooks: which have something to send, a lease for one at a time, and
// its progress. Everything that is written depends on the lease, so that a copy that was paused moves nothing back.
import { type ExpressionBuilder, sql } from 'kysely';
import type { Databases } from '../databases.ts';
import type { Encryption } from '../encryption.ts';
import { appendEvents, OF_SERVICE } from '../events/append.ts';
import { CLOCKS_DIFFER_MS } from '../rows.ts';
import type { Db, Row, Tables } from '../schema.ts';
import { createDeadLetterWork } from './dead-letter-work.ts';
import { positionsOf } from './webhook-cursors.ts';
import { createWebhookFeed } from './webhook-feed.ts';
import { LEASE_MS, type LeasedWebhook, type MayGoOn, type WebhookStanding, writeFailure } from './webhook-lease.ts';
import { type DisabledReason, toWebhook, type Webhook, type WebhookFailure } from './webhook-rows.ts';

/** No wait is longer; one that is was written before the clock was set back. */
const LONGEST_WAIT_MS = 7_200_000;

export type WebhookDeliveryStore = ReturnType<typeof createWebhookDeliveryStore>;

export function createWebhookDeliveryStore(databases: Databases, encryption: Encryption) {
  const { read, write, transact } = databases;
  return {
    ...createWebhookFeed(databases),
    ...createDeadLetterWork(databases),
    /** Ids of webhooks that have something to send now, and which no other copy sends for. */
    async due(copyId: string, nowMs: number): Promise<readonly string[]> {
      const rows = await read
        .selectFrom('webhooks')
        .select('id')
        .where(mayTake(copyId, nowMs))
        .where(hasWork)
        .orderBy('id')
        .execute();
      return rows.map(({ id }) => id);
    },
    /** Undefined = another copy has it, or it is not active. */
    async take(id: string, copyId: string, nowMs: number): Promise<LeasedWebhook | undefined> {
      const row = await write
        .updateTable('webhooks')
        .set({ leased_by: copyId, leased_until: nowMs + LEASE_MS })
        .where('id', '=', id)
        .where(mayTake(copyId, nowMs))
        .returningAll()
        .executeTakeFirst();
      return row && toLeased(row, copyId, liveSecrets(row, encryption, nowMs));
    },
    /** Those that live, of a webhook in whatever state. */
    async secretsOf({ id }: Pick<Webhook, 'id'>, nowMs: number): Promise<readonly string[]> {
      const row = await read.selectFrom('webhooks').selectAll().where('id', '=', id).executeTakeFirst();
      return row === undefined ? [] : liveSecrets(row, encryption, nowMs);
    },
    /** Others may take what this copy has. */
    async release(copyId: string): Promise<void> {
      const none = { leased_by: null, leased_until: null };
      await write.updateTable('webhooks').set(none).where('leased_by', '=', copyId).execute();
    },
    /** An attempt failed, and is tried again when `standing` says. */
    noteFailure: (webhook: LeasedWebhook, standing: WebhookStanding, failure: WebhookFailure): Promise<MayGoOn> =>
      transact((trx) => writeFailure(trx, webhook, standing, failure)),
    /** With an event in each farm that it covers. */
    disable: (webhook: LeasedWebhook, { standing, reason, failure }: Disabling): Promise<MayGoOn> =>
      transact(async (trx) => {
        if (!(await writeFailure(trx, webhook, standing, failure))) return false;
        const { id, name } = webhook;
        const disabled = { state: 'disabled', disabled_reason: reason, leased_by: null, leased_until: null };
        await trx.updateTable('webhooks').set(disabled).where('id', '=', id).execute();
        const running = await runningFarms(trx, [...(await positionsOf(trx, webhook)).keys()]);
        const detail = { webhook_id: id, name, reason };
        const event = { agentId: OF_SERVICE, minerId: null, type: 'webhook_disabled', atMs: failure.atMs, detail };
        await appendEvents(
          trx,
          running.map((farmId) => ({ farmId, ...event })),
        );
        return true;
      }),
  };
}

type Disabling = {
  readonly standing: WebhookStanding;
  readonly reason: DisabledReason;
  readonly failure: WebhookFailure;
};
type Builder = ExpressionBuilder<Tables, 'webhooks'>;

/** Active, due, and not with another copy. */
const mayTake = (copyId: string, nowMs: number) => (eb: Builder) =>
  eb.and([
    eb('state', '=', 'active'),
    eb.or([
      eb('leased_by', 'is', null),
      eb('leased_by', '=', copyId),
      eb('leased_until', '<=', nowMs),
      eb('leased_until', '>', nowMs + LEASE_MS + CLOCKS_DIFFER_MS),
    ]),
    eb.or([
      eb('next_attempt_at', 'is', null),
      eb('next_attempt_at', '<=', nowMs),
      eb('next_attempt_at', '>', nowMs + LONGEST_WAIT_MS),
    ]),
  ]);

/** Something came after a cursor, in a farm without a cursor, or is asked for once more. */
const hasWork = (eb: Builder) =>
  eb.or([
    eb.exists(
      eb
        .selectFrom('webhook_cursors as place')
        .innerJoin('event_counts as head', 'head.farm_id', 'place.farm_id')
        .select('place.farm_id')
        .whereRef('place.webhook_id', '=', 'webhooks.id')
        .whereRef('head.position', '>', 'place.position'),
    ),
    eb.and([
      eb('farm_ids', 'is', null),
      eb.exists(
        eb
          .selectFrom('farms')
          .innerJoin('event_counts as head', 'head.farm_id', 'farms.id')
          .leftJoin('webhook_cursors as place', (join) =>
            join.onRef('place.farm_id', '=', 'farms.id').onRef('place.webhook_id', '=', 'webhooks.id'),
          )
          .select('farms.id')
          .whereRef('farms.workspace_id', '=', 'webhooks.workspace_id')
          .where('place.farm_id', 'is', null),
      ),
    ]),
    eb.exists(
      eb
        .selectFrom('webhook_dead_letters as letter')
        .select(sql`1`.as('one'))
        .whereRef('letter.webhook_id', '=', 'webhooks.id')
        .where('is_to_be_sent', '=', 1),
    ),
  ]);

const toLeased = (row: Row<'webhooks'>, leasedBy: string, signWith: readonly string[]): LeasedWebhook => ({
  ...toWebhook(row),
  leasedBy,
  signWith,
  standing: {
    attempts: row.attempts,
    failingSinceMs: row.failing_since,
    givenUpAtMs: row.given_up_at,
    nextAttemptAtMs: row.next_attempt_at,
  },
});

function liveSecrets(row: Row<'webhooks'>, { decrypt }: Encryption, nowMs: number): readonly string[] {
  const isOlderLive = row.older_secret_expires_at !== null && row.older_secret_expires_at > nowMs;
  const kept = [row.secret, ...(isOlderLive && row.older_secret !== null ? [row.older_secret] : [])];
  return kept.map(decrypt).filter((secret) => secret !== undefined);
}

async function runningFarms(db: Db, farmIds: readonly string[]): Promise<readonly string[]> {
  if (farmIds.length === 0) return [];
  const rows = await db
    .selectFrom('farms')
    .select('id')
    .where('id', 'in', farmIds)
    .where('archived_at', 'is', null)
    .execute();
  return rows.map(({ id }) => id);
}
