// How devices of this driver are recognised. Proto rigs: by their start page and their system page. Atlas sections
// 2.2, 2.3.
import { z } from 'zod';
import type { Family } from '../../src/driver/recognition.ts';

export const FAMILIES: readonly Family[] = [
  {
    id: 'proto',
    startPages: [{ body: 'Proto OS' }],
    page: {
      path: '/api/v1/system',
      shape: z.looseObject({
        'system-info': z.looseObject({
          product_name: z.string().startsWith('Proto'),
          cb_sn: z.string().min(1),
          os: z.looseObject({}),
        }),
      }),
    },
  },
];
