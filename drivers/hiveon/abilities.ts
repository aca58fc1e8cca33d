// What a miner with Hiveon firmware can be told (atlas 15): reboot and light as Antminers from before 2020, and on
// modern builds sleep, wake and pools as Antminers of 2020. Old machines do not have those pages, and say so before
// anything is changed.
import { reboot } from '../_dialects/bitmain-actions.ts';
import { bitmainBody, bitmainMode, confMode, confPools } from '../_dialects/bitmain-conf.ts';
import { formLight } from '../_dialects/bitmain-forms.ts';

const body = bitmainBody();

export const abilities = {
  reboot,
  light: formLight,
  powerMode: confMode({
    numberOf: (mode) => (mode === 'sleep' ? 1 : mode === 'normal' ? 0 : undefined),
    modeOf: bitmainMode,
    body,
  }),
  pools: confPools(body),
};
