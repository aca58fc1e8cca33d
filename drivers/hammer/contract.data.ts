// What the contract excuses this driver from, each with its reason, and what tests need to know of its devices.
import type { ContractData } from '../../src/driver/check/contract-data.ts';
import { RECORDINGS } from './recordings.data.ts';

export const contract = {
  lacks: {
    powerMode: 'no way is known',
    firmware: 'no way is known',
    log: 'no way is known',
    password: 'no way is known',
  },
  families: {
    blackminer: {
      lacks: {
        pools: 'its page takes coin and clock along with the pools',
      },
      requests: {
        mean: 2,
      },
      illness: {
        'dead board': 'how many such a machine has is in no table, and it tells those that it has now',
      },
      provenBy: { web: 'volcminer' },
      sleepless: 'it has no sleep',
    },
    hammer: {
      isBitmain: true,
      provenBy: { web: 'volcminer' },
      requests: {
        mean: 2,
      },
      sleepless: 'it has no sleep',
    },
  },
  prefers: [
    {
      fields: ['firmwareVersion'],
      reason: 'the version of the file system stands in for that of the mining program',
    },
  ],
  recordedAs: 'hammer-stock',
  recordings: RECORDINGS,
} satisfies ContractData;
