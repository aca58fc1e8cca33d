// How devices of this driver are recognised. Goldshell: by its mining program, its start page or its status page.
// Atlas sections 2.2, 2.3.
import { z } from 'zod';
import type { Family, IpReportForm } from '../../src/driver/recognition.ts';

export const FAMILIES: readonly Family[] = [
  {
    id: 'goldshell',
    tcp: [
      { words: ['INTCHAINS_QOMO', 'KDAMINER'] },
      // A program of many: its page must show whether it runs on a Goldshell.
      { words: ['BFGMINER'], isHint: true },
    ],
    startPages: [{ body: 'cloud-box' }],
    page: {
      path: '/mcb/status',
      shape: z.looseObject({ model: z.string().regex(/^goldshell/i), firmware: z.string().min(1) }),
    },
  },
];

export const IP_REPORT: IpReportForm = { port: 1_314, fields: z.object({ ip: z.string(), mac: z.string() }) };
