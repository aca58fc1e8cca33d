// How a device shows that it is of this family: Braiins OS, by its mining program or its page. Others number their versions like its API too: its own title and a page
// behind its login belong to the proof.. Atlas sections 2.2, 2.3.
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
