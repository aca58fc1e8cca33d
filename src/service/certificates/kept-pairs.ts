// A certificate and its key in one file of the state folder, so that they always belong together. The key is encrypted
// where there is a vault. It does not judge what is in the certificate.
import { X509Certificate } from 'node:crypto';
import { join } from 'node:path';
import { z } from 'zod';
import { ConfigError, RefusedError } from '../../base/errors.ts';
import { writeFileAtomic } from '../../base/storage/atomic-file.ts';
import { readSmallFile } from '../../base/storage/plain-file.ts';
import { decryptWith, encryptWith, isEncrypted, type Vault } from '../../base/storage/vault.ts';
import { parseJson } from '../../wire/frames.ts';
import type { Pair } from './make.ts';

export const authorityFile = (folder: string): string => join(folder, 'farm-authority.json');
export const leafFile = (folder: string): string => join(folder, 'farm-certificate.json');

/** `key` undefined = it cannot be opened with this vault. */
export type KeptPair = {
  readonly certificate: X509Certificate;
  readonly pem: string;
  readonly key: string | undefined;
};

/** What its certificates may be for is in the certificate too; here it can be read without a library. */
export type KeptAuthority = KeptPair & { readonly localName: string; readonly ranges: readonly string[] };

const pairShape = { certificate: z.string(), key: z.string() };
const leafSchema = z.strictObject(pairShape);
const authoritySchema = z.strictObject({
  ...pairShape,
  local_name: z.string(),
  ranges: z.array(z.cidrv4()).min(1).max(64),
});

/** Undefined when there is none. Throws ConfigError for one that cannot be read. */
export function readAuthority(folder: string, vault: Vault | undefined): KeptAuthority | undefined {
  const file = authorityFile(folder);
  const kept = readKept(file, authoritySchema);
  if (kept === undefined) return undefined;
  const { local_name: localName, ranges } = kept;
  const pair = openPair(file, kept, vault);
  if (isOpenStill(kept, pair, vault))
    writeAuthority(folder, { certificate: pair.pem, key: pair.key, localName, ranges }, vault);
  return { ...pair, localName, ranges };
}

/** As `readAuthority`. */
export function readLeaf(folder: string, vault: Vault | undefined): KeptPair | undefined {
  const file = leafFile(folder);
  const kept = readKept(file, leafSchema);
  if (kept === undefined) return undefined;
  const pair = openPair(file, kept, vault);
  if (isOpenStill(kept, pair, vault)) writeLeaf(folder, { certificate: pair.pem, key: pair.key }, vault);
  return pair;
}

/** There may have been no vault when it was made. */
const isOpenStill = (
  kept: z.output<typeof leafSchema>,
  pair: KeptPair,
  vault: Vault | undefined,
): pair is KeptPair & { readonly key: string } =>
  vault !== undefined && pair.key !== undefined && !isEncrypted(kept.key);

export function writeAuthority(
  folder: string,
  { certificate, key, localName, ranges }: Pair & Pick<KeptAuthority, 'localName' | 'ranges'>,
  vault: Vault | undefined,
): void {
  write(authorityFile(folder), { certificate, key: encryptWith(vault, key), local_name: localName, ranges });
}

export function writeLeaf(folder: string, { certificate, key }: Pair, vault: Vault | undefined): void {
  write(leafFile(folder), { certificate, key: encryptWith(vault, key) });
}

/** `setup` may be root, and the service another user. */
const write = (file: string, value: object) =>
  writeFileAtomic(file, `${JSON.stringify(value)}\n`, 0o600, { isOfFolderOwner: true });

function readKept<T>(file: string, schema: z.ZodType<T>): T | undefined {
  try {
    const kept = schema.safeParse(parseJson(readSmallFile(file)));
    if (kept.success) return kept.data;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw unusable(
      file,
      error instanceof RefusedError ? error.message : 'cannot be read: may this user read it?',
      error,
    );
  }
  throw unusable(file, 'is damaged');
}

function openPair(file: string, { certificate: pem, key }: z.output<typeof leafSchema>, vault: Vault | undefined) {
  try {
    return { certificate: new X509Certificate(pem), pem, key: decryptWith(vault, key) };
  } catch (error) {
    throw unusable(file, 'is damaged', error);
  }
}

const unusable = (file: string, message: string, cause?: unknown) =>
  new ConfigError(
    'open the certificates of this farm',
    [{ path: 'listen.tls', message: `${file} ${message}. \`pithead setup --page network\` makes new ones` }],
    cause,
  );
