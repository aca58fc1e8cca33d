// Makes what trust.ts checks: roots, sets of signing keys, bundles. For people who release, and for tests; no farm host
// runs it.
import { createHash, createPrivateKey, createPublicKey, generateKeyPairSync, sign } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { MAGIC, type Manifest, manifestSchema } from '../../src/update/trust/bundle.ts';
import {
  type KeySet,
  keyName,
  keySetSchema,
  MANIFEST_PURPOSE,
  SET_PURPOSE,
  type Signatures,
} from '../../src/update/trust/trust.ts';

/** A signed set of signing keys, as it is kept between releases. */
export type SignedSet = Pick<Signatures, 'set' | 'rootSignatures'>;

/** A private key as PEM. */
export function newKey(): string {
  return generateKeyPairSync('ed25519').privateKey.export({ format: 'pem', type: 'pkcs8' }).toString();
}

/** The public half, SPKI in DER as base64. */
export function publicHalf(pem: string): string {
  return createPublicKey(pem).export({ format: 'der', type: 'spki' }).toString('base64');
}

/** Signed by each of the roots: those of old builds and those of new ones, while one takes over from the other. */
export function signSet(set: KeySet, roots: readonly string[]): SignedSet {
  const text = JSON.stringify(keySetSchema.parse(set));
  return {
    set: text,
    rootSignatures: roots.map((pem) => ({ key: keyName(publicHalf(pem)), signature: signed(SET_PURPOSE, text, pem) })),
  };
}

/** The three lines before the program. */
export function signManifest(manifest: Manifest, set: SignedSet, key: string): string {
  const line = JSON.stringify(manifestSchema.parse(manifest));
  const signature = signed(MANIFEST_PURPOSE, line, key);
  const signatures: Signatures = { ...set, key: keyName(publicHalf(key)), signature };
  return `${MAGIC}\n${line}\n${JSON.stringify(signatures)}\n`;
}

/** Writes the bundle of a program that lies on this disk. */
export async function writeBundle(
  program: string,
  output: string,
  about: Omit<Manifest, 'size' | 'sha256'>,
  set: SignedSet,
  key: string,
): Promise<Manifest> {
  const hash = createHash('sha256');
  let size = 0;
  for await (const chunk of createReadStream(program)) {
    hash.update(chunk);
    size += chunk.length;
  }
  const manifest = { ...about, size, sha256: hash.digest('hex') };
  await using file = await open(output, 'w');
  await file.writeFile(signManifest(manifest, set, key));
  await file.writeFile(createReadStream(program));
  await file.sync();
  return manifest;
}

function signed(purpose: string, content: string, pem: string): string {
  return sign(null, Buffer.from(purpose + content), createPrivateKey(pem)).toString('base64');
}
