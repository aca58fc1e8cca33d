// What an Elphapex can be told: reboot, light, sleep and wake, pools (atlas 20).
import type { Ability, AbilityName } from '../../src/driver/contract.ts';
import { toNumber } from '../../src/driver/fields.ts';
import { light, reboot } from '../_dialects/bitmain-actions.ts';
import { inAllPlaces } from '../_dialects/bitmain-conf.ts';
import { confMode, likeBefore } from '../_dialects/bitmain-modes.ts';
import { confPools } from '../_dialects/bitmain-pools.ts';

const MODE = 'fc-work-mode';
/** Others exist; their meaning is unknown. */
const NUMBERS: Readonly<Record<string, number>> = { normal: 0, sleep: 1 };

export const abilities: Readonly<Partial<Record<AbilityName, Ability>>> = {
  reboot,
  light: light((on) => on),
  powerMode: confMode({
    toNumber: (mode) => NUMBERS[mode],
    modeOf: (conf) => toNumber(conf[MODE], { min: 0, max: 99 }),
    body: (conf, number) => ({ ...conf, [MODE]: likeBefore(conf[MODE], number) }),
  }),
  /** It has keys of its own: all go back as they were read. */
  pools: confPools((conf, pools) => ({ ...conf, pools: inAllPlaces(pools) })),
};
