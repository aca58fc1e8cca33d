// One update in one file: a first line with its kind, a manifest, signatures, then the program. Every part is capped
// before it is read, and nothing is trusted before its signature. It writes only the program.
import { createHash } from 'node:crypto';
import { type FileHandle, open, rm } from 'node:fs/promises';
import { z } from 'zod';
import { checkSignatures, NOT_UNDERSTOOD, parseJson, refuse, signaturesSchema, type UpdateRefusal } from './trust.ts';
import { compareVersions, isVersion } from './version-order.ts';

export const MAGIC = 'pithead update 1';
export const MAX_LINE_BYTES = 32 * 1024;
export const MAX_PAYLOAD_BYTES = 512 * 1024 * 1024;
/** Of the whole file: what a download may take. */
export const MAX_BUNDLE_BYTES = MAX_PAYLOAD_BYTES + 3 * MAX_LINE_BYTES;
const CHUNK_BYTES = 1024 * 1024;

export const manifestSchema = z.strictObject({
  name: z.string().max(64),
  version: z.string().refine(isVersion, 'a version'),
  /** `linux-x64`, `linux-arm64`, `win-x64`. */
  target: z.string().max(32),
  size: z.int().min(1).max(MAX_PAYLOAD_BYTES),
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
  notBefore: z.iso.datetime().optional(),
  expires: z.iso.datetime().optional(),
});
export type Manifest = z.output<typeof manifestSchema>;

/** What helps where a file is not what was signed. */
const ANEW = 'get the file anew from where it was published';

/** What is installed here, and whom we believe. */
export type Expected = Parameters<typeof checkSignatures>[2] & {
  readonly target: string;
  /** Only newer ones are taken. */
  readonly installed: string;
};

/**
 * Checks everything and copies the program to `into`, if given, synced to disk. Throws RefusedError and leaves no file
 * then.
 */
export async function readBundle(
  path: string | FileHandle,
  expected: Expected,
  options: { readonly into?: string; readonly signal?: AbortSignal } = {},
): Promise<Manifest> {
  const file = typeof path === 'string' ? await open(path, 'r') : path;
  try {
    const { manifest, payloadAt } = await readHeader(file, expected);
    await readPayload(file, payloadAt, manifest, options);
    return manifest;
  } finally {
    if (typeof path === 'string') await file.close();
  }
}

/** Checks all signatures and rules of the header. The program itself is not read yet. */
async function readHeader(file: FileHandle, expected: Expected) {
  const head = Buffer.alloc(3 * MAX_LINE_BYTES);
  const { bytesRead } = await file.read(head, 0, head.length, 0);
  const bytes = head.subarray(0, bytesRead);
  const magic = lineAt(bytes, 0, 'its first line');
  if (magic.toString('latin1') !== MAGIC)
    throw refuse('update.format', `read a file as an update: it is none; ${ANEW}`);
  const manifestLine = lineAt(bytes, magic.length + 1, 'its manifest');
  const signatureLine = lineAt(bytes, magic.length + manifestLine.length + 2, 'its signatures');
  const signatures = signaturesSchema.safeParse(parseJson(signatureLine.toString('utf8')));
  if (!signatures.success) throw refuse('update.format', `read the signatures of an update: ${ANEW}`);
  checkSignatures(manifestLine, signatures.data, expected);
  const parsed = manifestSchema.safeParse(parseJson(manifestLine.toString('utf8')));
  if (!parsed.success) throw refuse('update.manifest', `read the manifest of an update, ${NOT_UNDERSTOOD}`);
  checkManifest(parsed.data, expected);
  const payloadAt = magic.length + manifestLine.length + signatureLine.length + 3;
  return { manifest: parsed.data, payloadAt };
}

function lineAt(bytes: Buffer, start: number, what: string): Buffer {
  const end = bytes.subarray(start, start + MAX_LINE_BYTES + 1).indexOf(0x0a);
  if (end < 0) throw refuse('update.format', `read an update: ${what} does not end, or is too long; ${ANEW}`);
  return bytes.subarray(start, start + end);
}

function checkManifest({ name, version, target, notBefore, expires }: Manifest, expected: Expected): void {
  const wrong = (code: UpdateRefusal, why: string) => refuse(code, `check the update to ${version}: ${why}`);
  if (name !== 'pithead') throw wrong('update.name', `it is of '${name}', not of pithead`);
  if (target !== expected.target)
    throw wrong('update.target', `it is for ${target}, take the one for ${expected.target}`);
  if (compareVersions(version, expected.installed) <= 0) {
    throw wrong('update.version', `${expected.installed} is installed, only newer ones are taken`);
  }
  if (notBefore !== undefined && Date.parse(notBefore) > expected.nowMs) {
    throw wrong('update.too-early', `not before ${notBefore}`);
  }
  if (expires !== undefined && Date.parse(expires) <= expected.nowMs)
    throw wrong('update.expired', `good until ${expires}; take a newer one`);
}

async function readPayload(
  file: FileHandle,
  payloadAt: number,
  manifest: Manifest,
  { into, signal }: { readonly into?: string; readonly signal?: AbortSignal },
): Promise<void> {
  const { size } = await file.stat();
  if (size !== payloadAt + manifest.size) {
    const had = `the file is ${size < payloadAt + manifest.size ? 'shorter' : 'longer'} than it should be`;
    throw refuse('update.size', `read the update to ${manifest.version}: ${had}; ${ANEW}`);
  }
  const target = into === undefined ? undefined : await open(into, 'w', 0o755);
  const hash = createHash('sha256');
  try {
    const chunk = Buffer.alloc(CHUNK_BYTES);
    // The size that was signed bounds the loop, whatever happens to the file meanwhile.
    for (let done = 0; done < manifest.size; ) {
      signal?.throwIfAborted();
      const wanted = Math.min(CHUNK_BYTES, manifest.size - done);
      const { bytesRead } = await file.read(chunk, 0, wanted, payloadAt + done);
      if (bytesRead === 0) break;
      hash.update(chunk.subarray(0, bytesRead));
      await target?.writeFile(chunk.subarray(0, bytesRead));
      done += bytesRead;
    }
    const tried = `check the update to ${manifest.version}`;
    if (hash.digest('hex') !== manifest.sha256)
      throw refuse('update.payload', `${tried}: the program is not the signed one; ${ANEW}`);
    await target?.sync();
  } catch (error) {
    if (into !== undefined) await rm(into, { force: true });
    throw error;
  } finally {
    await target?.close();
  }
}
