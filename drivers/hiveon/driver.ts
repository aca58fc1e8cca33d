// Hiveon firmware on Antminer hardware (atlas 15): Antminer's statistics on TCP, and on modern builds Antminer's web of 2020.
import { defineDriver } from '../../src/driver/contract.ts';
import { toNumber } from '../../src/driver/fields.ts';
import { reboot } from '../_families/bitmain-actions.ts';
import { bitmainBody, confMode } from '../_families/bitmain-modes.ts';
import { page } from '../_families/bitmain-web.ts';
import { present, versionTexts } from '../_families/cgminer.ts';
import { generationOf, modelOf, read } from './read.ts';
import { replies } from './replies.ts';

const modes = confMode({
  toNumber: (mode) => (mode === 'sleep' ? 1 : mode === 'normal' ? 0 : undefined),
  modeOf: (conf) => toNumber(conf['bitmain-work-mode'] ?? conf['miner-mode'], { min: 0, max: 99 }),
  body: bitmainBody,
});

export const hiveon = defineDriver({
  id: 'hiveon',
  make: 'Antminer',
  covers: [
    { models: 'Antminer S19', firmware: 'Hiveon, modern', evidence: 'simulated' },
    { models: 'Antminer T9', firmware: 'Hiveon, of its time', evidence: 'simulated' },
    { models: 'Antminer S19j Pro, S19k Pro, S19 XP 88', firmware: 'Hiveon, modern', evidence: 'claimed' },
  ],
  asks: {
    stats: { every: 'poll', via: 'cgminer', command: 'stats' },
    pools: { every: 'slow', via: 'cgminer', command: 'pools' },
    version: { every: 'static', via: 'cgminer', command: 'version' },
    summary: { every: 'slow', generations: ['modern'], ...page('summary.cgi') },
    conf: { every: 'slow', generations: ['modern'], ...page('get_miner_conf.cgi') },
    system: { every: 'static', ...page('get_system_info.cgi') },
  },
  replies,
  abilities: { reboot, powerMode: modes },
  login: { kind: 'digest', factoryDefault: { user: 'root', password: 'root' } },
  quirks: { parallel: 2, warmUpS: 900 },
  identify({ family, version }) {
    if (family !== 'hiveon') return undefined;
    const texts = versionTexts(version);
    const model = modelOf(texts.Type);
    return present({
      confidence: 'sure' as const,
      make: 'Antminer',
      generation: generationOf(model.name),
      model: model.name,
      firmwareVersion: texts.Miner ?? texts.CompileTime,
    });
  },
  read,
});
