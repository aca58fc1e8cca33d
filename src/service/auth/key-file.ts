// The vault of a service: which key file the secrets in its database are encrypted with. An embedded database has one
// process and uses that of its host; one that copies of the service share needs one that all of them have.
import { ConfigError } from '../../base/errors.ts';
import type { Log } from '../../base/log.ts';
import { openOrCreateVault, openVault, type Vault } from '../../base/storage/vault.ts';
import { isPostgresUrl } from '../store/postgres/postgres.ts';

export type KeyFiles = {
  /** Of this host; for an embedded database. */
  readonly own: string;
  /** The same on every copy of the service; for any database. */
  readonly shared?: string | undefined;
};

/** Undefined = what is in the database lies open. */
export const keyFileOf = (databasePath: string, files: KeyFiles | undefined): string | undefined =>
  files?.shared ?? (isPostgresUrl(databasePath) ? undefined : files?.own);

/** For a look into the database beside the service: makes no file, which would be another user's. */
export function findServiceVault(databasePath: string, files: KeyFiles | undefined): Vault | undefined {
  const keyFile = keyFileOf(databasePath, files);
  return keyFile === undefined ? undefined : openVault(keyFile);
}

/** What is encrypted in the database cannot be opened: names the file that was tried. */
export function keyNotDecrypted(databasePath: string, files: KeyFiles | undefined): ConfigError {
  const tried = keyFileOf(databasePath, files);
  const where =
    tried === undefined
      ? 'the database was encrypted with a key file, and none is named: name that one'
      : `${tried} does not hold the key that the database was encrypted with, or others may read it: put that file back, or name the right one`;
  const copies = isPostgresUrl(databasePath) ? '; every copy of the service needs it' : '';
  return new ConfigError('open the key that tasks are signed with', [
    {
      path: tried === undefined || files?.shared !== undefined ? 'listen.sealKeyFile' : 'credentials.keyFile',
      message: `${where}${copies}. If it is lost, \`pithead signing-key replace --lost\` makes a new key`,
    },
  ]);
}

/**
 * Made if there is none, but not for a database that `isEncrypted` already: a new key opens nothing there. Undefined =
 * secrets lie open, which is logged. Throws ConfigError when a file that was named holds no key, or what is encrypted
 * has none.
 */
export function openServiceVault(
  databasePath: string,
  files: KeyFiles | undefined,
  isEncrypted: boolean,
  log: Log,
): Vault | undefined {
  if (isEncrypted) {
    const vault = findServiceVault(databasePath, files);
    if (vault !== undefined) return vault;
    throw keyNotDecrypted(databasePath, files);
  }
  const shared = files?.shared;
  if (shared !== undefined) {
    const vault = openOrCreateVault(shared);
    if (vault !== undefined) return vault;
    throw new ConfigError('open the key file of the service', [
      {
        path: 'listen.sealKeyFile',
        message: `${shared} holds no key that only its owner may read: copy it from another copy of the service, or let this one make it in a folder that it may write to`,
      },
    ]);
  }
  const isShared = isPostgresUrl(databasePath);
  const vault = files === undefined || isShared ? undefined : openOrCreateVault(files.own);
  if (vault === undefined)
    log.warn(
      isShared ? {} : { keyFile: files?.own },
      `the key that tasks are signed with and the passwords in tasks are not encrypted in the database: ${
        isShared
          ? 'name a key file that every copy of the service has in listen.sealKeyFile'
          : 'there is no key file that only this user may read'
      }`,
    );
  return vault;
}
