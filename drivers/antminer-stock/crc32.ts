// The checksum of Bitmain's firmware bundles: CRC-32 as in ZIP, over a file that is read in slices, with the checksum
// itself counted as zeros.
import { crc32 as crc32Of } from 'node:zlib';

/** Small enough that nothing else waits for it. */
const SLICE_BYTES = 256 * 1024;

/** `zeroAt`: offset of the four bytes that count as zeros. */
export async function crc32(file: Blob, zeroAt: number): Promise<number> {
  let crc = 0;
  for (let start = 0; start < file.size; start += SLICE_BYTES) {
    const bytes = new Uint8Array(await file.slice(start, start + SLICE_BYTES).arrayBuffer());
    bytes.fill(0, Math.max(0, zeroAt - start), Math.max(0, zeroAt + 4 - start));
    crc = crc32Of(bytes, crc);
  }
  return crc;
}
