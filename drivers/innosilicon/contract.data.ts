// What the contract excuses this driver from, each with its reason, and what tests need to know of its devices.
import type { ContractData } from '../../src/driver/check/contract-data.ts';

export const contract = {
  lacks: {
    light: 'no way is known',
    powerMode: 'no way is known',
    firmware: 'no way is known',
    log: 'no way is known',
    password: 'no way is known',
  },
  families: {
    innosilicon: {
      requests: {
        mean: 3,
      },
      illness: {
        'still fan': 'it reports no speeds of fans',
        'stopped by heat': 'its firmware reports why it stopped',
      },
      heatCode: '32',
      sleepless: 'it has no sleep',
    },
    dragonmint: {
      illness: {
        'dead board': 'how many such a machine has is in no table, and it tells those that it has now',
        'still fan': 'it reports no speeds of fans',
      },
      sleepless: 'it has no sleep',
    },
  },
  prefers: [
    {
      fields: ['boards[].isAlive', 'hashrateAverageHs', 'hashrateSettledHs', 'hashrateWindow', 'tempC', 'uptimeS'],
      reason: 'TCP stands in for the page, and has other windows and sensors',
    },
  ],
} satisfies ContractData;
