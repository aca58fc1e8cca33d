// What the contract excuses this driver from, each with its reason, and what tests need to know of its devices.
import type { ContractData } from '../../src/driver/check/contract-data.ts';
import { RECORDINGS } from './recordings.data.ts';

export const contract = {
  lacks: { password: 'what its call wants is not known' },
  families: {
    proto: {
      cannotShow: {
        light: {
          'done nothing': 'it blinks for a while and tells nobody: there is nothing to read back',
        },
      },
      requests: {
        mean: 4.4,
      },
      illness: {
        'stopped by heat': 'its firmware reports why it stopped',
      },
      heatCode: 'AsicOverHeat',
    },
  },
  prefers: [
    {
      fields: ['hashrateHs', 'powerW'],
      reason: 'the status of another moment stands in for the telemetry',
    },
    {
      fields: ['tempC'],
      reason:
        'without the status, which has the mean of the chips, the sensors on the boards are the hottest that is told',
    },
  ],
  recordedAs: 'proto-os',
  recordings: RECORDINGS,
} satisfies ContractData;
