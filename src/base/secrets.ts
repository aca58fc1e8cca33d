// Secrets in memory that must not be printed, and public keys as text. It stores nothing and checks no signature.
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

const inJson = (text: string) => JSON.stringify(text).slice(1, -1);
const HTML: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };
/** With fewer, a part of something in base64 or hex may be anything. */
const LEAST_CODED = 6;

/**
 * The forms in which a device or a library may quote a secret: as it is, in JSON (also within JSON), in a URL, in HTML,
 * in hex and in base64, there also within something longer, as in `Authorization: Basic`. Longest first, each once.
 */
export function writtenForms(secret: string): string[] {
  const bytes = Buffer.from(secret);
  const inAddress = encodeURIComponent(secret.toWellFormed());
  const inHex = bytes.toString('hex');
  const coded = [inHex, inHex.toUpperCase(), ...[0, 1, 2].flatMap((lead) => inBase64(bytes, lead))];
  const forms = [
    ...[
      secret,
      inJson(secret),
      inJson(inJson(secret)),
      inJson(secret).replaceAll('/', '\\/'),
      secret.replaceAll(/[&<>"']/g, (found) => HTML[found] ?? found),
    ],
    ...[inAddress, inAddress.replaceAll(/%../g, (code) => code.toLowerCase()), inAddress.replaceAll('%20', '+')],
    ...coded.filter((form) => form.length >= LEAST_CODED),
  ];
  return [...new Set(forms)].filter((form) => form !== '').toSorted((a, b) => b.length - a.length);
}

/** The base64 characters that these bytes alone decide when `lead` other bytes precede them; of both alphabets. */
function inBase64(bytes: Buffer, lead: number): string[] {
  const text = Buffer.concat([Buffer.alloc(lead), bytes]).toString('base64');
  const whole = text.slice(Math.ceil((lead * 8) / 6), Math.floor(((lead + bytes.length) * 8) / 6));
  return [whole, whole.replaceAll('+', '-').replaceAll('/', '_')];
}

/**
 * The public Ed25519 key of an agent, a service or a release: SPKI in DER as base64. Undefined when the text is no such
 * key.
 */
export function readPublicKey(text: string): KeyObject | undefined {
  try {
    const key = createPublicKey({ key: Buffer.from(text, 'base64'), format: 'der', type: 'spki' });
    return key.asymmetricKeyType === 'ed25519' ? key : undefined;
  } catch {
    return undefined;
  }
}
