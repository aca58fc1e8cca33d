// Innosilicon (T3 and A series): a web API where every call is posted behind a token, and CGMiner's API on TCP 4028 for
// reading (atlas 19).
import * as kit from '../../src/driver/kit/index.ts';
import { abilities, call } from './abilities.ts';
import { FAMILIES } from './family.data.ts';
import { errorsOf, read } from './read.ts';

export const innosilicon = kit.defineDriver({
  id: 'innosilicon',
  make: 'Innosilicon',
  families: FAMILIES,
  covers: [
    { models: 'Innosilicon T3H+, A11', firmware: 'stock with /api/getAll', evidence: 'simulated' },
    { models: 'Innosilicon T3, A10, A10X, A11MX and others', firmware: 'stock with /api', evidence: 'claimed' },
    { models: 'Dragonmint T1', firmware: 'stock with /api/summary', evidence: 'claimed' },
  ],
  asks: {
    all: {
      ...{ every: 'poll', ...call('getAll') },
      needs: (answer) => answer.at('all', 'total_hash').isThere || answer.at('all').rows('chain') !== undefined,
    },
    summary: { every: 'poll', insteadOf: 'all', ...kit.tcp('summary'), needs: 'SUMMARY' },
    devs: { every: 'poll', insteadOf: 'all', ...kit.tcp('devs'), needs: 'DEVS' },
    // The same as the web has it: all that a build without getAll and with TCP closed tells of its boards.
    webDevs: { every: 'poll', insteadOf: 'devs', ...call('summary'), needs: 'DEVS' },
    stats: { every: 'poll', ...kit.tcp('stats'), needs: 'STATS' },
    pools: { every: 'slow', ...kit.tcp('pools'), needs: 'POOLS' },
    webPools: { every: 'slow', insteadOf: 'pools', ...call('summary'), needs: 'POOLS' },
    fault: { every: 'slow', ...call('getErrorDetail'), needs: (answer) => errorsOf(answer) !== undefined },
    overview: { every: 'static', ...call('overview') },
    type: { every: 'static', ...call('type') },
    version: { every: 'static', ...kit.tcp('version') },
  },
  abilities,
  login: { kind: 'session', factoryDefault: { user: 'admin', password: 'admin' } },
  quirks: { warmUpS: 900 },
  read,
});
