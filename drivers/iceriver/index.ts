// Iceriver (KS and AL series): one web page whose forms are the API, behind a login that sets a cookie (atlas 17). No
// TCP API on the network.
import * as kit from '../../src/driver/kit/index.ts';
import { abilities, page } from './abilities.ts';
import { COVERS, FAMILIES, IP_REPORT } from './family.data.ts';
import { read } from './read.ts';

export const iceriver = kit.defineDriver({
  id: 'iceriver',
  make: 'Iceriver',
  families: FAMILIES,
  ipReport: IP_REPORT,
  covers: COVERS,
  asks: {
    panel: {
      ...{ every: 'poll', ...page('userpanel', '4') },
      // It says a fault, or a word about itself.
      needs: (panel) => (panel.int('error') ?? 0) > 0 || panel.at('data').has('rtpow') || panel.at('data').has('mac'),
    },
    machine: { every: 'slow', ...page('machineconfig', '1'), needs: 'data' },
  },
  abilities,
  login: { kind: 'session', factoryDefault: { user: 'admin', password: '12345678' } },
  quirks: { warmUpS: 600 },
  read,
});
