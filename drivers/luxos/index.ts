// LuxOS (Luxor) on Antminer hardware: one TCP API, reads without login, changes within the one session that a miner
// has.
import * as kit from '../../src/driver/kit/index.ts';
import { abilities } from './abilities.ts';
import { FAMILIES } from './family.data.ts';
import { read } from './read.ts';

export const luxos = kit.defineDriver({
  id: 'luxos',
  make: 'Antminer',
  families: FAMILIES,
  covers: [
    { models: 'Antminer S19k Pro', firmware: 'LuxOS 2025.4', evidence: 'recording' },
    { models: 'Antminer S21', firmware: 'LuxOS 2025.9', evidence: 'simulated' },
    { models: 'Antminer S9, S19, T19, S21, T21 families', firmware: 'any LuxOS', evidence: 'claimed' },
  ],
  asks: {
    summary: { every: 'poll', ...kit.tcp('summary'), needs: 'SUMMARY' },
    devs: { every: 'poll', ...kit.tcp('devs'), needs: 'DEVS' },
    stats: { every: 'poll', ...kit.tcp('stats'), needs: 'STATS' },
    temps: { every: 'poll', ...kit.tcp('temps'), needs: 'TEMPS' },
    power: { every: 'poll', ...kit.tcp('power') },
    pools: { every: 'slow', ...kit.tcp('pools'), needs: 'POOLS' },
    fans: { every: 'slow', ...kit.tcp('fans'), needs: 'FANS' },
    config: { every: 'slow', ...kit.tcp('config'), needs: kit.hasRow('CONFIG') },
    events: { every: 'slow', ...kit.tcp('events') },
    version: { every: 'static', ...kit.tcp('version'), needs: kit.hasRow('VERSION') },
    profiles: { every: 'static', ...kit.tcp('profiles') },
  },
  abilities,
  quirks: { warmUpS: 900 },
  identify({ version }, ours) {
    const { Type: type, Miner: firmwareVersion } = kit.versionTexts(version);
    return ours && { ...ours, ...kit.present({ model: kit.findAntminer(type)?.model ?? type, firmwareVersion }) };
  },
  read,
});
