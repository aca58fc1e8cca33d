// What the contract excuses this driver from, each with its reason, and what tests need to know of its devices.
import type { ContractData } from '../../src/driver/check/contract-data.ts';
import { RECORDINGS } from './recordings.data.ts';

export const contract = {
  lacks: {
    light: 'no way is known',
    powerMode: 'no way is known',
    firmware: 'no way is known',
    log: 'no way is known',
    password: 'the fields of its page are not known',
  },
  families: {
    volcminer: {
      cannotShow: {
        pools: {
          'nonsense reply':
            'it takes an answer that it cannot read for a refusal, though the command may have been carried out',
        },
      },
      isBitmain: true,
      requests: {
        mean: 1.3,
      },
      illness: {
        'still fan': 'it writes 0 for a fan that stands still and for one that is not there',
      },
      sleepless: 'it has no sleep',
    },
    'volcminer-shut': {
      illness: {
        'still fan': 'it writes 0 for a fan that stands still and for one that is not there',
      },
      sleepless: 'it has no sleep',
    },
  },
  prefers: [
    {
      fields: [
        'apiVersion',
        'deviceTimeS',
        'tempC',
        'boards[].boardTempsC',
        'boards[].hwErrors',
        'pools[].difficulty',
        'pools[].difficultyAccepted',
        'pools[].difficultyRejected',
        'pools[].difficultyStale',
        'pools[].stale',
      ],
      reason: 'TCP is asked only where the page says nothing: it has one sensor per board, and fields of its own',
    },
  ],
  recordedAs: 'volcminer-stock',
  recordings: RECORDINGS,
} satisfies ContractData;
