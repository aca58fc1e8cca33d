// Sealminer (Bitdeer): BDMiner's statistics on TCP 4028, settings as PHP pages behind a login with a cookie (atlas 13).
import * as kit from '../../src/driver/kit/index.ts';
import { abilities, page } from './abilities.ts';
import { FAMILIES, IP_REPORT } from './family.data.ts';
import { modelOf, read } from './read.ts';

export const sealminer = kit.defineDriver({
  id: 'sealminer',
  make: 'Sealminer',
  families: FAMILIES,
  ipReport: IP_REPORT,
  covers: [
    { models: 'Sealminer A2', firmware: 'stock, from 2025 on', evidence: 'simulated' },
    { models: 'Sealminer A1, A2 Pro, A3 and others', firmware: 'stock with BDMiner', evidence: 'claimed' },
  ],
  asks: {
    stats: { every: 'poll', ...kit.tcp('stats') },
    status: { every: 'poll', insteadOf: 'stats', ...page('miner-status'), needs: ['summary', 'pools'] },
    pools: { every: 'slow', ...kit.tcp('pools') },
    system: { every: 'slow', ...page('get_system_info') },
    version: { every: 'static', ...kit.tcp('version') },
  },
  abilities,
  login: { kind: 'session', factoryDefault: { user: 'seal', password: 'seal' } },
  quirks: { warmUpS: 900 },
  identify: ({ version }, ours) =>
    ours && kit.present({ ...ours, model: modelOf(kit.versionTexts(version).Model).model }),
  read,
});
