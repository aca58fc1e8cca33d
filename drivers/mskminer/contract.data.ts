// What the contract excuses this driver from, each with its reason, and what tests need to know of its devices.
import type { ContractData } from '../../src/driver/check/contract-data.ts';

export const contract = {
  lacks: {
    reboot: 'how it is controlled is not known',
    light: 'how it is controlled is not known',
    powerMode: 'how it is controlled is not known',
    pools: 'how it is controlled is not known',
    firmware: 'how it is controlled is not known',
    log: 'how it is controlled is not known',
    password: 'no way is known',
  },
  families: {
    mskminer: {
      takenFor: { web: 'nobody' },
      isBitmain: true,
      requests: {
        mean: 1.6,
      },
      sleepless: 'it has no sleep that is known',
    },
  },
  prefers: [
    {
      fields: ['expected.own'],
      reason: 'that its boards are all there is known by the model that another answer names',
    },
  ],
} satisfies ContractData;
