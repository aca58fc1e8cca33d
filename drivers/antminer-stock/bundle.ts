// Bitmain's firmware bundles (BMU, atlas 3.5): one file with firmware for several control boards. Finds what is in it
// for one machine, reading the file in slices. It sends nothing, and it does not look into the firmware itself.
import { crc32 } from './crc32.ts';

/** As `miner_type.cgi` tells it: `Antminer S21`, `AMLCtrl_BHB68601` (control board, then hashboard). */
export type Machine = { readonly model: string; readonly subtype?: string };
export type Found = { readonly name: string; readonly bytes: Blob };
type Item = {
  readonly name: string;
  readonly chip: string;
  readonly hardware: string;
  readonly model: string;
  readonly offset: number;
  readonly size: number;
};

const MAGIC = 0xabababab;
const HEADER_BYTES = 36;
const CRC_AT = 24;
const ITEM_BYTES = 172;

/** More than any that exists, so that nothing read from a file decides how much is read. */
const MAX_FILE_BYTES = 1024 ** 3;
const MAX_ITEMS = 256;
const MAX_ITEM_BYTES = 4_096;
const MAX_DEPTH = 4;

/** The part of `file` to send to `machine`, or in words why there is none. */
export async function firmwareFor(file: Blob, machine: Machine): Promise<Found | string> {
  if (file.size > MAX_FILE_BYTES) return `it has ${file.size} bytes, more than any firmware`;
  let found: Found = { name: 'firmware', bytes: file };
  for (let depth = 0; depth <= MAX_DEPTH; depth++) {
    const items = await itemsOf(found.bytes);
    if (items === undefined) return depth === 0 ? 'it is no BMU bundle, the only kind that can be checked' : found;
    if (typeof items === 'string') return items;
    // The parts of one firmware are for no machine in particular: it goes as a whole.
    if (depth > 0 && items.every(({ model }) => model === '')) return found;
    const item = choose(items, machine);
    if (typeof item === 'string') return item;
    found = { name: item.name, bytes: found.bytes.slice(item.offset, item.offset + item.size) };
  }
  return 'its bundles hold bundles without end';
}

/** Undefined = no bundle; a text = a broken one. */
async function itemsOf(file: Blob): Promise<readonly Item[] | string | undefined> {
  const head = new DataView(await file.slice(0, HEADER_BYTES).arrayBuffer());
  if (head.byteLength < 4 || head.getUint32(0, true) !== MAGIC) return undefined;
  if (head.byteLength < HEADER_BYTES) return 'its bundle ends within the header';
  const [headerBytes, count, itemBytes] = [8, 12, 16].map((at) => head.getUint32(at, true));
  if (headerBytes !== HEADER_BYTES) return 'its bundle has a header of another kind';
  if (count === undefined || count === 0 || count > MAX_ITEMS) return `its bundle claims ${count} items`;
  if (itemBytes === undefined || itemBytes < ITEM_BYTES || itemBytes > MAX_ITEM_BYTES)
    return `its bundle claims items of ${itemBytes} bytes`;
  const tableEnd = HEADER_BYTES + count * itemBytes;
  if (tableEnd > file.size) return 'its bundle ends within the list of items';
  if ((await crc32(file, CRC_AT)) !== head.getUint32(CRC_AT, true))
    return 'its checksum is wrong: it is damaged or cut';
  const table = await file.slice(HEADER_BYTES, tableEnd).arrayBuffer();
  const items = Array.from({ length: count }, (_, place) => itemAt(table, place * itemBytes));
  const isWhole = items.every(({ offset, size }) => size > 0 && offset >= tableEnd && offset + size <= file.size);
  return isWhole ? items : 'its bundle claims items beyond its end';
}

function itemAt(table: ArrayBuffer, start: number): Item {
  const view = new DataView(table, start, ITEM_BYTES);
  const text = (lengthAt: number, at: number, most: number) =>
    // What is printed nowhere else would end up in messages.
    new TextDecoder('latin1')
      .decode(new Uint8Array(table, start + at, Math.min(view.getUint8(lengthAt), most)))
      .replaceAll(/[^ -~]/g, '')
      .trim();
  return {
    name: text(0, 4, 64),
    chip: text(1, 68, 32),
    hardware: text(2, 100, 32),
    model: text(3, 132, 32),
    offset: view.getUint32(164, true),
    size: view.getUint32(168, true),
  };
}

/** The item that fits best. Two that fit alike are none: the wrong control board's firmware must not be tried. */
function choose(items: readonly Item[], machine: Machine): Item | string {
  const ranked = items.flatMap((item) => {
    const rank = rankOf(item, machine);
    return rank === undefined ? [] : [{ item, rank }];
  });
  const best = Math.max(...ranked.map(({ rank }) => rank));
  const [first, second] = ranked.filter(({ rank }) => rank === best);
  const who = `${machine.model}${machine.subtype === undefined ? '' : ` with ${machine.subtype}`}`;
  if (first === undefined) return `it is for ${targets(items)}, not for ${who}`;
  if (second !== undefined) return `it has more than one firmware for ${who}: ${targets([first.item, second.item])}`;
  return first.item;
}

const MAX_NAMED = 6;
const targets = (items: readonly Item[]) =>
  [...new Set(items.map(({ model, hardware, chip }) => [model, hardware, chip].filter(Boolean).join(' ') || 'nothing'))]
    .slice(0, MAX_NAMED)
    .join(', ');

/** Better fits have higher ranks; undefined = it does not fit. */
function rankOf({ model, hardware, chip, name }: Item, machine: Machine): number | undefined {
  const { subtype } = machine;
  const isModel = words(model) === words(machine.model);
  if (subtype === undefined) return isModel ? 1 : undefined;
  const boards = [hardware, chip].filter((text) => text !== '');
  const own = boards.some((text) => letters(text) === letters(subtype))
    ? 4
    : boards.some((text) => fits(letters(text), letters(subtype)))
      ? 3
      : undefined;
  // A controller that calls itself by its boards does not know which product it is.
  if (!isModel) return isBoardName(machine.model) ? own : undefined;
  if (own !== undefined) return own;
  if ([...boards, name].some((text) => letters(text).includes(letters(subtype)))) return 2;
  return boards.length > 0 || /ctrl/i.test(name) ? undefined : 1;
}

const words = (text: string) => text.toLowerCase().replaceAll(/\s+/g, ' ');
const letters = (text: string) => text.toLowerCase().replaceAll(/[^a-z0-9]/g, '');
const isBoardName = (model: string) => /BHB\w*X$/i.test(model);

/** An `x` on either side stands for any character: `AMLCtrl_BHB68xxx`. */
const fits = (one: string, other: string) =>
  one.length === other.length && [...one].every((char, at) => char === other[at] || char === 'x' || other[at] === 'x');
