// What the contract excuses this driver from, each with its reason, and what tests need to know of its devices.
import type { ContractData } from '../../src/driver/check/contract-data.ts';
import { RECORDINGS } from './recordings.data.ts';

export const contract = {
  families: {
    'antminer-a': {
      lacks: { password: 'the fields of its form are not known' },
      showsDeadPool: true,
      isBitmain: true,
      commands: {
        firmware: [
          {
            params: {
              version: '9.9.9',
            },
            file: 'gzip',
          },
        ],
      },
      requests: {
        mean: 2.2,
        target: 5,
      },
    },
    'antminer-other': {
      lacks: { password: 'the fields of its form are not known' },
      isBitmain: true,
      commands: {
        firmware: [
          {
            params: {
              version: '9.9.9',
            },
            file: 'gzip',
          },
        ],
      },
      requests: {
        mean: 2.3,
        target: 5,
      },
    },
    'antminer-b': {
      showsDeadPool: true,
      isBitmain: true,
      commands: {
        firmware: [
          {
            params: {
              version: '9.9.9',
            },
            file: 'antminer-bundle',
          },
        ],
      },
      requests: {
        mean: 2.2,
        target: 5,
      },
      illness: {
        'stopped by heat': 'its firmware reports why it stopped',
      },
      heatCode: 'temp:1',
    },
    'antminer-c': {
      showsDeadPool: true,
      isBitmain: true,
      commands: {
        firmware: [
          {
            params: {
              version: '9.9.9',
            },
            file: 'antminer-bundle',
          },
        ],
      },
      requests: {
        mean: 2.9,
        target: 5,
      },
      illness: {
        'stopped by heat': 'its firmware reports why it stopped',
      },
      heatCode: 'temp:1',
    },
    'antminer-other T15': {
      illness: {
        'dead board': 'how many such a machine has is in no table, and it tells those that it has now',
        'still fan': 'how many such a machine has is in no table, and it tells those that it has now',
      },
      sleepless: 'firmware from before 2020 has no modes',
    },
    'antminer-rare': {
      illness: {
        'dead board': 'how many such a machine has is in no table, and it tells those that it has now',
        'still fan': 'how many such a machine has is in no table, and it tells those that it has now',
      },
      sleepless: 'firmware from before 2020 has no modes',
    },
    'antminer-a S9': {
      sleepless: 'firmware from before 2020 has no modes',
    },
    'antminer-a L3+': {
      sleepless: 'firmware from before 2020 has no modes',
    },
    'antminer-other D3': {
      sleepless: 'firmware from before 2020 has no modes',
    },
    'antminer-other E3': {
      sleepless: 'firmware from before 2020 has no modes',
    },
  },
  prefers: [
    {
      fields: ['boards[].serialNumber', 'boards[].expectedHashrateHs'],
      reason:
        'the boards of the page count otherwise than those of TCP: one list is taken, and TCP has no serial numbers',
    },
    {
      fields: ['expected.fans'],
      reason: 'the table stands in while the answer with the count of the device itself is missing',
    },
    {
      fields: ['firmwareVersion'],
      reason: 'the date of the build stands in for the version of the file system',
    },
    {
      fields: ['model', 'expected.chipsPerBoard'],
      reason: 'the recording has the TCP answers of one machine and the page of another',
    },
  ],
  recordings: RECORDINGS,
} satisfies ContractData;
