// Elphapex scrypt miners with the maker's firmware: an Antminer look-alike over the web alone, with its own keys and
// units (atlas 20).
import * as kit from '../../src/driver/kit/index.ts';
import { PAGES } from '../_dialects/bitmain-reading.ts';
import { page } from '../_dialects/bitmain-web.ts';
import { abilities } from './abilities.ts';
import { FAMILIES, IP_REPORT } from './family.data.ts';
import { read } from './read.ts';

export const elphapex = kit.defineDriver({
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
    ...PAGES,
  },
  abilities,
  login: { kind: 'digest', factoryDefault: { user: 'root', password: 'root' } },
  // The web server fails when it is hurried.
  quirks: { warmUpS: 900 },
  read,
});
