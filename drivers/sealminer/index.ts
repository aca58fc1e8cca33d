// Sealminer (Bitdeer): BDMiner's statistics on TCP 4028, settings as PHP pages behind a login with a cookie (atlas 13).
import { defineDriver } from '../../src/driver/contract.ts';
import { confidenceOf } from '../../src/driver/proof.ts';
import { present, versionTexts } from '../_dialects/cgminer.ts';
import { abilities } from './abilities.ts';
import { FAMILIES, IP_REPORT } from './family.data.ts';
import { modelOf, read } from './read.ts';
import { replies } from './replies.ts';
import { page } from './session.ts';

export const sealminer = defineDriver({
  id: 'sealminer',
  make: 'Sealminer',
  families: FAMILIES,
  ipReport: IP_REPORT,
  covers: [
    { models: 'Sealminer A2', firmware: 'stock, from 2025 on', evidence: 'simulated' },
    { models: 'Sealminer A1, A2 Pro, A3 and others', firmware: 'stock with BDMiner', evidence: 'claimed' },
  ],
  asks: {
    stats: { every: 'poll', via: 'cgminer', command: 'stats' },
    status: { every: 'poll', insteadOf: 'stats', ...page('miner-status') },
    pools: { every: 'slow', via: 'cgminer', command: 'pools' },
    system: { every: 'slow', ...page('get_system_info') },
    version: { every: 'static', via: 'cgminer', command: 'version' },
  },
  replies,
  abilities,
  login: { kind: 'session', factoryDefault: { user: 'seal', password: 'seal' } },
  quirks: { warmUpS: 900 },
  identify(evidence) {
    const { family, version } = evidence;
    if (family !== 'sealminer') return undefined;
    return present({
      confidence: confidenceOf(evidence),
      make: 'Sealminer',
      model: modelOf(versionTexts(version).Model).name,
    });
  },
  read,
});
