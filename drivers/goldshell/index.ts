// Goldshell (boxes, KD, CK, HS, Mini Doge, Byte): a BFGMiner kind of API on TCP 4028, reads only, and one page of its
// web that needs no login (atlas 18). The login of that web would put the password into an address, which ends up in
// logs: it is never sent, so nothing here changes a device.
import * as kit from '../../src/driver/kit/index.ts';
import { FAMILIES, IP_REPORT } from './family.data.ts';
import { read } from './read.ts';

export const goldshell = kit.defineDriver({
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
    devs: { every: 'poll', ...kit.tcp('devs'), needs: 'DEVS' },
    // Builds with TCP closed show the same on a page, some of them without a login. None is made. Rows in groups per
    // algorithm are not read, as their rates do not add up.
    webDevs: {
      ...{ every: 'poll', insteadOf: 'devs', ...kit.get('/mcb/cgminer?cgminercmd=devs') },
      needs: (page) => page.rows('data') !== undefined,
    },
    pools: { every: 'slow', ...kit.tcp('pools'), needs: 'POOLS' },
    status: { every: 'static', ...kit.get('/mcb/status') },
    devdetails: { every: 'static', ...kit.tcp('devdetails') },
  },
  quirks: { warmUpS: 300 },
  // A program of many names itself as one of these does, and is none where their page is missing.
  identify: ({ isProven, web }, ours) => (isProven === true || web?.body.includes('cloud-box') ? ours : undefined),
  read,
});
