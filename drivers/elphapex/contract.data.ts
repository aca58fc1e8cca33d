// What the contract excuses this driver from, each with its reason, and what tests need to know of its devices.
import type { ContractData } from '../../src/driver/check/contract-data.ts';
import { RECORDINGS } from './recordings.data.ts';

export const contract = {
  lacks: {
    firmware: 'no way is known',
    log: 'no way is known',
    password: 'no way is known',
  },
  families: {
    elphapex: {
      isBitmain: true,
      requests: {
        mean: 3.2,
      },
    },
    'elphapex DG1Home': {
      illness: {
        'dead board': 'it has one board: without it nothing hashes',
      },
    },
  },
  recordedAs: 'elphapex-stock',
  recordings: RECORDINGS,
} satisfies ContractData;
