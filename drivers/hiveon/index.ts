// Hiveon firmware on Antminer hardware (atlas 15): Antminer's statistics on TCP, and on modern builds Antminer's web of
// 2020.
import * as kit from '../../src/driver/kit/index.ts';
import { blinkQuestion, isBlinkingForm } from '../_dialects/bitmain-forms.ts';
import { PAGES, TCP_ASKS } from '../_dialects/bitmain-reading.ts';
import { abilities } from './abilities.ts';
import { FAMILIES } from './family.data.ts';
import { generationOf, modelOf, read } from './read.ts';

export const hiveon = kit.defineDriver({
  id: 'hiveon',
  make: 'Antminer',
  families: FAMILIES,
  covers: [
    { models: 'Antminer S19', firmware: 'Hiveon, modern', evidence: 'simulated' },
    { models: 'Antminer T9', firmware: 'Hiveon, of its time', evidence: 'simulated' },
    { models: 'Antminer S19j Pro, S19k Pro, S19 XP 88', firmware: 'Hiveon, modern', evidence: 'claimed' },
  ],
  asks: {
    ...TCP_ASKS,
    ...PAGES,
    summary: { generations: ['modern'], ...PAGES.summary },
    conf: { generations: ['modern'], ...PAGES.conf },
    // Of all generations; a build that answers as stock's does is not asked by a form that it might take for a command.
    blinkForm: {
      ...{ every: 'slow', insteadOf: 'blink', ...blinkQuestion },
      needs: (answer) => isBlinkingForm(answer) !== undefined,
    },
  },
  abilities,
  login: { kind: 'digest', factoryDefault: { user: 'root', password: 'root' } },
  quirks: { warmUpS: 900 },
  identify({ version }, ours) {
    if (ours === undefined) return undefined;
    const texts = kit.versionTexts(version);
    const model = modelOf(texts.Type).name;
    const firmwareVersion = texts.Miner ?? texts.CompileTime;
    return kit.present({ ...ours, generation: generationOf(model), model, firmwareVersion });
  },
  read,
});
