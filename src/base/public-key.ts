// Public keys as text: those that orders, agents and releases are signed with. It checks no signature.
import { createPublicKey, type KeyObject } from 'node:crypto';

/** Of Ed25519, SPKI in DER as base64. Undefined when the text is no such key. */
export function readPublicKey(text: string): KeyObject | undefined {
  try {
    const key = createPublicKey({ key: Buffer.from(text, 'base64'), format: 'der', type: 'spki' });
    return key.asymmetricKeyType === 'ed25519' ? key : undefined;
  } catch {
    return undefined;
  }
}
