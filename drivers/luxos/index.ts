// LuxOS (Luxor) on Antminer hardware: one TCP API, reads without login, changes within the one session that a miner
// has.
import { defineDriver } from '../../src/driver/contract.ts';
import { confidenceOf } from '../../src/driver/proof.ts';
import { present, versionTexts } from '../_dialects/cgminer.ts';
import { abilities } from './abilities.ts';
import { FAMILIES } from './family.data.ts';
import { modelOf, read } from './read.ts';
import { replies } from './replies.ts';

const via = 'cgminer';

export const luxos = defineDriver({
  id: 'luxos',
  make: 'Antminer',
  families: FAMILIES,
  covers: [
    { models: 'Antminer S19k Pro', firmware: 'LuxOS 2025.4', evidence: 'recording' },
    { models: 'Antminer S21', firmware: 'LuxOS 2025.9', evidence: 'simulated' },
    { models: 'Antminer S9, S19, T19, S21, T21 families', firmware: 'any LuxOS', evidence: 'claimed' },
  ],
  asks: {
    summary: { via, command: 'summary', every: 'poll' },
    devs: { via, command: 'devs', every: 'poll' },
    stats: { via, command: 'stats', every: 'poll' },
    temps: { via, command: 'temps', every: 'poll' },
    power: { via, command: 'power', every: 'poll' },
    pools: { via, command: 'pools', every: 'slow' },
    fans: { via, command: 'fans', every: 'slow' },
    config: { via, command: 'config', every: 'slow' },
    events: { via, command: 'events', every: 'slow' },
    version: { via, command: 'version', every: 'static' },
    profiles: { via, command: 'profiles', every: 'static' },
  },
  replies,
  abilities,
  login: { kind: 'none' },
  quirks: { warmUpS: 900 },
  identify(evidence) {
    const { family, version } = evidence;
    if (family !== 'luxos') return undefined;
    const texts = versionTexts(version);
    return present({
      confidence: confidenceOf(evidence),
      make: 'Antminer',
      model: modelOf(texts.Type)?.model ?? texts.Type,
      firmwareVersion: texts.Miner,
    });
  },
  read,
});
