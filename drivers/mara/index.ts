// MARA firmware (Kaonsu) on Antminer hardware: a JSON API under /kaonsu/v1 behind a digest login (atlas 14).
import { defineDriver } from '../../src/driver/contract.ts';
import { findModel } from '../../src/driver/kit/models/models.ts';
import { confidenceOf } from '../../src/driver/proof.ts';
import { present, versionTexts } from '../_dialects/cgminer.ts';
import { abilities } from './abilities.ts';
import { afterLogin } from './after-login.ts';
import { FAMILIES } from './family.data.ts';
import { read } from './read.ts';
import { replies } from './replies.ts';
import { resource } from './requests.ts';

export const mara = defineDriver({
  id: 'mara',
  make: 'Antminer',
  families: FAMILIES,
  covers: [
    // The units of its rates are in no recording.
    {
      models: 'Antminer S19, S19j Pro, S19 Pro, S19 XP, S19k Pro, S21, T21',
      firmware: 'MARA (Kaonsu)',
      evidence: 'claimed',
    },
  ],
  asks: {
    brief: { every: 'poll', ...resource('brief') },
    hashboards: { every: 'poll', ...resource('hashboards') },
    fans: { every: 'poll', ...resource('fans') },
    pools: { every: 'slow', ...resource('pools') },
    config: { every: 'slow', ...resource('miner_config') },
    light: { every: 'slow', ...resource('locate_miner') },
    overview: { every: 'static', ...resource('overview') },
    network: { every: 'static', ...resource('network_config') },
  },
  replies,
  abilities,
  login: { kind: 'digest', factoryDefault: { user: 'root', password: 'root' } },
  quirks: { warmUpS: 900 },
  identify(evidence) {
    const { family, version } = evidence;
    if (family !== 'mara') return undefined;
    const texts = versionTexts(version);
    const reported = texts.Model ?? texts.Type;
    return present({
      confidence: confidenceOf(evidence),
      make: 'Antminer',
      model: findModel('marathon', reported)?.model ?? reported,
    });
  },
  afterLogin,
  read,
});
