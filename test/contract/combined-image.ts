// A Whatsminer firmware file for several control boards, as atlas section 4.2 describes it.
const RECORDS_AT = 24;
const RECORD_BYTES = 104;
const HEAD_BYTES = RECORDS_AT + 64 * RECORD_BYTES + 132;

/** `isRelative`: offsets count from the end of the head. */
export function combinedImage(
  parts: readonly { readonly chip: string; readonly bytes: Buffer }[],
  isRelative = false,
): Buffer {
  const head = Buffer.alloc(HEAD_BYTES);
  head.writeUInt32LE(
    parts.reduce((sum, { bytes }) => sum + bytes.length, 0),
    16,
  );
  head.writeUInt32LE(parts.length, 20);
  let offset = isRelative ? 0 : HEAD_BYTES;
  for (const [place, { chip, bytes }] of parts.entries()) {
    const at = RECORDS_AT + place * RECORD_BYTES;
    head.write(chip, at, 'latin1');
    head.write('openwrt', at + 16, 'latin1');
    head.writeUInt32LE(offset, at + 32);
    head.writeUInt32LE(bytes.length, at + 36);
    offset += bytes.length;
  }
  return Buffer.concat([head, ...parts.map(({ bytes }) => bytes)]);
}
