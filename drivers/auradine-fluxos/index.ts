// Auradine (FluxOS, Teraflux): CGMiner words on TCP 4028 for what it hashes, a web API with a token on 8080 for
// everything else (atlas 10).
import { defineDriver } from '../../src/driver/contract.ts';
import { confidenceOf } from '../../src/driver/proof.ts';
import { abilities } from './abilities.ts';
import { FAMILIES, IP_REPORT } from './family.data.ts';
import { read } from './read.ts';
import { replies } from './replies.ts';
import { resource } from './requests.ts';

const via = 'cgminer';

export const auradineFluxos = defineDriver({
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
    summary: { every: 'poll', via, command: 'summary' },
    devs: { every: 'poll', via, command: 'devs' },
    temperature: { every: 'poll', ...resource('temperature') },
    fan: { every: 'poll', ...resource('fan') },
    psu: { every: 'poll', ...resource('psu') },
    pools: { every: 'slow', via, command: 'pools' },
    mode: { every: 'slow', ...resource('mode') },
    led: { every: 'slow', ...resource('led') },
    frequency: { every: 'slow', ...resource('frequency') },
    asccount: { every: 'slow', via, command: 'asccount' },
    ipreport: { every: 'static', ...resource('ipreport') },
    version: { every: 'static', via, command: 'version' },
  },
  replies,
  abilities,
  login: { kind: 'session', factoryDefault: { user: 'admin', password: 'admin' } },
  quirks: { warmUpS: 600 },
  identify: (evidence) =>
    evidence.family === 'auradine-fluxos' ? { confidence: confidenceOf(evidence), make: 'Auradine' } : undefined,
  read,
});
