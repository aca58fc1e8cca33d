// Auradine (FluxOS, Teraflux): CGMiner words on TCP 4028 for what it hashes, a web API with a token on 8080 for
// everything else (atlas 10).
import * as kit from '../../src/driver/kit/index.ts';
import { abilities, resource } from './abilities.ts';
import { FAMILIES, IP_REPORT } from './family.data.ts';
import { read } from './read.ts';

export const auradineFluxos = kit.defineDriver({
  id: 'auradine-fluxos',
  make: 'Auradine',
  families: FAMILIES,
  ipReport: IP_REPORT,
  covers: [
    { models: 'Teraflux AT1500', firmware: 'FluxOS 2023-12.27', evidence: 'recording' },
    { models: 'Teraflux AT2880', firmware: 'FluxOS 2024', evidence: 'simulated' },
    { models: 'Teraflux AI, AD, AH and AT families', firmware: 'any FluxOS', evidence: 'claimed' },
  ],
  asks: {
    summary: { every: 'poll', ...kit.tcp('summary'), needs: 'SUMMARY' },
    devs: { every: 'poll', ...kit.tcp('devs'), needs: 'DEVS' },
    temperature: { every: 'poll', ...resource('temperature'), needs: 'Temperature' },
    fan: { every: 'poll', ...resource('fan'), needs: 'Fan' },
    psu: { every: 'poll', ...resource('psu'), needs: 'PSU' },
    pools: { every: 'slow', ...kit.tcp('pools'), needs: 'POOLS' },
    mode: { every: 'slow', ...resource('mode'), needs: kit.hasRow('Mode') },
    led: { every: 'slow', ...resource('led'), needs: kit.hasRow('LED') },
    frequency: { every: 'slow', ...resource('frequency') },
    asccount: { every: 'slow', ...kit.tcp('asccount') },
    ipreport: { every: 'static', ...resource('ipreport'), needs: kit.hasRow('IPReport') },
    version: { every: 'static', ...kit.tcp('version'), needs: kit.hasRow('VERSION') },
  },
  abilities,
  login: { kind: 'session', factoryDefault: { user: 'admin', password: 'admin' } },
  quirks: { warmUpS: 600 },
  read,
});
