// Secrets and keys in memory: values that must not be printed, and public keys as text. It stores nothing and checks no signature.
import { createPublicKey, type KeyObject } from 'node:crypto';
import { inspect } from 'node:util';

/** Every usual way of turning it into text gives `[secret]`; only `reveal()` gives the value. */
export class Secret {
  readonly #value: string;
  constructor(value: string) {
    this.#value = value;
  }
  reveal(): string {
    return this.#value;
  }
  toString(): string {
    return '[secret]';
  }
  toJSON(): string {
    return '[secret]';
  }
  [inspect.custom](): string {
    return '[secret]';
  }
}

/** A public key that commands, agents and releases are signed with: of Ed25519, SPKI in DER as base64. Undefined when the text is no such key. */
export function readPublicKey(text: string): KeyObject | undefined {
  try {
    const key = createPublicKey({ key: Buffer.from(text, 'base64'), format: 'der', type: 'spki' });
    return key.asymmetricKeyType === 'ed25519' ? key : undefined;
  } catch {
    return undefined;
  }
}
