// The lease of a copy on a webhook, and what is written under it: each write depends on it and renews it, so that a
// copy that was paused changes nothing that another one has begun.
import type { Db } from '../schema.ts';
import type { Webhook, WebhookFailure } from './webhook-rows.ts';

/** Longer than one message takes. */
export const LEASE_MS = 30_000;

/** Failures in a row; all null and 0 = the last attempt did not fail. Times in ms. */
export type WebhookStanding = {
  readonly attempts: number;
  readonly failingSinceMs: number | null;
  readonly givenUpAtMs: number | null;
  readonly nextAttemptAtMs: number | null;
};

/** A webhook that this copy may send for. */
export type LeasedWebhook = Webhook & {
  readonly leasedBy: string;
  readonly standing: WebhookStanding;
  /** Those that live, newest first; empty = they cannot be decrypted. */
  readonly signWith: readonly string[];
};

/** False = the lease is lost, or the webhook was changed since it was taken: what is left is looked at anew. */
export type MayGoOn = boolean;

/** The webhook as it is now, where the lease is still ours. The row stays locked until the transaction ends. */
export type Held = Pick<Webhook, 'farmIds'> & { readonly isUnchanged: boolean };

export async function holdLease(transaction: Db, webhook: LeasedWebhook, nowMs: number): Promise<Held | undefined> {
  return held(webhook, await writeLeased(transaction, webhook, { leased_until: nowMs + LEASE_MS }));
}

/** As `holdLease`; a message was taken by the receiver. */
export async function writeSuccess(transaction: Db, webhook: LeasedWebhook, nowMs: number): Promise<Held | undefined> {
  const standing = toColumns({ attempts: 0, failingSinceMs: null, givenUpAtMs: null, nextAttemptAtMs: null });
  const row = await writeLeased(transaction, webhook, {
    ...{ ...standing, last_success_at: nowMs, leased_until: nowMs + LEASE_MS },
  });
  return held(webhook, row);
}

/** A webhook that was changed since it was taken has begun anew: this failure does not count. */
export async function writeFailure(
  transaction: Db,
  { id, leasedBy, updatedAtMs }: LeasedWebhook,
  standing: WebhookStanding,
  failure: WebhookFailure,
): Promise<MayGoOn> {
  const { numUpdatedRows } = await transaction
    .updateTable('webhooks')
    .set({ ...toColumns(standing), last_failure: JSON.stringify(failure), leased_until: failure.atMs + LEASE_MS })
    .where('id', '=', id)
    .where('leased_by', '=', leasedBy)
    .where('state', '=', 'active')
    .where('updated_at', '=', updatedAtMs)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

type Written = {
  readonly leased_until: number;
  readonly last_success_at?: number;
} & Partial<ReturnType<typeof toColumns>>;

const writeLeased = (transaction: Db, { id, leasedBy }: LeasedWebhook, values: Written) =>
  transaction
    .updateTable('webhooks')
    .set(values)
    .where('id', '=', id)
    .where('leased_by', '=', leasedBy)
    .returning(['state', 'updated_at', 'farm_ids'])
    .executeTakeFirst();

type Row = { readonly state: string; readonly updated_at: number; readonly farm_ids: string | null };

const held = ({ updatedAtMs }: LeasedWebhook, row: Row | undefined): Held | undefined =>
  row && {
    farmIds: row.farm_ids === null ? null : JSON.parse(row.farm_ids),
    isUnchanged: row.updated_at === updatedAtMs && row.state === 'active',
  };

const toColumns = ({ attempts, failingSinceMs, givenUpAtMs, nextAttemptAtMs }: WebhookStanding) => ({
  attempts,
  failing_since: failingSinceMs,
  given_up_at: givenUpAtMs,
  next_attempt_at: nextAttemptAtMs,
});
