// Bitaxe and its kin: AxeOS, the NerdAxe family and LuckyMiner speak one API with one request, so they are one driver
// with three generations.
import { defineDriver } from '../../src/driver/contract.ts';
import { confidenceOf } from '../../src/driver/proof.ts';
import { abilities } from './abilities.ts';
import { FAMILIES } from './family.data.ts';
import { GENERATIONS, machineOf } from './models.ts';
import { read } from './read.ts';
import { replies } from './replies.ts';

export const axeos = defineDriver({
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
  asks: {
    info: { via: 'http', method: 'GET', path: '/api/system/info', auth: 'none', as: 'json', every: 'poll' },
  },
  replies,
  abilities,
  login: { kind: 'none' },
  quirks: { warmUpS: 120 },
  identify(evidence) {
    const { family } = evidence;
    const generation = family && GENERATIONS[family];
    if (generation === undefined) return undefined;
    return { confidence: confidenceOf(evidence), generation, make: machineOf(undefined, { generation }).make };
  },
  read,
});
