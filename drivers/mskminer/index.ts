// MSKMiner firmware on Antminer hardware: Antminer's statistics on TCP, a web of its own for the MAC (atlas 16).
// Nothing is known of its control.
import * as kit from '../../src/driver/kit/index.ts';
import { TCP_ASKS } from '../_dialects/bitmain-reading.ts';
import { isMskMiner } from '../_dialects/rwglr.ts';
import { FAMILIES } from './family.data.ts';
import { read, splitType } from './read.ts';

const session = kit.cookieSession({
  name: 'mskminer',
  path: '/admin/login',
  form: ({ user, password }) => ({ username: user, password }),
});

export const mskminer = kit.defineDriver({
  id: 'mskminer',
  make: 'Antminer',
  families: FAMILIES,
  covers: [
    { models: 'Antminer S19 (88 chips)', firmware: 'MSKMiner', evidence: 'simulated' },
    { models: 'other Antminers', firmware: 'MSKMiner', evidence: 'claimed' },
  ],
  asks: {
    ...TCP_ASKS,
    info: {
      ...{ every: 'static', ...kit.post('/api/info_v1', session) },
      needs: (info) => info.at('network_info', 'result').isThere,
    },
  },
  login: { kind: 'session', factoryDefault: { user: 'admin', password: 'root' } },
  quirks: { warmUpS: 900 },
  identify(evidence, ours) {
    if (ours === undefined || !isMskMiner(evidence)) return undefined;
    const { name, version } = splitType(kit.versionTexts(evidence.version).Type);
    return kit.present({ ...ours, model: name, firmwareVersion: version });
  },
  read,
});
