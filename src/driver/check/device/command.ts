// What each ability is told when all drivers are checked alike: the same for every family, other words only where its
// data has them.
import type { AbilityName, FirmwareImage } from '../../contract.ts';
import type { FamilyData } from '../contract-data.ts';

export type Command = { readonly params: object; readonly image?: FirmwareImage };

export const VERSION = '9.9.9';
/** No longer than any family takes. */
export const NEW_PASSWORD = 'n3w-Pa55';
export const MODES = ['sleep', 'low', 'high', 'normal'] as const;

export const poolOf = (name: string) => ({ url: `stratum+tcp://${name}.example:3333`, user: 'farm.w1', password: 'x' });

/** The commands to try, in turn; a family that has none of them has not the ability. */
export function commandsFor(
  name: AbilityName,
  { commands = {} }: FamilyData,
  fileOf: (form: string | undefined) => FirmwareImage,
): readonly Command[] {
  const own = commands[name] ?? [];
  switch (name) {
    case 'light':
      return [{ params: { on: true } }, ...own];
    case 'powerMode':
      return [...MODES.map((mode) => ({ params: { mode } })), ...own];
    case 'pools':
      return [{ params: { pools: [poolOf('new-a'), poolOf('new-b')] } }, ...own];
    case 'firmware':
      if (own.length === 0) return [{ params: { version: VERSION }, image: fileOf(undefined) }];
      return own.map(({ params, file }) => (file === undefined ? { params } : { params, image: fileOf(file) }));
    case 'password':
      return [{ params: { password: NEW_PASSWORD } }, ...own];
    case 'reboot':
    case 'log':
      return [{ params: {} }, ...own];
  }
}
