// What the contract excuses this driver from, each with its reason, and what tests need to know of its devices.
import type { ContractData } from '../../src/driver/check/contract-data.ts';
import { RECORDINGS } from './recordings.data.ts';

export const contract = {
  lacks: {
    log: 'no way is known',
    password: 'no way is known',
  },
  families: {
    luxos: {
      cannotShow: {
        pools: {
          'nonsense reply':
            'it takes an answer that it cannot read for a refusal, though the command may have been carried out',
        },
      },
      showsDeadPool: true,
      requests: {
        mean: 6.6,
        target: 6,
      },
    },
  },
  prefers: [
    {
      fields: ['tempC'],
      reason: 'one temperature per board stands in for the sensors',
    },
  ],
  recordings: RECORDINGS,
} satisfies ContractData;
