// Firmware of AxeOS and its kin: one application image of the chip's maker (ESP-IDF), sent as it is. The pages of the
// web server are another file, which this does not send.
import * as kit from '../../src/driver/kit/index.ts';

const IMAGE_MAGIC = 0xe9;
/** Begins the description that every application has and no boot loader, file system or whole-flash file. */
const APP_MAGIC = 0xabcd5432;
const APP_AT = 32;

/** Throws `peer.unsupported`, nothing sent, for a file that is no application image. */
export async function expectApplication(link: kit.MinerLink, { name, bytes }: kit.FirmwareImage, what: string) {
  const head = new DataView(await bytes.slice(0, APP_AT + 4).arrayBuffer());
  const isApplication =
    head.byteLength === APP_AT + 4 && head.getUint8(0) === IMAGE_MAGIC && head.getUint32(APP_AT, true) === APP_MAGIC;
  if (isApplication) return;
  const why = `${name} is no application image: it takes the application alone, such as esp-miner.bin`;
  throw kit.unsupported(link, what, why);
}

const plain = (version: string) => version.trim().toLowerCase().replace(/^v/, '');

/** `v2.4.5` is `2.4.5`. */
export const isVersion = (told: string, wanted: string): boolean => plain(told) === plain(wanted);
