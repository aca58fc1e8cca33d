// The key that an agent made at its enrolment, to prove with each connection that it is still the same. It stays on this host, sealed, in a file of its
// own: versions before this one refuse credentials with a field that they do not know.
import { createPrivateKey, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { ConfigError } from '../base/errors.ts';
import { writeWhole } from '../base/storage/atomic-file.ts';
import { openOrCreateVault, openVault, openWith, sealWith } from '../base/storage/vault.ts';
import { proofBytes } from '../wire/proof.ts';

export type IdentityKey = {
  /** For the service: SPKI in DER as base64. */
  readonly publicKey: string;
  keep(path: string, keyFile: string): void;
  readonly prove: Prove;
};

/** The signature, in base64. */
export type Prove = (agentId: string, challenge: string) => string;

const proveWith =
  (key: KeyObject): Prove =>
  (agentId, challenge) =>
    sign(null, proofBytes(agentId, challenge), key).toString('base64');

export function newIdentityKey(): IdentityKey {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  return {
    publicKey: publicKey.export({ type: 'spki', format: 'der' }).toString('base64'),
    keep(path, keyFile) {
      const text = privateKey.export({ type: 'pkcs8', format: 'der' }).toString('base64');
      writeWhole(path, `${sealWith(openOrCreateVault(keyFile), text)}\n`, 0o600);
    },
    prove: proveWith(privateKey),
  };
}

/** Undefined when there is none: the identity is from before there were keys. Throws ConfigError when there is one that cannot be read or opened. */
export function loadIdentityKey(path: string, keyFile: string): Prove | undefined {
  let kept: string;
  try {
    kept = readFileSync(path, 'utf8').trim();
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    const message = 'cannot be read: may this user read it?';
    throw new ConfigError(`read ${path}`, [{ path: '(file)', message }], error);
  }
  try {
    const text = openWith(openVault(keyFile), kept);
    return proveWith(createPrivateKey({ key: Buffer.from(text ?? '', 'base64'), format: 'der', type: 'pkcs8' }));
  } catch (error) {
    const message = `cannot be opened with the key in ${keyFile}: bring the key back, or remove the agent's files and enrol it again`;
    throw new ConfigError(`read ${path}`, [{ path: '(file)', message }], error);
  }
}
