// Who may sign an update: an offline root signs a set of signing keys, and a key of the set signs the manifest. A
// signature for one purpose is worth nothing for the other. Roots are pinned in the build: a build without roots takes
// no updates and says so.
import { createHash, verify } from 'node:crypto';
import { z } from 'zod';
import { type RefusalCode, RefusedError } from '../../base/errors.ts';
import { readPublicKey } from '../../base/secrets.ts';

/** Put in by the bundler; not there when the sources run as they are. */
declare const PITHEAD_UPDATE_PINS: string | undefined;

export const pinsSchema = z.strictObject({
  /** Ed25519, SPKI in DER as base64. Several, so that one can take over from another. */
  roots: z.array(z.base64().max(256)).max(8),
  /** The lowest sequence of a key set that is accepted: a new installation remembers none. */
  minSequence: z.int().min(0).default(0),
});
export type Pins = z.output<typeof pinsSchema>;

export function builtInPins(): Pins {
  if (typeof PITHEAD_UPDATE_PINS === 'undefined') return { roots: [], minSequence: 0 };
  return pinsSchema.parse(JSON.parse(PITHEAD_UPDATE_PINS));
}

/** Goes before what is signed, so that no signature can be moved to another purpose. */
export const SET_PURPOSE = 'pithead update: set of signing keys\n';
export const MANIFEST_PURPOSE = 'pithead update: manifest\n';

const publicKey = z.base64().max(256);
const signature = z.base64().length(88);

export const keySetSchema = z.strictObject({
  /** A later set replaces all earlier ones: a key that it does not name is revoked. */
  sequence: z.int().min(1),
  expires: z.iso.datetime(),
  keys: z.array(publicKey).min(1).max(16),
});
export type KeySet = z.output<typeof keySetSchema>;

/** The signature line of a bundle. `set` is the text of a key set, as it was signed. */
export const signaturesSchema = z.strictObject({
  set: z.string().max(16_384),
  rootSignatures: z
    .array(z.strictObject({ key: z.string().max(64), signature }))
    .min(1)
    .max(8),
  key: z.string().max(64),
  signature,
});
export type Signatures = z.output<typeof signaturesSchema>;

/** The highest sequence that was ever seen, kept where an update cannot take it back. */
export type SeenSequence = { read(): number; remember(sequence: number): void };

/** Every refusal of an update says what was tried, why not, and what helps. */
export const refuse = (code: UpdateRefusal, message: string): RefusedError => new RefusedError(code, message);
export type UpdateRefusal = Extract<RefusalCode, `update.${string}`>;

/** Where a signed part has another form than this version knows, and what helps. */
export const NOT_UNDERSTOOD = 'which this version does not understand: update to a version in between first';

/** Short name of a public key (SPKI in DER as base64). */
export function keyName(key: string): string {
  return createHash('sha256').update(Buffer.from(key, 'base64')).digest('hex').slice(0, 16);
}

/**
 * Throws RefusedError unless the set is signed by a pinned root, in force and the newest seen, and the manifest is
 * signed by a key of it.
 */
export function checkSignatures(
  manifestLine: Uint8Array,
  signatures: Signatures,
  trust: { readonly pins: Pins; readonly seen: SeenSequence; readonly nowMs: number },
): void {
  const set = checkKeySet(signatures, trust);
  const key = set.keys.find((candidate) => keyName(candidate) === signatures.key);
  const wrongKey = (why: string) => refuse('update.key', `check an update signed by ${signatures.key}: ${why}`);
  if (key === undefined) throw wrongKey('not a signing key, or revoked; take a newer update');
  // A root that also signs releases would have to be online.
  if (trust.pins.roots.includes(key)) throw wrongKey('a root key must not sign updates');
  if (!isSigned(key, MANIFEST_PURPOSE, manifestLine, signatures.signature)) {
    throw refuse(
      'update.signature',
      `check the signature of the manifest by ${signatures.key}, which is wrong: get the file anew from where it was published`,
    );
  }
}

function checkKeySet(
  { set: text, rootSignatures }: Signatures,
  { pins, seen, nowMs }: Parameters<typeof checkSignatures>[2],
): KeySet {
  if (pins.roots.length === 0) {
    throw refuse('update.no-root', 'check an update: this build has no root key and takes no updates');
  }
  const isTrusted = rootSignatures.some(({ key, signature: given }) => {
    const root = pins.roots.find((candidate) => keyName(candidate) === key);
    return root !== undefined && isSigned(root, SET_PURPOSE, Buffer.from(text), given);
  });
  const noRoot = 'no root of this build signed it; take an update from the maker of this build';
  if (!isTrusted) throw refuse('update.root', `check the set of signing keys: ${noRoot}`);
  const parsed = keySetSchema.safeParse(parseJson(text));
  if (!parsed.success) throw refuse('update.set', `read the set of signing keys, ${NOT_UNDERSTOOD}`);
  const set = parsed.data;
  const least = Math.max(pins.minSequence, seen.read());
  if (set.sequence < least) {
    const old = `check the set of signing keys ${set.sequence}`;
    throw refuse('update.set-old', `${old}: set ${least} has replaced it; take a newer update`);
  }
  // From here on what it revokes is revoked, whatever else is wrong with this update.
  if (set.sequence > least) seen.remember(set.sequence);
  if (Date.parse(set.expires) <= nowMs) {
    throw refuse(
      'update.set-expired',
      `check the set of signing keys: it was good until ${set.expires}; get a newer bundle, and see that the clock of this host is right`,
    );
  }
  return set;
}

function isSigned(key: string, purpose: string, content: Uint8Array, given: string): boolean {
  const imported = readPublicKey(key);
  if (imported === undefined) return false;
  return verify(null, Buffer.concat([Buffer.from(purpose), content]), imported, Buffer.from(given, 'base64'));
}

/** Undefined when it is none. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
