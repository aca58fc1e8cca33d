// The keys that tasks are signed with, the newest in use, the same for all copies of the service. It makes no key and
// signs nothing itself.
import { isEncrypted } from '../../../base/storage/vault.ts';
import type { KeyChange } from '../../../wire/frames.ts';
import type { Databases } from '../databases.ts';
import type { Encryption } from '../encryption.ts';
import type { Db } from '../schema.ts';

/** Both halves in DER as base64, SPKI and PKCS 8. */
export type KeyPair = { readonly publicKey: string; readonly privateKey: string };

/** `privateKey` undefined = it was encrypted with another key than ours. */
export type TaskKey = { readonly id: number; readonly publicKey: string; readonly privateKey: string | undefined };

export type TaskKeyStore = ReturnType<typeof createTaskKeyStore>;

/** Whether the key in use is encrypted. */
export async function isKeyEncrypted(db: Db): Promise<boolean> {
  const row = await db.selectFrom('task_keys').select('private_key').orderBy('id', 'desc').limit(1).executeTakeFirst();
  return row !== undefined && isEncrypted(row.private_key);
}

export function createTaskKeyStore({ read, transact, lock }: Databases, encryption: Encryption) {
  const newest = async (db: Db): Promise<TaskKey | undefined> => {
    const row = await db
      .selectFrom('task_keys')
      .select(['id', 'public_key', 'private_key'])
      .orderBy('id', 'desc')
      .limit(1)
      .executeTakeFirst();
    return row && { id: row.id, publicKey: row.public_key, privateKey: encryption.decrypt(row.private_key) };
  };
  const insert = async (db: Db, id: number, pair: KeyPair, endorsement: string | null, nowMs: number) => {
    const { publicKey: public_key, privateKey } = pair;
    const row = { id, public_key, private_key: encryption.encrypt(privateKey), endorsement, created_at: nowMs };
    await db.insertInto('task_keys').values(row).execute();
    return { id, ...pair };
  };
  return {
    /** Of the key in use; undefined before there is one. */
    async currentId(): Promise<number | undefined> {
      const row = await read.selectFrom('task_keys').select('id').orderBy('id', 'desc').limit(1).executeTakeFirst();
      return row?.id;
    },
    currentPublic: async (): Promise<string | undefined> => (await newest(read))?.publicKey,
    /** The key in use; the first is what `make` gives. */
    current: (make: () => KeyPair, nowMs: number): Promise<TaskKey> =>
      transact(async (trx) => {
        await lock(trx, 'task-keys');
        return (await newest(trx)) ?? insert(trx, 1, make(), null, nowMs);
      }),
    /**
     * How each key but the first followed from the one before, oldest first, the newest `limit` of them; without those
     * that it did not sign.
     */
    async changes(limit: number): Promise<readonly KeyChange[]> {
      const rows = await read
        .selectFrom('task_keys')
        .select(['public_key', 'endorsement'])
        .orderBy('id', 'desc')
        .limit(limit + 1)
        .execute();
      return rows.toReversed().flatMap(({ public_key: to, endorsement: signature }, index, all) => {
        const from = all[index - 1]?.public_key;
        return from === undefined || signature === null ? [] : [{ from, to, signature }];
      });
    },
    /** Replaces the key in use; `endorse` gives the signature by the old key, null where that cannot sign any more. */
    replace: (
      make: () => KeyPair,
      endorse: (from: TaskKey, to: string) => string | null,
      nowMs: number,
    ): Promise<TaskKey> =>
      transact(async (trx) => {
        await lock(trx, 'task-keys');
        const from = await newest(trx);
        const pair = make();
        return insert(trx, (from?.id ?? 0) + 1, pair, from === undefined ? null : endorse(from, pair.publicKey), nowMs);
      }),
  };
}
