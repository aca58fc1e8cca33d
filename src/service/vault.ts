// The vault of a service: which key file the secrets in its database are sealed with. An embedded database has one process and uses that of its
// host; one that copies of the service share needs one that all of them have.
import { ConfigError } from '../base/errors.ts';
import type { Log } from '../base/log.ts';
import { openOrCreateVault, openVault, type Vault } from '../base/vault.ts';
import { isPostgresUrl } from './store/postgres.ts';

export type KeyFiles = {
  /** Of this host; for an embedded database. */
  readonly own: string;
  /** The same on every copy of the service; for any database. */
  readonly shared?: string | undefined;
};

/** For a look into the database beside the service: makes no file, which would be another user's. */
export function findServiceVault(databasePath: string, files: KeyFiles | undefined): Vault | undefined {
  const keyFile = files?.shared ?? (isPostgresUrl(databasePath) ? undefined : files?.own);
  return keyFile === undefined ? undefined : openVault(keyFile);
}

/** Made if there is none. Undefined = secrets lie open, which is logged. Throws ConfigError when a file that was named holds no key. */
export function openServiceVault(databasePath: string, files: KeyFiles | undefined, log: Log): Vault | undefined {
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
      isShared
        ? 'the key that orders are signed with and the passwords in orders lie open in the database: name a key file that every copy of the service has in listen.sealKeyFile'
        : 'the key that orders are signed with and the passwords in orders lie open in the database: there is no key file that only this user may read',
    );
  return vault;
}
