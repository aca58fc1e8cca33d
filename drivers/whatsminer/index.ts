// Whatsminer (MicroBT): API 1 and 2 on TCP 4028, API 3 on TCP 4433. One driver, because the API goes by firmware and
// not by model.
import * as kit from '../../src/driver/kit/index.ts';
import { abilities } from './abilities.ts';
import * as api2 from './api2/index.ts';
import * as api3 from './api3/index.ts';
import { FAMILIES, IP_REPORT } from './family.data.ts';
import { identify } from './identify.ts';
import { draftOf } from './read.ts';

export const whatsminer = kit.defineDriver({
  id: 'whatsminer',
  make: 'Whatsminer',
  families: FAMILIES,
  ipReport: IP_REPORT,
  covers: [
    { models: 'M20S', firmware: 'API 1: before 2022-07-29', evidence: 'recording' },
    { models: 'M20 to M50 series', firmware: 'API 2: 2022-07-29 to 2024-10-31', evidence: 'simulated' },
    { models: 'M60S', firmware: 'API 3: from 2024-11-01', evidence: 'recording' },
    { models: 'M3', firmware: 'before API 1', evidence: 'claimed' },
    { models: 'M30 to M79 series, air, hydro and immersion', firmware: 'any of the three APIs', evidence: 'claimed' },
  ],
  asks: { ...api2.asks, ...api3.asks },
  abilities,
  login: {
    kind: 'token',
    factoryDefault: { user: 'super', password: 'super' },
    factoryDefaultOf: { api1: { user: 'admin', password: 'admin' }, api2: { user: 'admin', password: 'admin' } },
  },
  quirks: { gapMs: 50, warmUpS: 900 },
  identify,
  read(answers, known) {
    const { info3, summary3, edevs3, pools3 } = answers;
    const isApi3 = [info3, summary3, edevs3, pools3].some(({ isThere }) => isThere);
    return draftOf(isApi3 ? api3.told(answers) : api2.told(answers), known);
  },
});
