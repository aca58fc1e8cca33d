// What a stock Antminer can be told (atlas 3.4), by the generation of its web. Whether it obeyed is found out by looking, not here.
import { PeerError } from '../../src/base/errors.ts';
import type { Ability, AbilityName } from '../../src/driver/contract.ts';
import { light, reboot } from '../_families/bitmain-actions.ts';
import { generationA, isGenerationA } from './generation-a.ts';

const blink = light(String);

/** `old` on generation A, `later` on B and C; where that is missing, the task is refused before anything is changed. */
function byGeneration(old: Ability, later?: Ability): Ability {
  return {
    ...old,
    async act(link, params, known, image) {
      const ability = (await isGenerationA(link, known)) ? old : later;
      if (ability !== undefined) return ability.act(link, params, known, image);
      throw new PeerError('peer.unsupported', `do that to ${link.ip}, whose firmware is of another time`, 'never');
    },
  };
}

export const abilities: Readonly<Partial<Record<AbilityName, Ability>>> = {
  reboot,
  light: byGeneration(generationA.light, blink),
  pools: byGeneration(generationA.pools),
  log: byGeneration(generationA.log),
  firmware: byGeneration(generationA.firmware),
};
