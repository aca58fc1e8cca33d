// Elphapex scrypt miners with the maker's firmware: an Antminer look-alike over the web alone, with its own keys and
// units (atlas 20).
import { defineDriver } from '../../src/driver/contract.ts';
import { confidenceOf } from '../../src/driver/proof.ts';
import { page } from '../_dialects/bitmain-web.ts';
import { abilities } from './abilities.ts';
import { FAMILIES, IP_REPORT } from './family.data.ts';
import { read } from './read.ts';
import { replies } from './replies.ts';

export const elphapex = defineDriver({
  id: 'elphapex',
  make: 'Elphapex',
  families: FAMILIES,
  ipReport: IP_REPORT,
  covers: [
    { models: 'DG-Home1', firmware: 'stock 1.0.5', evidence: 'recording' },
    { models: 'DG1+', firmware: 'stock', evidence: 'simulated' },
    { models: 'DG1', firmware: 'stock', evidence: 'claimed' },
  ],
  asks: {
    stats: { every: 'poll', ...page('stats.cgi') },
    power: { every: 'poll', ...page('get_power.cgi') },
    pools: { every: 'slow', ...page('pools.cgi') },
    summary: { every: 'slow', ...page('summary.cgi') },
    conf: { every: 'slow', ...page('get_miner_conf.cgi') },
    blink: { every: 'slow', ...page('get_blink_status.cgi') },
    system: { every: 'static', ...page('get_system_info.cgi') },
  },
  replies,
  abilities,
  login: { kind: 'digest', factoryDefault: { user: 'root', password: 'root' } },
  // The web server fails when it is hurried.
  quirks: { warmUpS: 900 },
  identify(evidence) {
    const { family } = evidence;
    return family === 'elphapex' ? { confidence: confidenceOf(evidence), make: 'Elphapex' } : undefined;
  },
  read,
});
