// Innosilicon (T3 and A series): a web API where every call is posted behind a token, and CGMiner's API on TCP 4028 for
// reading (atlas 19).
import { defineDriver } from '../../src/driver/contract.ts';
import { confidenceOf } from '../../src/driver/proof.ts';
import { abilities, call } from './abilities.ts';
import { FAMILIES } from './family.data.ts';
import { read } from './read.ts';
import { replies } from './replies.ts';

const via = 'cgminer';

export const innosilicon = defineDriver({
  id: 'innosilicon',
  make: 'Innosilicon',
  families: FAMILIES,
  covers: [
    { models: 'Innosilicon T3H+, A11', firmware: 'stock with /api/getAll', evidence: 'simulated' },
    { models: 'Innosilicon T3, A10, A10X, A11MX and others', firmware: 'stock with /api', evidence: 'claimed' },
    { models: 'Dragonmint T1', firmware: 'stock with /api/summary', evidence: 'claimed' },
  ],
  asks: {
    all: { every: 'poll', ...call('getAll') },
    summary: { every: 'poll', insteadOf: 'all', via, command: 'summary' },
    devs: { every: 'poll', insteadOf: 'all', via, command: 'devs' },
    // The same as the web has it: all that a build without getAll and with TCP closed tells of its boards.
    webDevs: { every: 'poll', insteadOf: 'devs', ...call('summary') },
    stats: { every: 'poll', via, command: 'stats' },
    pools: { every: 'slow', via, command: 'pools' },
    webPools: { every: 'slow', insteadOf: 'pools', ...call('summary') },
    fault: { every: 'slow', ...call('getErrorDetail') },
    overview: { every: 'static', ...call('overview') },
    type: { every: 'static', ...call('type') },
    version: { every: 'static', via, command: 'version' },
  },
  replies,
  abilities,
  login: { kind: 'session', factoryDefault: { user: 'admin', password: 'admin' } },
  quirks: { warmUpS: 900 },
  identify: (evidence) =>
    evidence.family === 'innosilicon' ? { confidence: confidenceOf(evidence), make: 'Innosilicon' } : undefined,
  read,
});
