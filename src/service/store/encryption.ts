// Texts that are encrypted in the database, where the service has a key for that: the params of tasks, because they may
// hold passwords of pools, saved sets of pools, the private halves of the keys that tasks are signed with, and the
// secrets of webhooks. What was written before there was a key stays readable.
import { createHmac, hash } from 'node:crypto';
import { decryptWith, encryptWith, isEncrypted, type Vault } from '../../base/storage/vault.ts';
import type { Databases } from './databases.ts';

export type Encryption = {
  /** Without a key the text as it is. */
  encrypt(text: string): string;
  /** Undefined when it was encrypted with another key than ours. */
  decrypt(text: string): string | undefined;
  encryptParams(params: Readonly<Record<string, unknown>>): string;
  decryptParams(text: string): Record<string, unknown> | undefined;
  /** By which a text is known again. With a key no guess of a password in it can be tried on the database alone. */
  digest(text: string): string;
};

const NO_PARAMS = '{}';
const DIGEST_PURPOSE = 'pithead: digests of requests';

export function createEncryption(vault: Vault | undefined): Encryption {
  const encrypt = (text: string) => encryptWith(vault, text);
  const decrypt = (text: string) => decryptWith(vault, text);
  const digestKey = vault?.derive(DIGEST_PURPOSE);
  return {
    encrypt,
    decrypt,
    encryptParams(params) {
      const text = JSON.stringify(params);
      return text === NO_PARAMS ? text : encrypt(text);
    },
    decryptParams(text) {
      const opened = decrypt(text);
      return opened === undefined ? undefined : JSON.parse(opened);
    },
    digest: (text) =>
      digestKey === undefined ? hash('sha256', text) : createHmac('sha256', digestKey).update(text).digest('hex'),
  };
}

const PAGE = 500;

/** Encrypts what was written before there was a key. */
export async function encryptPlaintext({ write, transact }: Databases, encryption: Encryption): Promise<void> {
  for (let after = ''; ; ) {
    const rows = await write
      .selectFrom('task_batches')
      .select(['id', 'params'])
      .where('id', '>', after)
      .where('params', '<>', NO_PARAMS)
      .where('params', 'not like', 'sealed:%')
      .orderBy('id')
      .limit(PAGE)
      .execute();
    await transact(async (trx) => {
      for (const { id, params } of rows)
        await trx
          .updateTable('task_batches')
          .set({ params: encryption.encrypt(params) })
          .where('id', '=', id)
          .execute();
    });
    const last = rows.at(-1);
    if (last === undefined) break;
    after = last.id;
  }
  const keys = await write.selectFrom('task_keys').select(['id', 'private_key']).execute();
  for (const { id, private_key } of keys.filter((key) => !isEncrypted(key.private_key))) {
    const encrypted = { private_key: encryption.encrypt(private_key) };
    await write.updateTable('task_keys').set(encrypted).where('id', '=', id).execute();
  }
  await encryptWebhookSecrets(write, encryption);
  await encryptPoolSets(write, encryption);
}

async function encryptPoolSets(write: Databases['write'], { encrypt }: Encryption): Promise<void> {
  const sets = await write.selectFrom('pool_sets').select(['farm_id', 'name', 'pools']).execute();
  for (const { farm_id, name, pools } of sets.filter((set) => !isEncrypted(set.pools)))
    await write
      .updateTable('pool_sets')
      .set({ pools: encrypt(pools) })
      .where('farm_id', '=', farm_id)
      .where('name', '=', name)
      // Another copy may have saved it anew since.
      .where('pools', '=', pools)
      .execute();
}

async function encryptWebhookSecrets(write: Databases['write'], { encrypt }: Encryption): Promise<void> {
  const columns = ['secret', 'older_secret'] as const;
  for (const column of columns)
    for (const { id, kept } of await write
      .selectFrom('webhooks')
      .select(['id', `${column} as kept`])
      .execute())
      if (kept !== null && !isEncrypted(kept))
        await write
          .updateTable('webhooks')
          .set({ [column]: encrypt(kept) })
          .where('id', '=', id)
          // Another copy may have rotated it since.
          .where(column, '=', kept)
          .execute();
}
