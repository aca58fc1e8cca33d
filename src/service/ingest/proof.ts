// The challenge to an agent that connects, and whether its answer proves the key that it was enrolled with.
import { createPublicKey, type KeyObject, randomBytes, verify } from 'node:crypto';
import { proofBytes } from '../../wire/proof.ts';

export const newChallenge = (): string => randomBytes(24).toString('base64url');

/** Undefined when it is no Ed25519 key in SPKI. */
export function readIdentityKey(text: string): KeyObject | undefined {
  try {
    const key = createPublicKey({ key: Buffer.from(text, 'base64'), format: 'der', type: 'spki' });
    return key.asymmetricKeyType === 'ed25519' ? key : undefined;
  } catch {
    return undefined;
  }
}

/** `proof` = a signature in base64. */
export function isProven(
  agent: { readonly id: string; readonly identityKey: string },
  challenge: string,
  proof: string | undefined,
): boolean {
  const key = readIdentityKey(agent.identityKey);
  if (key === undefined || proof === undefined) return false;
  return verify(null, proofBytes(agent.id, challenge), key, Buffer.from(proof, 'base64'));
}
