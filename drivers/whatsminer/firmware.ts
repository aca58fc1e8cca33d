// Firmware files of Whatsminer (atlas 4.2): one image, or several for different control boards in one file. Which part
// of a file is for a device. It reads no more of the file than its head and sends nothing.
import * as kit from '../../src/driver/kit/index.ts';

const COUNT_AT = 20;
const RECORDS_AT = 24;
const RECORD_BYTES = 104;
const MAX_PARTS = 64;
const TEXT_BYTES = 16;
/** The fixed head, room for all records, and 132 bytes of which nothing is known. */
const HEAD_BYTES = RECORDS_AT + MAX_PARTS * RECORD_BYTES + 132;

type Part = { readonly chip: string; readonly offset: number; readonly size: number };

/**
 * What is to be sent to a device whose control board has this chip (lower case). Throws `peer.unsupported`, nothing
 * sent, when the file is empty or made for other boards, or its parts cannot be told apart.
 */
export async function partFor({ name, bytes }: kit.FirmwareImage, chip: string, what: string): Promise<Blob> {
  const refuse = (why: string) =>
    new kit.PeerError('peer.unsupported', `${what}: ${name} ${why}`, 'never', undefined, { wasSent: false });
  if (bytes.size === 0) throw refuse('is empty');
  const parts = partsOf(new DataView(await bytes.slice(0, HEAD_BYTES).arrayBuffer()));
  const base = baseOf(parts, bytes.size);
  const areNamed = parts.every((part) => /^[\x20-\x7e]+$/.test(part.chip));
  // Bytes of a single image that pass for a count do not pass for names or places as well.
  if (parts.length === 0 || (base === undefined && !areNamed)) return bytes;
  if (base === undefined || !areNamed) throw refuse('says of its parts what cannot be');
  const own = parts.find((part) => part.chip === chip);
  if (own === undefined) throw refuse(`is for ${parts.map((part) => part.chip).join(', ')}, the device is ${chip}`);
  return bytes.slice(base + own.offset, base + own.offset + own.size);
}

/** What stands where a list of parts would; empty when the count makes no sense. */
function partsOf(head: DataView): readonly Part[] {
  const count = head.byteLength < HEAD_BYTES ? 0 : head.getUint32(COUNT_AT, true);
  if (count > MAX_PARTS) return [];
  return Array.from({ length: count }, (_, place) => {
    const at = RECORDS_AT + place * RECORD_BYTES;
    const written = new TextDecoder('latin1').decode(new Uint8Array(head.buffer, at, TEXT_BYTES));
    return {
      chip: written.replace(/\0.*$/s, '').trim().toLowerCase(),
      offset: head.getUint32(at + 2 * TEXT_BYTES, true),
      size: head.getUint32(at + 2 * TEXT_BYTES + 4, true),
    };
  });
}

/** Offsets count from the beginning of the file or from the end of its head: whichever fits the file. */
function baseOf(parts: readonly Part[], fileBytes: number): number | undefined {
  const fits = [0, HEAD_BYTES].filter((base) =>
    parts.every(({ offset, size }) => size > 0 && base + offset >= HEAD_BYTES && base + offset + size <= fileBytes),
  );
  if (fits.length < 2) return fits[0];
  const end = Math.max(...parts.map(({ offset, size }) => offset + size));
  return fits.find((base) => base + end === fileBytes);
}
