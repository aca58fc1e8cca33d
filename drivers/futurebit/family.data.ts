// How devices of this driver are recognised. FutureBit Apollo: by where its page sends to, and by one question that
// its API answers without a login. Atlas sections 2.2, 2.3.
import { z } from 'zod';
import type { Family } from '../../src/driver/recognition.ts';

export const FAMILIES: readonly Family[] = [
  {
    id: 'futurebit',
    startPages: [{ status: 308, location: '/overview' }],
    // Whether its owner has set it up: the one question of its API that wants no token. A GET counts as no form of
    // another site with this header only.
    page: {
      port: 5000,
      path: `/api/graphql?query=${encodeURIComponent('{Auth{status{result{status}}}}')}`,
      headers: { 'Content-Type': 'application/json' },
      shape: z.looseObject({
        data: z.strictObject({
          Auth: z.strictObject({
            status: z.strictObject({ result: z.strictObject({ status: z.literal(['pending', 'done']) }) }),
          }),
        }),
      }),
    },
  },
];
