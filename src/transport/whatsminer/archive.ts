// The text inside a packed archive of logs (tar in gzip), bounded at every step: what comes out of the packing, the number of files, the text.
// A device may send anything here, so what is broken ends the reading and what came before it counts. It writes nothing to disk.
import { unpackBody } from '../http/unpack.ts';

const MAX_UNPACKED_BYTES = 32 * 1024 ** 2;
const MAX_FILES = 256;
const BLOCK = 512;
/** Type flags of ordinary files. */
const FILE_TYPES = new Set([0x00, 0x30]);

type Entry = { readonly name: string; readonly writtenS: number; readonly bytes: Buffer };

/**
 * The files that hold text, the one written last at the end; of each at most its fair share of `maxBytes`, from its end. Bytes that are no archive
 * are taken as text.
 */
export async function textOfArchive(packed: Buffer, maxBytes: number): Promise<string> {
  const isPacked = packed[0] === 0x1f && packed[1] === 0x8b;
  const unpacked = isPacked ? (await unpackBody(packed, 'gzip', MAX_UNPACKED_BYTES))?.bytes : packed;
  if (unpacked === undefined) return '';
  const entries = readEntries(unpacked);
  const texts = entries.filter(({ bytes }) => isText(bytes)).toSorted((a, b) => a.writtenS - b.writtenS);
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

/** Every step goes on by a block at least. */
function readEntries(tar: Buffer): Entry[] {
  const entries: Entry[] = [];
  for (let at = 0; at + BLOCK <= tar.length && entries.length < MAX_FILES; ) {
    const header = tar.subarray(at, at + BLOCK);
    const size = octal(header.subarray(124, 136));
    if (size === undefined || !isHeader(header)) break;
    const start = at + BLOCK;
    const bytes = tar.subarray(start, start + size);
    if (FILE_TYPES.has(header[156] ?? 0) && bytes.length > 0) {
      entries.push({ name: nameOf(header), writtenS: octal(header.subarray(136, 148)) ?? 0, bytes });
    }
    at = start + Math.ceil(size / BLOCK) * BLOCK;
  }
  return entries;
}

const CHECKSUM_AT = 148;
const CHECKSUM_BYTES = 8;

/** The sum of its bytes, those of the sum itself counted as blanks. */
function isHeader(header: Buffer): boolean {
  let sum = CHECKSUM_BYTES * 0x20;
  for (const [at, byte] of header.entries()) if (at < CHECKSUM_AT || at >= CHECKSUM_AT + CHECKSUM_BYTES) sum += byte;
  return octal(header.subarray(CHECKSUM_AT, CHECKSUM_AT + CHECKSUM_BYTES)) === sum;
}

function octal(field: Buffer): number | undefined {
  const digits = /^\s*([0-7]{1,11})[\s\0]*$/.exec(field.toString('latin1'))?.[1];
  return digits === undefined ? undefined : Number.parseInt(digits, 8);
}

const nameOf = (header: Buffer) =>
  header
    .toString('latin1', 0, 100)
    .replace(/\0.*$/s, '')
    .replaceAll(/[^\x20-\x7e]/g, '?');

const LOOKED_AT = 4_096;

/** Rotated logs are packed once more: they and other binaries hold NULs within their first bytes. */
const isText = (bytes: Buffer) => bytes.length > 0 && !bytes.subarray(0, LOOKED_AT).includes(0) && bytes[0] !== 0x1f;
