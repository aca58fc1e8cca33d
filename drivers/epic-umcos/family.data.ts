// How devices of this driver are recognised. ePIC: by what it says of itself, which is its model and its coins or, in
// the first generation, its program, its coin and its session. Atlas sections 2.2, 2.3.
import { z } from 'zod';
import type { Family } from '../../src/driver/recognition.ts';

export const FAMILIES: readonly Family[] = [
  {
    id: 'epic-umcos',
    startPages: [{ body: 'Miner Web Dashboard' }],
    answers: [
      {
        to: 'api4028',
        words: ['"Model"', '"Coins"'],
        shape: z.looseObject({
          Model: z.string().min(1),
          Coins: z.array(z.string().min(1)).min(1),
          'Model Subtype': z.string().min(1),
        }),
      },
      {
        to: 'api4028',
        words: ['"epic-miner v'],
        shape: z.looseObject({
          Software: z.string().regex(/^epic-miner v\d/),
          Mining: z.looseObject({ Coin: z.string().min(1), Algorithm: z.string().min(1) }),
          Session: z.looseObject({ Uptime: z.number(), 'Average MHs': z.number() }),
        }),
      },
    ],
  },
];
