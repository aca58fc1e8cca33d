// Which devices are of this driver, and how they are recognised. Proto rigs: by their start page and their system page.
// Atlas sections 2.2, 2.3.
import { z } from 'zod';
import type { Driver } from '../../src/driver/contract.ts';
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

export const COVERS: Driver['covers'] = [
  { models: 'Proto Rig', firmware: 'Proto OS 1.8.0 of the vendor’s simulator', evidence: 'recording' },
  { models: 'Proto Rig', firmware: 'Proto OS 1.8.2 with sparse slots', evidence: 'simulated' },
];
