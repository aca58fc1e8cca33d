// What the contract excuses this driver from, each with its reason, and what tests need to know of its devices.
import type { ContractData } from '../../src/driver/check/contract-data.ts';
import { RECORDINGS } from './recordings.data.ts';

export const contract = {
  lacks: {
    log: 'no call is known that gives one',
  },
  families: {
    auradine: {
      commands: {
        firmware: [
          {
            params: {
              url: 'http://files.example/fluxos.bin',
              version: '9.9.9',
            },
          },
        ],
      },
      requests: {
        mean: 6.9,
        target: 7,
      },
      illness: {
        'stopped by heat': 'its firmware reports why it stopped',
      },
      heatCode: 4,
    },
  },
  prefers: [
    {
      fields: ['tempC', 'boards[].boardTempsC'],
      reason: 'one sensor per board on TCP stands in for the sensors of the API',
    },
  ],
  recordings: RECORDINGS,
} satisfies ContractData;
