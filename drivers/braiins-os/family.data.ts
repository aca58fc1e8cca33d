// How devices of this driver are recognised. Braiins OS: by its mining program or its page. Other applications number
// their versions as its API does: the proof also wants its own title and a page behind its login. Atlas sections 2.2,
// 2.3.
import { z } from 'zod';
import type { Family } from '../../src/driver/recognition.ts';

export const FAMILIES: readonly Family[] = [
  {
    id: 'braiins-os',
    isThirdParty: true,
    tcp: [{ words: ['BOSMINER', 'BOSER', 'BOS_AM'] }],
    startPages: [{ body: 'Braiins OS' }],
    page: {
      path: '/api/v1/version',
      shape: z.strictObject({ major: z.int(), minor: z.int(), patch: z.int() }),
      guarded: '/api/v1/miner/details',
      title: 'Braiins OS',
    },
  },
];
