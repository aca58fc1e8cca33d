// Bitaxe and its kin: AxeOS, the NerdAxe family and LuckyMiner speak one API with one request, so they are one driver
// with three generations.
import * as kit from '../../src/driver/kit/index.ts';
import { abilities } from './abilities.ts';
import { FAMILIES } from './family.data.ts';
import { GENERATIONS, MAKES } from './machines.data.ts';
import { read } from './read.ts';
import { INFO, isInfo } from './send.ts';

export const axeos = kit.defineDriver({
  id: 'axeos',
  make: 'Bitaxe',
  families: FAMILIES,
  covers: [
    { models: 'Bitaxe Supra', firmware: 'AxeOS 2.4.5', evidence: 'recording' },
    { models: 'Bitaxe Gamma', firmware: 'AxeOS 2.14, which can pause', evidence: 'simulated' },
    { models: 'NerdQAxe++', firmware: 'any with /api/system/info', evidence: 'simulated' },
    { models: 'LuckyMiner LV07', firmware: 'any with /api/system/info', evidence: 'simulated' },
    { models: 'Bitaxe Max, Ultra, Hex, SupraHex, GammaTurbo and others', firmware: 'any AxeOS', evidence: 'claimed' },
    { models: 'NerdAxe, NerdQAxe+, NerdOctaxe, LuckyMiner LV08', firmware: 'any', evidence: 'claimed' },
  ],
  asks: { info: { every: 'poll', ...INFO, needs: isInfo } },
  abilities,
  quirks: { warmUpS: 120 },
  identify({ family = '' }, ours) {
    const generation = GENERATIONS[family];
    return ours && generation && { ...ours, generation, make: MAKES[generation] };
  },
  read,
});
