// What the contract excuses this driver from, each with its reason, and what tests need to know of its devices.
import type { ContractData } from '../../src/driver/check/contract-data.ts';

export const contract = {
  lacks: {
    light: 'no way is known',
    pools: 'no way is known',
    firmware: 'no way is known',
    log: 'no way is known',
    password: 'no way is known',
  },
  families: {
    futurebit: {
      requests: {
        mean: 1.3,
      },
      illness: {
        'dead board': 'it has one board, and says what is wrong with it',
        'still fan': 'it has one fan',
      },
    },
  },
  mutants: [],
} satisfies ContractData;
