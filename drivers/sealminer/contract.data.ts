// What the contract excuses this driver from, each with its reason, and what tests need to know of its devices.
import type { ContractData } from '../../src/driver/check/contract-data.ts';

export const contract = {
  lacks: {
    firmware: 'no way is known',
    log: 'no way is known',
    password: 'no way is known',
  },
  families: {
    sealminer: {
      cannotShow: {
        powerMode: { 'wrong password': 'the command goes over TCP, which asks for no login' },
      },
      requests: {
        mean: 1.7,
      },
    },
    'sealminer-shut': {
      illness: {
        'dead board': 'it tells nothing of single boards: the rate of the whole is all that shows it',
        'still fan': 'it reports no speeds of fans',
        asleep: 'none of its pages tells a sleep from a stop',
      },
    },
  },
  prefers: [
    {
      fields: ['hashrateHs', 'hashrateWindow', 'pools[].difficulty'],
      reason: 'the start page stands in where TCP is closed: the mean since the start, and the pools in its own words',
    },
  ],
} satisfies ContractData;
