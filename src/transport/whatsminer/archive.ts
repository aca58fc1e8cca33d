// The text inside a packed archive of logs (tar in gzip), bounded at every step. A device may send anything: a broken
// part ends the reading, and what came before it counts. It writes nothing to disk.
import { extract, type Header } from 'tar-stream';
import { unpackBody } from '../http/unpack.ts';

const MAX_UNPACKED_BYTES = 32 * 1024 ** 2;
const MAX_FILES = 256;

type Entry = { readonly name: string; readonly writtenMs: number; readonly chunks: readonly Buffer[] };

/**
 * The files that hold text, the one written last at the end; of each at most its fair share of `maxBytes`, from its
 * end. Bytes that are no archive are taken as text.
 */
export async function textOfArchive(packed: Buffer, maxBytes: number): Promise<string> {
  const isPacked = packed[0] === 0x1f && packed[1] === 0x8b;
  const unpacked = isPacked ? (await unpackBody(packed, 'gzip', MAX_UNPACKED_BYTES))?.bytes : packed;
  if (unpacked === undefined) return '';
  const entries = (await readEntries(unpacked)).map(({ chunks, ...entry }) => ({
    ...entry,
    bytes: Buffer.concat(chunks),
  }));
  const texts = entries.filter(({ bytes }) => isText(bytes)).toSorted((a, b) => a.writtenMs - b.writtenMs);
  if (entries.length === 0) return isText(unpacked) ? tailOf(unpacked, maxBytes) : '';
  const share = Math.floor(maxBytes / Math.max(1, texts.length));
  return texts.map(({ name, bytes }) => sectionOf(name, bytes, share)).join('');
}

function sectionOf(name: string, bytes: Buffer, share: number): string {
  const head = `==> ${name} <==\n`;
  const room = share - Buffer.byteLength(head) - 1;
  return room <= 0 ? '' : `${head}${tailOf(bytes, room)}\n`;
}

/** A character that the cut splits is left out. */
const tailOf = (bytes: Buffer, max: number) =>
  bytes
    .subarray(-max)
    .toString('utf8')
    .replace(/^\ufffd+/u, '');

/** A cut or broken archive gives the files before the damage, and of the file in which it breaks what is there. */
async function readEntries(tar: Buffer): Promise<Entry[]> {
  const entries: Entry[] = [];
  const archive = extract();
  archive.end(tar);
  try {
    for await (const file of archive) {
      const chunks: Buffer[] = [];
      if (file.header.type === 'file') entries.push({ ...factsOf(file.header), chunks });
      for await (const chunk of file) if (Buffer.isBuffer(chunk)) chunks.push(chunk);
      if (entries.length === MAX_FILES) break;
    }
  } catch {
    // What a device sends may be broken anywhere; what could be read counts.
  }
  return entries;
}

const factsOf = ({ name, mtime }: Header) => ({
  name: name.replaceAll(/[^\x20-\x7e]/g, '?'),
  writtenMs: mtime.getTime(),
});

const LOOKED_AT = 4_096;

/** Rotated logs are packed once more: they and other binaries hold NULs within their first bytes. */
const isText = (bytes: Buffer) => bytes.length > 0 && !bytes.subarray(0, LOOKED_AT).includes(0) && bytes[0] !== 0x1f;
