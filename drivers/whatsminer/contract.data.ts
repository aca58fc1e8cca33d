// What the contract excuses this driver from, each with its reason, and what tests need to know of its devices.
import type { ContractData } from '../../src/driver/check/contract-data.ts';
import { RECORDINGS } from './recordings.data.ts';

export const contract = {
  families: {
    'whatsminer-3': {
      showsDeadPool: true,
      cannotShow: {
        log: {
          'wrong password': 'it shows its log to anybody',
          'writing off': 'it shows its log to anybody',
        },
      },
      requests: {
        mean: 2.7,
        target: 4,
      },
      illness: {
        'stopped by heat': 'its firmware reports why it stopped',
      },
      heatCode: '360',
    },
    'whatsminer-2': {
      showsDeadPool: true,
      requests: {
        mean: 3.5,
        target: 4,
      },
      illness: {
        'stopped by heat': 'its firmware reports why it stopped',
      },
      heatCode: '360',
    },
    'whatsminer-first': {
      illness: {
        'dead board': 'how many such a machine has is in no table, and it tells those that it has now',
        'still fan': 'how many such a machine has is in no table, and it tells those that it has now',
      },
      sleepless: 'it has no sleep that is known',
    },
  },
  prefers: [
    {
      fields: ['firmwareVersion'],
      reason: 'the version answer of the recording is of another day than the summary',
    },
  ],
  recordedAs: 'whatsminer-stock',
  recordings: RECORDINGS,
} satisfies ContractData;
