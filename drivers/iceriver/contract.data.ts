// What the contract excuses this driver from, each with its reason, and what tests need to know of its devices.
import type { ContractData } from '../../src/driver/check/contract-data.ts';

export const contract = {
  lacks: {
    powerMode: 'the page has one: it waits for a recording',
    firmware: 'the page has one: it waits for a recording',
    password: 'no way is known',
  },
  families: {
    iceriver: {
      cannotShow: {
        reboot: { 'nonsense reply': 'a page in place of the verdict is what builds say that do not know the command' },
        light: { 'nonsense reply': 'a page in place of the verdict is what builds say that do not know the command' },
        pools: { 'nonsense reply': 'a page in place of the verdict is what builds say that do not know the command' },
      },
      requests: {
        mean: 1.4,
      },
    },
    'iceriver KS0': {
      illness: {
        'dead board': 'it has one board: without it nothing hashes',
        'still fan': 'it has no fans',
      },
    },
  },
} satisfies ContractData;
