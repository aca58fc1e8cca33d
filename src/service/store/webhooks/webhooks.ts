// The webhooks of a workspace as people see and change them. What sends them: webhook-delivery.ts.

import { RefusedError } from '../../../base/errors.ts';
import type { Audited } from '../databases.ts';
import type { Encryption } from '../encryption.ts';
import type { Window } from '../rows.ts';
import type { Db } from '../schema.ts';
import { listDeadLetters, markForResend } from './dead-letters.ts';
import { countPending, coverFarms, type Pending, positionsOf } from './webhook-cursors.ts';
import { newSecret, toJsonOrNull, toWebhook, type Webhook, type WebhookState } from './webhook-rows.ts';

export const MOST_WEBHOOKS = 20;

type NewWebhook = Pick<Webhook, 'workspaceId' | 'name' | 'url' | 'farmIds' | 'types'> & { readonly nowMs: number };
export type WebhookChanges = {
  readonly name?: string | undefined;
  readonly url?: string | undefined;
  readonly farmIds?: readonly string[] | null | undefined;
  readonly types?: readonly string[] | null | undefined;
  /** Active again: what it failed at before does not count. */
  readonly state?: Exclude<WebhookState, 'disabled'> | undefined;
};
/** `secret` is shown this once. */
type WithSecret = { readonly webhook: Webhook; readonly secret: string };

export type WebhookStore = ReturnType<typeof createWebhookStore>;

export function createWebhookStore(databases: Audited, encryption: Encryption, newId: (nowMs: number) => string) {
  const { read, transact } = databases;
  const change = createChanges(databases, encryption, newId);
  return {
    ...change,
    /** Oldest first. */
    async list(workspaceId: string): Promise<readonly Webhook[]> {
      const rows = await read
        .selectFrom('webhooks')
        .selectAll()
        .where('workspace_id', '=', workspaceId)
        .orderBy('id')
        .execute();
      return rows.map(toWebhook);
    },
    find: (workspaceId: string, id: string): Promise<Webhook | undefined> => findWebhook(read, workspaceId, id),
    /** Of the next 10,000 events of its farms. */
    pending: (webhook: Webhook): Promise<Pending> => countPending(read, webhook),
    /** Newest first. */
    deadLetters: (workspaceId: string, id: string, window: Window) => listDeadLetters(read, workspaceId, id, window),
    /**
     * Has dead letters sent once more, all of them where no ids are given; gives how many. Undefined = no such webhook.
     */
    resend: (workspaceId: string, id: string, { ids }: { readonly ids?: readonly string[] | undefined } = {}) =>
      transact(async (trx) =>
        (await findWebhook(trx, workspaceId, id)) === undefined ? undefined : markForResend(trx, id, ids),
      ),
  };
}

