// Sealminer (Bitdeer): BDMiner's statistics on TCP 4028, settings as PHP pages behind a login with a cookie (atlas 13).
import * as kit from '../../src/driver/kit/index.ts';
import { abilities } from './abilities.ts';
import { ASKS } from './asks.data.ts';
import { COVERS, FAMILIES, IP_REPORT } from './family.data.ts';
import { read } from './read.ts';

export const sealminer = kit.defineDriver({
  id: 'sealminer',
  make: 'Sealminer',
  families: FAMILIES,
  ipReport: IP_REPORT,
  covers: COVERS,
  asks: ASKS,
  abilities,
  login: { kind: 'session', factoryDefault: { user: 'seal', password: 'seal' } },
  quirks: { warmUpS: 900 },
  identify: ({ version }, ours) =>
    ours && kit.present({ ...ours, model: kit.knownModel('sealminer-stock', kit.versionTexts(version).Model).model }),
  read,
});
