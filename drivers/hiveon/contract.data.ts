// What the contract excuses this driver from, each with its reason, and what tests need to know of its devices.
import type { ContractData } from '../../src/driver/check/contract-data.ts';

export const contract = {
  lacks: {
    firmware: 'no way is known',
    log: 'no way is known',
    password: 'no way is known',
  },
  families: {
    hiveon: {
      takenFor: { web: 'antminer-stock' },
      isBitmain: true,
      requests: {
        mean: 2.5,
      },
    },
    'hiveon T9': {
      sleepless: 'builds for the T9 have none',
    },
  },
  prefers: [
    {
      fields: ['firmwareVersion'],
      reason: 'the date of the build stands in for the version',
    },
  ],
} satisfies ContractData;
