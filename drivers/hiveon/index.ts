// Hiveon firmware on Antminer hardware (atlas 15): Antminer's statistics on TCP, and on modern builds Antminer's web of
// 2020.
import { defineDriver } from '../../src/driver/contract.ts';
import { confidenceOf } from '../../src/driver/proof.ts';
import { blinkQuestion } from '../_dialects/bitmain-forms.ts';
import { page } from '../_dialects/bitmain-web.ts';
import { present, versionTexts } from '../_dialects/cgminer.ts';
import { abilities } from './abilities.ts';
import { FAMILIES } from './family.data.ts';
import { generationOf, modelOf, read } from './read.ts';
import { replies } from './replies.ts';

export const hiveon = defineDriver({
  id: 'hiveon',
  make: 'Antminer',
  families: FAMILIES,
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
    // Of all generations; a build that answers as stock's does is not asked by a form that it might take for a command.
    blink: { every: 'slow', ...page('get_blink_status.cgi') },
    blinkForm: { every: 'slow', insteadOf: 'blink', ...blinkQuestion },
    system: { every: 'static', ...page('get_system_info.cgi') },
  },
  replies,
  abilities,
  login: { kind: 'digest', factoryDefault: { user: 'root', password: 'root' } },
  quirks: { warmUpS: 900 },
  identify(evidence) {
    const { family, version } = evidence;
    if (family !== 'hiveon') return undefined;
    const texts = versionTexts(version);
    const model = modelOf(texts.Type);
    return present({
      confidence: confidenceOf(evidence),
      make: 'Antminer',
      generation: generationOf(model.name),
      model: model.name,
      firmwareVersion: texts.Miner ?? texts.CompileTime,
    });
  },
  read,
});
