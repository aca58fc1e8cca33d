// Removes the Authenticode signature of a 64-bit Windows program: the program is about to change, and a wrong signature
// is worse than none.

const PE_OFFSET_AT = 0x3c;
const PE_SIGNATURE = 0x00004550;
const PE32_PLUS = 0x20b;
/**
 * From the PE signature: 4 bytes, the file header of 20, then in the optional header the checksum and the fifth data
 * directory.
 */
const OPTIONAL_HEADER = 24;
const CHECKSUM = OPTIONAL_HEADER + 64;
const CERTIFICATE_DIRECTORY = OPTIONAL_HEADER + 112 + 4 * 8;

/**
 * A copy without the certificate table, which must be at the end of the file (it always is). Throws for another kind of
 * file.
 */
export function withoutSignature(program: Buffer): Buffer {
  const pe = program.readUInt32LE(PE_OFFSET_AT);
  if (program.readUInt32LE(pe) !== PE_SIGNATURE || program.readUInt16LE(pe + OPTIONAL_HEADER) !== PE32_PLUS) {
    throw new Error('not a 64-bit Windows program');
  }
  const offset = program.readUInt32LE(pe + CERTIFICATE_DIRECTORY);
  const size = program.readUInt32LE(pe + CERTIFICATE_DIRECTORY + 4);
  if (size === 0) return Buffer.from(program);
  if (offset + size !== program.length) throw new Error('the signature is not the end of the program');
  const bare = Buffer.from(program.subarray(0, offset));
  bare.writeBigUInt64LE(0n, pe + CERTIFICATE_DIRECTORY);
  bare.writeUInt32LE(0, pe + CHECKSUM);
  return bare;
}
