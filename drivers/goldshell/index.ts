// Goldshell (boxes, KD, CK, HS, Mini Doge, Byte): a BFGMiner kind of API on TCP 4028, reads only, and one page of its
// web that needs no login (atlas 18). The login of that web would put the password into an address, which ends up in
// logs: it is never sent, so nothing here changes a device.
import { defineDriver } from '../../src/driver/contract.ts';
import { confidenceOf } from '../../src/driver/proof.ts';
import { FAMILIES, IP_REPORT } from './family.data.ts';
import { read } from './read.ts';
import { replies } from './replies.ts';

const via = 'cgminer';

export const goldshell = defineDriver({
  id: 'goldshell',
  make: 'Goldshell',
  families: FAMILIES,
  ipReport: IP_REPORT,
  covers: [
    { models: 'Goldshell KD5, KD Box Pro, Mini Doge, Byte', firmware: 'stock with /mcb', evidence: 'simulated' },
    {
      models: 'Goldshell CK5, HS5, LT5, KD Box II, KD Max and others',
      firmware: 'stock with /mcb',
      evidence: 'claimed',
    },
  ],
  asks: {
    devs: { every: 'poll', via, command: 'devs' },
    // Builds with TCP closed show the same on a page, some of them without a login. None is made.
    webDevs: {
      every: 'poll',
      insteadOf: 'devs',
      via: 'http',
      method: 'GET',
      path: '/mcb/cgminer?cgminercmd=devs',
      auth: 'none',
      as: 'json',
    },
    pools: { every: 'slow', via, command: 'pools' },
    status: { every: 'static', via: 'http', method: 'GET', path: '/mcb/status', auth: 'none', as: 'json' },
    devdetails: { every: 'static', via, command: 'devdetails' },
  },
  replies,
  abilities: {},
  login: { kind: 'none' },
  quirks: { warmUpS: 300 },
  identify(evidence) {
    // A program of many names itself as one of these does, and is none where their page is missing.
    const isHint = evidence.isProven === true || evidence.web?.body.includes('cloud-box') === true;
    if (evidence.family !== 'goldshell' || !isHint) return undefined;
    return { confidence: confidenceOf(evidence), make: 'Goldshell' };
  },
  read,
});
