// How MARA firmware is told from stock where only the web answers: both ask for a login in the same words, MARA's
// spelling out its algorithm, and only MARA has this page behind it (atlas 2.3).
import { z } from 'zod';
import type { AfterLogin } from '../../src/driver/contract.ts';
import { text } from '../../src/driver/fields.ts';
import { findModel } from '../../src/driver/kit/models/models.ts';
import { present } from '../_dialects/cgminer.ts';
import { resource } from './requests.ts';

const overview = z.looseObject({ model: text(), version_firmware: text() });

export const afterLogin: AfterLogin = {
  mayBe: ({ family, version, web }) =>
    family === 'antminer-stock' && version === undefined && /algorithm="?md5/i.test(web?.authenticate ?? ''),
  ask: resource('overview'),
  identify(answer) {
    const { model, version_firmware: firmwareVersion } = overview.safeParse(answer).data ?? {};
    if (model === undefined || firmwareVersion === undefined) return undefined;
    return present({
      confidence: 'sure' as const,
      make: 'Antminer',
      model: findModel('marathon', model)?.model ?? model,
      firmwareVersion,
    });
  },
};
