// Auradine (FluxOS, Teraflux): CGMiner words on TCP 4028 for what it hashes, a web API for the rest (atlas 10).
import * as kit from '../../src/driver/kit/index.ts';
import { abilities } from './abilities.ts';
import { ASKS } from './asks.data.ts';
import { COVERS, FAMILIES, IP_REPORT } from './family.data.ts';
import { read } from './read.ts';

export const auradineFluxos = kit.defineDriver({
  id: 'auradine-fluxos',
  make: 'Auradine',
  families: FAMILIES,
  ipReport: IP_REPORT,
  covers: COVERS,
  asks: ASKS,
  abilities,
  login: { kind: 'session', factoryDefault: { user: 'admin', password: 'admin' } },
  quirks: { warmUpS: 600 },
  read,
});
