// What the contract excuses this driver from, each with its reason, and what tests need to know of its devices.
import type { ContractData } from '../../src/driver/check/contract-data.ts';

export const contract = {
  lacks: {
    reboot: 'its login would put the password into an address',
    light: 'its login would put the password into an address',
    powerMode: 'its login would put the password into an address',
    pools: 'its login would put the password into an address',
    firmware: 'its login would put the password into an address',
    log: 'its login would put the password into an address',
    password: 'its login would put the password into an address',
  },
  families: {
    goldshell: {
      requests: {
        mean: 1.6,
      },
      sleepless: 'its sleep is not known from a recording',
    },
    'goldshell KD Box Pro': {
      illness: {
        'dead board': 'it has one board, and says what is wrong with it',
      },
    },
    'goldshell Mini Doge': {
      illness: {
        'dead board': 'it has one board, and says what is wrong with it',
      },
    },
    'goldshell Byte': {
      illness: {
        'still fan': 'it has no fans',
      },
    },
    'goldshell-page': {
      illness: {
        'still fan': 'how many such a machine has is in no table, and it tells those that it has now',
        'dead pool': 'its pools are behind a login that is never sent',
      },
      sleepless: 'its sleep is not known from a recording',
    },
  },
  mutants: [],
} satisfies ContractData;
