// What the contract excuses this driver from, each with its reason, and what tests need to know of its devices.
import type { ContractData } from '../../src/driver/check/contract-data.ts';

export const contract = {
  lacks: {
    reboot: 'nobody knows what is behind it, so it is only read',
    light: 'nobody knows what is behind it, so it is only read',
    powerMode: 'nobody knows what is behind it, so it is only read',
    pools: 'nobody knows what is behind it, so it is only read',
    firmware: 'nobody knows what is behind it, so it is only read',
    log: 'nobody knows what is behind it, so it is only read',
    password: 'nobody knows what is behind it, so it is only read',
  },
  families: {
    cgminer: {
      showsDeadPool: true,
      requests: {
        mean: 3.7,
      },
      illness: {
        'dead board': 'it has one board: without it nothing hashes',
        'still fan': 'it reports no speeds of fans',
      },
      sleepless: 'nobody knows what is behind it',
    },
  },
} satisfies ContractData;
