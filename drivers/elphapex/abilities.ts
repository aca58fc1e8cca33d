// What an Elphapex can be told: reboot, light, sleep and wake (atlas 20).
import type { Ability, AbilityName } from '../../src/driver/contract.ts';
import { toNumber } from '../../src/driver/fields.ts';
import { light, reboot } from '../_families/bitmain-actions.ts';
import { confMode, likeBefore } from '../_families/bitmain-modes.ts';

const MODE = 'fc-work-mode';
/** Others exist and nobody knows which is which. */
const NUMBERS: Readonly<Record<string, number>> = { normal: 0, sleep: 1 };

export const abilities: Readonly<Partial<Record<AbilityName, Ability>>> = {
  reboot,
  light: light((on) => on),
  powerMode: confMode({
    toNumber: (mode) => NUMBERS[mode],
    modeOf: (conf) => toNumber(conf[MODE], { min: 0, max: 99 }),
    body: (conf, number) => ({ ...conf, [MODE]: likeBefore(conf[MODE], number) }),
  }),
};
