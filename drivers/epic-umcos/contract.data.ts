// What the contract excuses this driver from, each with its reason, and what tests need to know of its devices.
import type { ContractData } from '../../src/driver/check/contract-data.ts';
import { RECORDINGS } from './recordings.data.ts';

export const contract = {
  families: {
    epic: {
      cannotShow: {
        log: {
          'wrong password': 'its log is for everybody',
          'writing off': 'its log is for everybody',
        },
      },
      commands: {
        firmware: [
          {
            params: {
              version: '9.9.9',
            },
            file: 'zip',
          },
        ],
      },
      requests: {
        mean: 2.7,
        target: 2,
      },
    },
    'epic-first': {
      illness: {
        'dead board': 'how many such a machine has is in no table, and it tells those that it has now',
        'still fan': 'it reports no speeds of fans',
        'dead pool': 'it tells no state of its pool',
      },
      sleepless: 'its sleep is not known from a recording',
    },
  },
  prefers: [
    {
      fields: ['boards[].boardTempsC'],
      reason: 'the summary has one sensor per board',
    },
  ],
  recordings: RECORDINGS,
  mutants: [
    {
      line: 'const isHashing = (chip: unknown)',
      reason: 'the rate of a chip and its per cent of the ideal are both numbers, and 0 together',
    },
  ],
} satisfies ContractData;
