// Requests that are carried out once though they are sent again: what was answered to an idempotency key, kept in the
// transaction of what was done.
import { hash } from 'node:crypto';
import { RefusedError } from '../../../base/errors.ts';
import type { Audited } from '../databases.ts';
import type { Db } from '../schema.ts';

/** A request that has such a key. Keys count per caller; those older than `sinceMs` count as unknown. */
export type Once = {
  readonly callerId: string;
  readonly key: string;
  /** As it was sent: the same key with another one is a mistake. */
  readonly body: string;
  readonly sinceMs: number;
};

type Keyed = { readonly once: Once | undefined; readonly farmId: string; readonly nowMs: number };

/**
 * What `work` gives, now or the first time; `read` makes it of the text that `write` made. What is `undefined` there is
 * not kept. Throws RefusedError `request.conflict` where the key was used for something else.
 */
export async function onceOnly<T>(
  trx: Db,
  lock: Audited['lock'],
  { once, farmId, nowMs }: Keyed,
  { work, write, read }: { work(): Promise<T>; write(done: T): string | undefined; read(text: string): T },
): Promise<T> {
  if (once === undefined) return work();
  const { callerId, key, body, sinceMs } = once;
  const bodyHash = `${farmId} ${hash('sha256', body, 'base64url')}`;
  await lock(trx, `request ${callerId} ${key}`);
  const before = await trx
    .selectFrom('idempotency_keys')
    .select(['body_hash', 'response'])
    .where('api_key_id', '=', callerId)
    .where('key', '=', key)
    .where('created_at', '>', sinceMs)
    .executeTakeFirst();
  if (before !== undefined) {
    if (before.body_hash !== bodyHash) throw new RefusedError('request.conflict');
    return read(before.response);
  }
  const done = await work();
  const response = write(done);
  if (response === undefined) return done;
  const values = { body_hash: bodyHash, response, created_at: nowMs };
  await trx
    .insertInto('idempotency_keys')
    .values({ api_key_id: callerId, key, ...values })
    .onConflict((conflict) => conflict.columns(['api_key_id', 'key']).doUpdateSet(values))
    .execute();
  return done;
}
