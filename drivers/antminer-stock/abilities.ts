// What a stock Antminer can be told (atlas 3.4), by the generation of its web. Whether it obeyed is found out by
// looking, not here.
import type { Ability, AbilityName } from '../../src/driver/contract.ts';
import { unsupported } from '../../src/driver/kit/act/outcomes.ts';
import { kernelLog, reboot } from '../_dialects/bitmain-actions.ts';
import { generationA, isGenerationA } from './generation-a.ts';
import { generationsBc } from './generations-bc.ts';

/** `later` on B and C, `old` on generation A; where that is missing, the task is refused before anything is changed. */
function byGeneration(later: Ability, old?: Ability): Ability {
  return {
    ...later,
    async act(link, params, known, image) {
      const ability = (await isGenerationA(link, known)) ? old : later;
      if (ability !== undefined) return ability.act(link, params, known, image);
      throw unsupported(link, 'do that to', 'its firmware is from before 2020');
    },
  };
}

export const abilities: Readonly<Partial<Record<AbilityName, Ability>>> = {
  reboot,
  light: byGeneration(generationsBc.light, generationA.light),
  powerMode: byGeneration(generationsBc.powerMode, generationA.powerMode),
  pools: byGeneration(generationsBc.pools, generationA.pools),
  log: kernelLog,
  firmware: byGeneration(generationsBc.firmware, generationA.firmware),
};
