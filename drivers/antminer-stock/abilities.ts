// What a stock Antminer of generation B or C can be told (atlas 3.4). Whether it obeyed is found out by looking, not here.
import { PeerError } from '../../src/base/errors.ts';
import type { Ability, AbilityName } from '../../src/driver/contract.ts';
import { light, reboot } from '../_families/bitmain-actions.ts';

const blink = light(String);

export const abilities: Readonly<Partial<Record<AbilityName, Ability>>> = {
  reboot,
  light: {
    ...blink,
    async act(link, params, known) {
      if (known.generation === 'a') {
        throw new PeerError('peer.unsupported', `switch the light of ${link.ip}, whose firmware is too old`, 'never');
      }
      return blink.act(link, params, known);
    },
  },
};
