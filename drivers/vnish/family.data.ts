// How devices of this driver are recognised. VNish: by its mining program, its start page or its information page.
// Atlas sections 2.2, 2.3.
import { z } from 'zod';
import type { Family } from '../../src/driver/recognition.ts';

export const FAMILIES: readonly Family[] = [
  {
    id: 'vnish',
    isThirdParty: true,
    tcp: [{ words: ['VNISH'] }],
    startPages: [{ body: 'AnthillOS' }],
    page: {
      path: '/api/v1/info',
      shape: z.looseObject({
        fw_name: z.string().regex(/vnish|anthill/i),
        fw_version: z.string().min(1),
        system: z.looseObject({
          miner_name: z.string().min(1),
          network_status: z.looseObject({ mac: z.string().min(1) }),
        }),
      }),
    },
  },
];
