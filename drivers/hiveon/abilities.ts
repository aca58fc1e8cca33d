// What a miner with Hiveon firmware can be told (atlas 15): reboot and light as Antminers from before 2020, and on
// modern builds sleep, wake and pools as Antminers of 2020. Old machines do not have those pages, and say so before
// anything is changed.
import type { Ability, AbilityName } from '../../src/driver/contract.ts';
import { reboot } from '../_dialects/bitmain-actions.ts';
import { bitmainBody } from '../_dialects/bitmain-conf.ts';
import { formLight } from '../_dialects/bitmain-forms.ts';
import { bitmainMode, confMode, likeBefore } from '../_dialects/bitmain-modes.ts';
import { confPools } from '../_dialects/bitmain-pools.ts';

export const abilities: Readonly<Partial<Record<AbilityName, Ability>>> = {
  reboot,
  light: formLight,
  powerMode: confMode({
    toNumber: (mode) => (mode === 'sleep' ? 1 : mode === 'normal' ? 0 : undefined),
    modeOf: bitmainMode,
    body: (conf, number) =>
      bitmainBody(conf, { mode: likeBefore(conf['bitmain-work-mode'] ?? conf['miner-mode'], number) }),
  }),
  pools: confPools(),
};
