// ePIC's firmware (UMC OS, PowerPlay) on Antminers and on ePIC's own machines: an HTTP API on the port where others
// have CGMiner (atlas 9).
import { defineDriver } from '../../src/driver/contract.ts';
import { toText } from '../../src/driver/fields.ts';
import { confidenceOf } from '../../src/driver/proof.ts';
import { present } from '../_dialects/cgminer.ts';
import { abilities } from './abilities.ts';
import { FAMILIES } from './family.data.ts';
import { makeOf, modelOf, read } from './read.ts';
import { replies } from './replies.ts';
import { resource } from './requests.ts';

export const epicUmcos = defineDriver({
  id: 'epic-umcos',
  make: 'ePIC',
  families: FAMILIES,
  covers: [
    { models: 'Antminer S19 XP', firmware: 'PowerPlay-BMS 1.5.13', evidence: 'recording' },
    { models: 'Antminer S21, BlockMiner 720i', firmware: 'PowerPlay-BMS 1.17', evidence: 'simulated' },
    { models: 'Antminer S19, S21, T21 families, other BlockMiners', firmware: 'any UMC OS', evidence: 'claimed' },
    { models: 'ePIC SC200', firmware: 'epic-miner 2.x', evidence: 'claimed' },
  ],
  asks: {
    summary: { every: 'poll', ...resource('summary') },
    temps: { every: 'poll', ...resource('temps') },
    hashrate: { every: 'slow', ...resource('hashrate') },
    network: { every: 'static', ...resource('network') },
    capabilities: { every: 'static', ...resource('capabilities') },
  },
  replies,
  abilities,
  login: { kind: 'token', factoryDefault: { user: 'root', password: 'letmein' } },
  quirks: { warmUpS: 900 },
  identify(evidence) {
    const { family, api4028 } = evidence;
    if (family !== 'epic-umcos') return undefined;
    const reported = toText(/"Model"\s*:\s*"([^"\\]{1,128})"/.exec(api4028?.body ?? '')?.[1]);
    const model = modelOf(reported);
    return present({
      confidence: confidenceOf(evidence),
      make: model?.make ?? makeOf(reported),
      model: model?.model ?? reported,
    });
  },
  read,
});
