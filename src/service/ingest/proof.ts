// The challenge to an agent that connects, and whether its answer proves the key that it was enrolled with.
import { randomBytes, verify } from 'node:crypto';
import { readPublicKey } from '../../base/public-key.ts';
import { proofBytes } from '../../wire/proof.ts';

export const newChallenge = (): string => randomBytes(24).toString('base64url');

/** `proof` = a signature in base64. */
export function isProven(
  agent: { readonly id: string; readonly identityKey: string },
  challenge: string,
  proof: string | undefined,
): boolean {
  const key = readPublicKey(agent.identityKey);
  if (key === undefined || proof === undefined) return false;
  return verify(null, proofBytes(agent.id, challenge), key, Buffer.from(proof, 'base64'));
}
