// What the contract excuses this driver from, each with its reason, and what tests need to know of its devices.
import type { ContractData } from '../../src/driver/check/contract-data.ts';

export const contract = {
  lacks: { password: 'one source alone names the fields, and none says how it answers' },
  families: {
    vnish: {
      showsDeadPool: true,
      cannotShow: {
        log: {
          'wrong password': 'the versions that are simulated show it to anybody',
          'writing off': 'the versions that are simulated show it to anybody',
        },
      },
      requests: {
        mean: 3,
        target: 2,
      },
    },
    'vnish S19 Pro Hydro': {
      illness: {
        'still fan': 'it is cooled by water',
      },
    },
  },
  prefers: [
    {
      fields: ['boards[].boardTempsC', 'boards[].isAlive', 'hashrateWindow', 'uptimeS'],
      reason: 'TCP stands in for the page, and has other fields',
    },
    {
      fields: ['isMining'],
      reason: 'a rate shows that it mines as long as the state that says otherwise is missing',
    },
  ],
} satisfies ContractData;
