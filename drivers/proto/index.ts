// Proto rig (Proto OS): a REST API on port 80 behind the password of its owner (atlas 12).
import { defineDriver } from '../../src/driver/contract.ts';
import { confidenceOf } from '../../src/driver/proof.ts';
import { abilities } from './abilities.ts';
import { FAMILIES } from './family.data.ts';
import { read } from './read.ts';
import { replies } from './replies.ts';
import { locked, open } from './requests.ts';

export const proto = defineDriver({
  id: 'proto',
  make: 'Proto',
  families: FAMILIES,
  covers: [
    { models: 'Proto Rig', firmware: 'Proto OS 1.8.0 of the vendor’s simulator', evidence: 'recording' },
    { models: 'Proto Rig', firmware: 'Proto OS 1.8.2 with sparse slots', evidence: 'simulated' },
  ],
  asks: {
    mining: { every: 'poll', ...locked('mining') },
    telemetry: { every: 'poll', ...locked('telemetry?level=miner,hashboard,psu,asic') },
    cooling: { every: 'poll', ...locked('cooling') },
    pools: { every: 'slow', ...locked('pools') },
    errors: { every: 'slow', ...locked('errors') },
    target: { every: 'slow', ...locked('mining/target') },
    system: { every: 'static', ...open('system') },
    network: { every: 'static', ...open('network') },
    hardware: { every: 'static', ...open('hardware') },
  },
  replies,
  abilities,
  /** There is no factory password: the owner sets one. */
  login: { kind: 'session' },
  quirks: { warmUpS: 300 },
  identify: (evidence) =>
    evidence.family === 'proto' ? { confidence: confidenceOf(evidence), make: 'Proto' } : undefined,
  read,
});
