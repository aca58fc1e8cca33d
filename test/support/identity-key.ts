// Keys as an agent makes one at its enrolment, for tests that play the agent, or only need one that is none of ours.
import { createPrivateKey, createPublicKey, randomBytes, sign } from 'node:crypto';
import { proofBytes } from '../../src/wire/protocol.ts';

/** What an Ed25519 key begins with in PKCS 8; 32 bytes follow. */
const PREFIX = Buffer.from('302e020100300506032b657004220420', 'hex');

export function newIdentityKey(seed: Uint8Array = randomBytes(32)) {
  const privateKey = createPrivateKey({ key: Buffer.concat([PREFIX, seed]), format: 'der', type: 'pkcs8' });
  return {
    publicKey: createPublicKey(privateKey).export({ type: 'spki', format: 'der' }).toString('base64'),
    prove: (agentId: string, challenge: string) =>
      sign(null, proofBytes(agentId, challenge), privateKey).toString('base64'),
  };
}
