// What the contract excuses this driver from, each with its reason, and what tests need to know of its devices.
import type { ContractData } from '../../src/driver/check/contract-data.ts';
import { RECORDINGS } from './recordings.data.ts';

export const contract = {
  lacks: {
    log: 'no way is known',
    password: 'it asks for no login',
  },
  families: {
    nerdaxe: {
      lacks: {
        light: 'builds of this make do not know the call',
      },
      commands: {
        firmware: [
          {
            params: {
              version: '9.9.9',
            },
            file: 'axeos-application',
          },
        ],
        powerMode: [
          {
            params: {
              preset: '500 MHz',
            },
          },
        ],
      },
      requests: {
        mean: 1,
        target: 1,
      },
      illness: {
        'dead board': 'it has one board: without it nothing hashes',
        'still fan': 'it has one fan',
        'stopped by heat': 'its firmware reports why it stopped',
      },
      sleepless: 'its builds have no pause',
    },
    luckyminer: {
      lacks: {
        light: 'builds of this make do not know the call',
      },
      commands: {
        firmware: [
          {
            params: {
              version: '9.9.9',
            },
            file: 'axeos-application',
          },
        ],
        powerMode: [
          {
            params: {
              preset: '500 MHz',
            },
          },
        ],
      },
      requests: {
        mean: 1,
        target: 1,
      },
      illness: {
        'dead board': 'it has one board: without it nothing hashes',
        'still fan': 'it has one fan',
        'stopped by heat': 'its firmware reports why it stopped',
      },
      sleepless: 'its builds have no pause',
    },
    bitaxe: {
      cannotShow: {
        light: {
          'done nothing': 'it blinks for a while and tells nobody: there is nothing to read back',
        },
      },
      commands: {
        firmware: [
          {
            params: {
              version: '9.9.9',
            },
            file: 'axeos-application',
          },
        ],
      },
      requests: {
        mean: 1,
        target: 1,
      },
      illness: {
        'dead board': 'it has one board: without it nothing hashes',
        'still fan': 'it has one fan',
        'stopped by heat': 'its firmware reports why it stopped',
      },
    },
    'bitaxe Supra': {
      sleepless: 'its build has no pause',
    },
  },
  recordings: RECORDINGS,
  mutants: [],
} satisfies ContractData;
