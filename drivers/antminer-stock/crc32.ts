// The checksum of Bitmain's firmware bundles: CRC-32 as in ZIP, over a file that is read in slices, with the checksum
// itself counted as zeros.

/** Small enough that nothing else waits for it. */
const SLICE_BYTES = 256 * 1024;

function makeTable(): Uint32Array {
  return Uint32Array.from({ length: 256 }, (_, byte) => {
    let value = byte;
    for (let bit = 0; bit < 8; bit++) value = value & 1 ? (value >>> 1) ^ 0xedb88320 : value >>> 1;
    return value;
  });
}

/** `zeroAt`: offset of the four bytes that count as zeros. */
export async function crc32(file: Blob, zeroAt: number): Promise<number> {
  const table = makeTable();
  let crc = 0xffffffff;
  for (let start = 0; start < file.size; start += SLICE_BYTES) {
    const bytes = new Uint8Array(await file.slice(start, start + SLICE_BYTES).arrayBuffer());
    for (let at = zeroAt; at < zeroAt + 4; at++) {
      if (at >= start && at < start + bytes.length) bytes[at - start] = 0;
    }
    for (const byte of bytes) crc = (crc >>> 8) ^ (table[(crc ^ byte) & 0xff] ?? 0);
  }
  return (crc ^ 0xffffffff) >>> 0;
}
