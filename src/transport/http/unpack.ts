// Undoes Content-Encoding with a cap on what comes out, so that a small bomb stays small. It reads no more of the input
// than the cap needs.
import {
  type BrotliDecompress,
  constants,
  createBrotliDecompress,
  createInflate,
  createInflateRaw,
  createUnzip,
} from 'node:zlib';

type Unpacked = { readonly bytes: Buffer; readonly isCut: boolean };

/** The first `maxBytes` of the decoded body; undefined when it does not decode, or the encoding is not known. */
export async function unpackBody(body: Buffer, encoding: string, maxBytes: number): Promise<Unpacked | undefined> {
  const kind = encoding.trim().toLowerCase();
  if (kind === '' || kind === 'identity') return { bytes: body.subarray(0, maxBytes), isCut: body.length > maxBytes };
  const unpacker = createUnpacker(kind, body);
  if (!unpacker) return undefined;
  const chunks: Buffer[] = [];
  let length = 0;
  try {
    unpacker.end(body);
    for await (const chunk of unpacker) {
      const bytes = Buffer.from(chunk);
      chunks.push(bytes);
      length += bytes.length;
      if (length > maxBytes) break;
    }
  } catch {
    return undefined;
  } finally {
    unpacker.destroy();
  }
  return { bytes: Buffer.concat(chunks).subarray(0, maxBytes), isCut: length > maxBytes };
}

type Unpacker = ReturnType<typeof createUnzip> | ReturnType<typeof createInflateRaw> | BrotliDecompress;

function createUnpacker(kind: string, body: Buffer): Unpacker | undefined {
  // A body that was cut at our own cap still gives what it holds.
  const options = { finishFlush: constants.Z_SYNC_FLUSH };
  switch (kind) {
    case 'gzip':
    case 'x-gzip':
      return createUnzip(options);
    case 'deflate':
      // The name means zlib, but some servers send the bare stream.
      return ((body[0] ?? 0) & 0x0f) === 8 ? createInflate(options) : createInflateRaw(options);
    case 'br':
      return createBrotliDecompress({ finishFlush: constants.BROTLI_OPERATION_FLUSH });
    default:
      return undefined;
  }
}
