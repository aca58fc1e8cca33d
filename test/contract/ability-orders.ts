// What each ability is told when all drivers are tested alike: the same order for everybody, other words only where a
// family needs them.
import { imageOf } from '../../drivers/_farm/image.ts';
import type { AbilityName, FirmwareImage } from '../../src/driver/contract.ts';
import { antminerBundle, axeosApplication } from '../support/firmware-files.ts';
import type { Kind } from './ability-farm.ts';

export type Order = { readonly params: object; readonly image?: FirmwareImage };

export const VERSION = '9.9.9';
const image = (...parts: (string | Uint8Array<ArrayBuffer>)[]): FirmwareImage => ({
  name: 'update.bin',
  sha256: 'ab'.repeat(32),
  bytes: new Blob(parts),
});
const withImage = (file: FirmwareImage): Order => ({ params: { version: VERSION }, image: file });

const bundle = image(Uint8Array.from(antminerBundle(VERSION)));
const application = image(Uint8Array.from(axeosApplication(VERSION)));

const FIRMWARE: Readonly<Record<string, Order>> = {
  'antminer-a': withImage(image(new Uint8Array([0x1f, 0x8b, 8, 0]), 'signed by the maker')),
  'antminer-other': withImage(image(new Uint8Array([0x1f, 0x8b, 8, 0]), 'signed by the maker')),
  'antminer-b': withImage(bundle),
  'antminer-c': withImage(bundle),
  bitaxe: withImage(application),
  luckyminer: withImage(application),
  nerdaxe: withImage(application),
  auradine: { params: { url: 'http://files.example/fluxos.bin', version: VERSION } },
  epic: withImage(image('PK\u0003\u0004', 'a zip')),
};

const pool = (name: string) => ({ url: `stratum+tcp://${name}.example:3333`, user: 'farm.w1', password: 'x' });

export const MODES = ['sleep', 'low', 'high', 'normal'] as const;

/** Where there are no modes. */
const PRESETS: Readonly<Record<string, readonly { readonly preset: string }[]>> = {
  nerdaxe: [{ preset: '500 MHz' }],
  luckyminer: [{ preset: '500 MHz' }],
};

/** The orders to try, in turn; a family that has none of them has not the ability. */
export function ordersFor(name: AbilityName, { family }: Kind): readonly Order[] {
  switch (name) {
    case 'light':
      return [{ params: { on: true } }];
    case 'powerMode':
      return [...MODES.map((mode) => ({ mode })), ...(PRESETS[family] ?? [])].map((params) => ({ params }));
    case 'pools':
      return [{ params: { pools: [pool('new-a'), pool('new-b')] } }];
    case 'firmware':
      return [FIRMWARE[family] ?? withImage(image(new Uint8Array(imageOf(VERSION))))];
    case 'reboot':
    case 'log':
      return [{ params: {} }];
  }
}
