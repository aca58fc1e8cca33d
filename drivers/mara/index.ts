// MARA firmware (Kaonsu) on Antminer hardware: a JSON API under /kaonsu/v1 behind a digest login (atlas 14).
import * as kit from '../../src/driver/kit/index.ts';
import { abilities } from './abilities.ts';
import { FAMILIES } from './family.data.ts';
import { read } from './read.ts';
import { CONFIG, resource } from './requests.ts';

const nameOf = (reported: string | undefined) => kit.findModel('marathon', reported)?.model ?? reported;

export const mara = kit.defineDriver({
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
    pools: { every: 'slow', ...resource('pools'), needs: (list) => list.rows() !== undefined },
    config: { every: 'slow', ...CONFIG },
    light: { every: 'slow', ...resource('locate_miner') },
    overview: { every: 'static', ...resource('overview') },
    network: { every: 'static', ...resource('network_config') },
  },
  abilities,
  login: { kind: 'digest', factoryDefault: { user: 'root', password: 'root' } },
  quirks: { warmUpS: 900 },
  identify({ version }, ours) {
    const { Model, Type } = kit.versionTexts(version);
    return ours && kit.present({ ...ours, model: nameOf(Model ?? Type) });
  },
  /**
   * How it is told from stock where only the web answers: both ask for a login in the same words, MARA's spelling out
   * its algorithm, and only MARA has this page behind it (atlas 2.3).
   */
  afterLogin: {
    mayBe: ({ family, version, web }) =>
      family === 'antminer-stock' && version === undefined && /algorithm="?md5/i.test(web?.authenticate ?? ''),
    ask: resource('overview'),
    identify(answer) {
      const overview = new kit.Answer(answer);
      const [model, firmwareVersion] = [nameOf(overview.text('model')), overview.text('version_firmware')];
      if (model === undefined || firmwareVersion === undefined) return undefined;
      return { confidence: 'sure', make: 'Antminer', model, firmwareVersion };
    },
  },
  read,
});
