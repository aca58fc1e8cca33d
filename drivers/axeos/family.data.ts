// How devices of this driver are recognised. Bitaxe and its kin: one API, and start pages of their own. The API shows
// the chip, and the memory of the controller beside it. Atlas sections 2.2, 2.3.
import { z } from 'zod';
import type { Family } from '../../src/driver/recognition.ts';

const INFO = z.looseObject({
  ASICModel: z.string().regex(/^B(M\d|ZM)/),
  freeHeap: z.number(),
  hashRate: z.union([z.number(), z.string().min(1)]),
  stratumURL: z.string(),
  version: z.string(),
});

export const FAMILIES: readonly Family[] = [
  // Before AxeOS, whose name its page has too.
  { id: 'axeos-nerd', startPages: [{ body: 'Nerd' }], answers: [{ to: 'systemInfo', shape: INFO }] },
  {
    id: 'axeos',
    startPages: [{ body: 'AxeOS' }],
    // It names its chip. Its readings show which relative it is.
    answers: [{ to: 'systemInfo', words: ['"ASICModel"'], shape: INFO }],
  },
  { id: 'luckyminer', startPages: [{ body: 'Lucky miner' }], answers: [{ to: 'systemInfo', shape: INFO }] },
];
