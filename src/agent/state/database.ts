// The database of the agent's memory: miners, averages, tasks. A damaged one is moved aside and a new one begun: the
// farm is learnt anew, and the service recognises its miners. What is to be reported lies elsewhere, in the outbox.
import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { z } from 'zod';
import { renderError } from '../../base/errors.ts';
import type { Log } from '../../base/log.ts';
import {
  forgetDeleted,
  type Migrations,
  openOrSetAside,
  openSqlite,
  SMALL_CACHE,
  throwIfColumnsMissing,
  throwIfDamaged,
  transact,
} from '../../base/storage/sqlite.ts';
import { isEncrypted, openVault, type Vault } from '../../base/storage/vault.ts';

/** Where the agent's memory lies in its state directory. */
export const agentDatabasePath = (stateDir: string): string => join(stateDir, 'agent.sqlite');

/** Throws when the file cannot be opened, or was written by a newer version. */
export function openAgentDatabase(path: string, owners: readonly Migrations[], log: Log): DatabaseSync {
  const open = () => {
    const db = openSqlite(path, owners);
    try {
      db.exec(SMALL_CACHE);
      throwIfDamaged(db, path);
      throwIfColumnsMissing(db, path, owners);
      return db;
    } catch (error) {
      db.close();
      throw error;
    }
  };
  return openOrSetAside(path, open, (aside) =>
    log.error(
      { file: aside.path, cause: renderError(aside.cause) },
      'the database of the agent was damaged: moved aside, a new one begins and the farm is learnt anew',
    ),
  );
}

/**
 * Encrypts what the agent keeps of the passwords of others. Without a key they lie in the open, for their owner alone:
 * then the log says so.
 */
export function vaultOf(keyFile: string, log: Log): Vault | undefined {
  const vault = openVault(keyFile);
  if (vault === undefined) log.warn({ keyFile }, NO_KEY);
  return vault;
}

/**
 * Encrypts texts that lie in the open from a time without a key. `select` gives `key` and `text` of each, `update`
 * takes text and key.
 */
export function sealTexts(db: DatabaseSync, vault: Vault, select: string, update: string): void {
  const encrypt = db.prepare(update);
  const encrypted = transact(db, () => {
    const rows = textsSchema.parse(db.prepare(select).all());
    const inTheOpen = rows.filter(({ text }) => !isEncrypted(text));
    for (const { key, text } of inTheOpen) encrypt.run(vault.encrypt(text), key);
    return inTheOpen.length;
  });
  if (encrypted > 0) forgetDeleted(db);
}
const textsSchema = z.array(z.object({ key: z.string(), text: z.string() }));

const NO_KEY =
  "passwords of pools lie in the open in the agent's database, because there is no key that it may read: make one with `pithead config seal` beside the configuration, or name its file as credentials.keyFile, and start the agent again";
