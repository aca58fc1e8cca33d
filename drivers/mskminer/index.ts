// MSKMiner firmware on Antminer hardware: Antminer's statistics on TCP, a web of its own for the MAC (atlas 16).
// Nothing is known of its control.
import { defineDriver, type WebSession } from '../../src/driver/contract.ts';
import { confidenceOf } from '../../src/driver/proof.ts';
import { present, versionTexts } from '../_dialects/cgminer.ts';
import { isMskMiner } from '../_dialects/rwglr.ts';
import { FAMILIES } from './family.data.ts';
import { read, splitType } from './read.ts';
import { replies } from './replies.ts';

const session: WebSession = {
  name: 'mskminer',
  open: ({ user, password }) => ({
    via: 'http',
    method: 'POST',
    path: '/admin/login',
    form: { username: user, password },
  }),
  grant: ({ status, cookie }) => (status < 400 && cookie !== undefined ? { Cookie: cookie } : undefined),
};

export const mskminer = defineDriver({
  id: 'mskminer',
  make: 'Antminer',
  families: FAMILIES,
  covers: [
    { models: 'Antminer S19 (88 chips)', firmware: 'MSKMiner', evidence: 'simulated' },
    { models: 'other Antminers', firmware: 'MSKMiner', evidence: 'claimed' },
  ],
  asks: {
    stats: { every: 'poll', via: 'cgminer', command: 'stats' },
    pools: { every: 'slow', via: 'cgminer', command: 'pools' },
    version: { every: 'static', via: 'cgminer', command: 'version' },
    info: { every: 'static', via: 'http', method: 'POST', path: '/api/info_v1', auth: session, as: 'json' },
  },
  replies,
  abilities: {},
  login: { kind: 'session', factoryDefault: { user: 'admin', password: 'root' } },
  quirks: { warmUpS: 900 },
  identify(evidence) {
    if (!isMskMiner(evidence)) return undefined;
    const { name, version } = splitType(versionTexts(evidence.version).Type);
    return present({ confidence: confidenceOf(evidence), make: 'Antminer', model: name, firmwareVersion: version });
  },
  read,
});
