// Firmware bundles as Bitmain makes them (atlas 3.5), written byte by byte: for tests of what reads them.
import { crc32 } from 'node:zlib';

export type BundleItem = {
  readonly name?: string;
  readonly chip?: string;
  readonly hardware?: string;
  readonly model?: string;
  readonly payload: string | Buffer;
};

const HEADER = 36;
const ITEM = 172;

export function bundleOf(items: readonly BundleItem[], itemBytes = ITEM): Buffer {
  const table = Buffer.alloc(HEADER + items.length * itemBytes);
  table.writeUInt32LE(0xabababab, 0);
  for (const [at, value] of [
    [8, HEADER],
    [12, items.length],
    [16, itemBytes],
  ] as const)
    table.writeUInt32LE(value, at);
  const payloads: Buffer[] = [];
  let end = table.length;
  for (const [index, { name = '', chip = '', hardware = '', model = '', payload }] of items.entries()) {
    const start = HEADER + index * itemBytes;
    for (const [place, [text, at]] of (
      [
        [name, 4],
        [chip, 68],
        [hardware, 100],
        [model, 132],
      ] as const
    ).entries()) {
      table.writeUInt8(text.length, start + place);
      table.write(text, start + at, 'latin1');
    }
    const bytes = Buffer.from(payload);
    table.writeUInt32LE(end, start + 164);
    table.writeUInt32LE(bytes.length, start + 168);
    payloads.push(bytes);
    end += bytes.length;
  }
  return sealed(Buffer.concat([table, ...payloads]));
}

/** With the checksum that its bytes ask for. */
export function sealed(bundle: Buffer): Buffer {
  bundle.writeUInt32LE(0, 24);
  bundle.writeUInt32LE(crc32(bundle), 24);
  return bundle;
}