function createChanges({ transact, lock }: Audited, encryption: Encryption, newId: (nowMs: number) => string) {
  return {
    /** Begins with the next event of each farm. Throws RefusedError `webhooks.full`, and for a farm of others. */
    create: ({ nowMs, ...made }: NewWebhook): Promise<WithSecret> =>
      transact(async (trx) => {
        await lock(trx, `webhooks ${made.workspaceId}`);
        await requireRoom(trx, made.workspaceId);
        const [id, secret] = [newId(nowMs), newSecret()];
        const { workspaceId: workspace_id, name, url, farmIds, types } = made;
        const filter = { farm_ids: toJsonOrNull(farmIds), types: toJsonOrNull(types) };
        const times = { secret_at: nowMs, created_at: nowMs, updated_at: nowMs };
        const keyed = { id, workspace_id, secret: encryption.encrypt(secret) };
        const row = await trx
          .insertInto('webhooks')
          .values({ ...keyed, name, url, state: 'active', attempts: 0, ...filter, ...times })
          .returningAll()
          .executeTakeFirstOrThrow();
        const webhook = toWebhook(row);
        await coverFarms(trx, webhook, new Map());
        return { webhook, secret };
      }),
    /** Undefined = there is none. Throws RefusedError for a farm of another workspace. */
    update: (workspaceId: string, id: string, changes: WebhookChanges, nowMs: number): Promise<Webhook | undefined> =>
      transact(async (trx) => {
        await lock(trx, `webhooks ${workspaceId}`);
        const before = await findWebhook(trx, workspaceId, id);
        return before && updateWebhook(trx, before, changes, nowMs);
      }),
    /** With its dead letters. Says whether there was one. */
    remove: (workspaceId: string, id: string): Promise<boolean> =>
      transact(async (trx) => {
        const { numDeletedRows } = await trx
          .deleteFrom('webhooks')
          .where('id', '=', id)
          .where('workspace_id', '=', workspaceId)
          .executeTakeFirst();
        if (numDeletedRows === 0n) return false;
        await trx.deleteFrom('webhook_cursors').where('webhook_id', '=', id).execute();
        await trx.deleteFrom('webhook_dead_letters').where('webhook_id', '=', id).execute();
        return true;
      }),
    /**
     * A new secret; messages are signed with it and, for `overlapMs`, with the one before. One that was older than that
     * ends at once. Undefined = no such webhook.
     */
    rotate: (
      workspaceId: string,
      id: string,
      { overlapMs, nowMs }: { readonly overlapMs: number; readonly nowMs: number },
    ): Promise<WithSecret | undefined> =>
      transact(async (trx) => {
        await lock(trx, `webhooks ${workspaceId}`);
        const secret = newSecret();
        const row = await trx
          .updateTable('webhooks')
          .set((eb) => ({
            secret: encryption.encrypt(secret),
            secret_at: nowMs,
            older_secret: overlapMs > 0 ? eb.ref('secret') : null,
            older_secret_at: overlapMs > 0 ? eb.ref('secret_at') : null,
            older_secret_expires_at: overlapMs > 0 ? nowMs + overlapMs : null,
            updated_at: nowMs,
          }))
          .where('id', '=', id)
          .where('workspace_id', '=', workspaceId)
          .returningAll()
          .executeTakeFirst();
        return row && { webhook: toWebhook(row), secret };
      }),
  };
}

async function updateWebhook(
  transaction: Db,
  before: Webhook,
  changes: WebhookChanges,
  nowMs: number,
): Promise<Webhook> {
  const { name, url, farmIds, types, state } = changes;
  const row = await transaction
    .updateTable('webhooks')
    .set({
      ...(name === undefined ? {} : { name }),
      ...(url === undefined ? {} : { url }),
      ...(farmIds === undefined ? {} : { farm_ids: toJsonOrNull(farmIds) }),
      ...(types === undefined ? {} : { types: toJsonOrNull(types) }),
      ...(state === undefined ? {} : { state, disabled_reason: null }),
      // A new address or a new start is tried at once.
      ...(state === 'active' || url !== undefined ? FRESH : {}),
      updated_at: nowMs,
    })
    .where('id', '=', before.id)
    .returningAll()
    .executeTakeFirstOrThrow();
  const webhook = toWebhook(row);
  if (farmIds !== undefined) await coverFarms(transaction, webhook, await positionsOf(transaction, before));
  return webhook;
}

/** Nothing has failed yet. */
const FRESH = { attempts: 0, failing_since: null, given_up_at: null, next_attempt_at: null } as const;

async function findWebhook(db: Db, workspaceId: string, id: string): Promise<Webhook | undefined> {
  const row = await db
    .selectFrom('webhooks')
    .selectAll()
    .where('id', '=', id)
    .where('workspace_id', '=', workspaceId)
    .executeTakeFirst();
  return row && toWebhook(row);
}

async function requireRoom(transaction: Db, workspaceId: string): Promise<void> {
  const rows = await transaction.selectFrom('webhooks').select('id').where('workspace_id', '=', workspaceId).execute();
  if (rows.length >= MOST_WEBHOOKS)
    throw new RefusedError(
      'webhooks.full',
      `Add a webhook: the workspace has ${rows.length}, accepted are ${MOST_WEBHOOKS}; remove one first`,
    );
}
