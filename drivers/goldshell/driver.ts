// Goldshell (boxes, KD, CK, HS, Mini Doge, Byte): a BFGMiner kind of API on TCP 4028 for reading, a web API with one seat for the rest (atlas 18).
import { defineDriver } from '../../src/driver/contract.ts';
import { confidenceOf } from '../../src/driver/proof.ts';
import { abilities } from './abilities.ts';
import { read } from './read.ts';
import { replies } from './replies.ts';
import { resource } from './requests.ts';

const via = 'cgminer';

export const goldshell = defineDriver({
  id: 'goldshell',
  make: 'Goldshell',
  covers: [
    { models: 'Goldshell KD5, KD Box Pro, Mini Doge, Byte', firmware: 'stock with /mcb', evidence: 'simulated' },
    { models: 'Goldshell CK5, HS5, KD Box II, KD Max and others', firmware: 'stock with /mcb', evidence: 'claimed' },
  ],
  asks: {
    devs: { every: 'poll', via, command: 'devs' },
    webDevs: { every: 'poll', insteadOf: 'devs', ...resource('cgminer?cgminercmd=devs') },
    pools: { every: 'slow', via, command: 'pools' },
    webPools: { every: 'slow', insteadOf: 'pools', ...resource('pools') },
    setting: { every: 'slow', ...resource('setting') },
    status: { every: 'static', ...resource('status'), auth: 'none' },
    devdetails: { every: 'static', via, command: 'devdetails' },
  },
  replies,
  abilities,
  login: { kind: 'session', factoryDefault: { user: 'admin', password: '123456789' } },
  quirks: { warmUpS: 300 },
  identify(evidence) {
    // A program of many names itself as one of these does, and is none where their page is missing.
    const isHint = evidence.isProven === true || evidence.web?.body.includes('cloud-box') === true;
    if (evidence.family !== 'goldshell' || !isHint) return undefined;
    return { confidence: confidenceOf(evidence), make: 'Goldshell' };
  },
  read,
});
