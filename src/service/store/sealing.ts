// Texts that lie sealed in the database, where the service has a key for that: the params of tasks, because they may hold passwords of pools, and the
// private halves of the keys that orders are signed with. What was written before there was a key stays readable.
import { isSealed, openWith, sealWith, type Vault } from '../../base/storage/vault.ts';
import type { Databases } from './databases.ts';

export type Sealing = {
  /** Without a key the text as it is. */
  seal(text: string): string;
  /** Undefined when it was sealed with another key than ours. */
  open(text: string): string | undefined;
  sealParams(params: Readonly<Record<string, unknown>>): string;
  openParams(text: string): Record<string, unknown> | undefined;
};

const NO_PARAMS = '{}';

export function createSealing(vault: Vault | undefined): Sealing {
  const seal = (text: string) => sealWith(vault, text);
  const open = (text: string) => openWith(vault, text);
  return {
    seal,
    open,
    sealParams(params) {
      const text = JSON.stringify(params);
      return text === NO_PARAMS ? text : seal(text);
    },
    openParams(text) {
      const opened = open(text);
      return opened === undefined ? undefined : JSON.parse(opened);
    },
  };
}

const PAGE = 500;

/** Seals what was written before there was a key. */
export async function sealWhatIsOpen({ write, transact }: Databases, sealing: Sealing): Promise<void> {
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
          .set({ params: sealing.seal(params) })
          .where('id', '=', id)
          .execute();
    });
    const last = rows.at(-1);
    if (last === undefined) break;
    after = last.id;
  }
  const keys = await write.selectFrom('task_keys').select(['id', 'private_key']).execute();
  for (const { id, private_key } of keys.filter((key) => !isSealed(key.private_key))) {
    const sealed = { private_key: sealing.seal(private_key) };
    await write.updateTable('task_keys').set(sealed).where('id', '=', id).execute();
  }
}
