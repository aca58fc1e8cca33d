// Which devices this driver is for, and how they are recognised. Iceriver: by its start page and its panel. Atlas
// sections 2.2, 2.3.
import { z } from 'zod';
import type { Cover } from '../../src/driver/contract.ts';
import type { Family, IpReportForm } from '../../src/driver/recognition.ts';

export const COVERS: readonly Cover[] = [
  { models: 'Iceriver KS0, KS3M, KS5L, AL3', firmware: 'stock with /user/userpanel', evidence: 'simulated' },
  { models: 'Iceriver KS1, KS2, KS3, KS3L, KS5, KS5M', firmware: 'stock with /user/userpanel', evidence: 'claimed' },
];

export const FAMILIES: readonly Family[] = [
  {
    id: 'iceriver',
    startPages: [{ body: '用户界面' }],
    // The web app answers this question to everybody, and passes on what its mining program says; while that is not
    // there it says so in these words.
    page: {
      path: '/user/userpanel?post=4',
      shape: z.union([
        z.looseObject({
          error: z.literal(0),
          message: z.string(),
          data: z.looseObject({
            softver1: z.string().min(1),
            rtpow: z.string().min(1),
            runtime: z.string().regex(/^\d+:\d+:\d+:\d+$/),
          }),
        }),
        z.looseObject({
          error: z.literal([1, 2]),
          message: z.literal(['Connect miner failed!', 'Miner return failed!']),
          data: z.strictObject({}),
        }),
      ]),
    },
  },
];

export const IP_REPORT: IpReportForm = { port: 11_503, words: /^addr:([\d.]+)$/ };
