// How devices of this driver are recognised. Whatsminer: by its mining program, its page, or `get.device.info` of its
// API 3. Atlas sections 2.2, 2.3.
import { z } from 'zod';
import type { Family, IpReportForm } from '../../src/driver/recognition.ts';

export const FAMILIES: readonly Family[] = [
  {
    id: 'whatsminer',
    tcp: [{ words: ['BTMINER', 'BITMICRO', 'WHATSMINER'] }],
    startPages: [{ status: 307, location: 'https://' }, { location: '/cgi-bin/luci' }, { body: '/cgi-bin/luci' }],
    answers: [
      {
        to: 'whatsminer3',
        words: [],
        shape: z
          .looseObject({
            code: z.int(),
            msg: z.looseObject({
              network: z.looseObject({ mac: z.string().min(1) }).optional(),
              miner: z.looseObject({ type: z.string().min(1) }).optional(),
            }),
          })
          .refine(({ msg }) => msg.network !== undefined || msg.miner !== undefined),
      },
    ],
  },
];

export const IP_REPORT: IpReportForm = { port: 8_888, words: /^IP:([\d.]+)MAC:([0-9A-Fa-f:]+)$/ };

/** The first firmware date of each: API 2 is the one with commands, API 3 the one on 4433. */
export const GENERATIONS = [
  ['api3', 20241101],
  ['api2', 20220729],
  ['api1', 0],
] as const;
