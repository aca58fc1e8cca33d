// The Antminers of the farm that run MARA firmware. Builds differ in the unit of their rates. Atlas section 14.
import type { ModelSpec } from '../_farm/physics.ts';

export type MaraModel = ModelSpec & {
  /** Of every rate but the ideal one, which is in GH/s. Builds in GH are the newer ones, which say so and tell more (MaraFW 3.14). */
  readonly unit: 'TH' | 'GH';
  readonly firmware: string;
};

const shared = { make: 'Antminer', boards: 3, fans: 4, chipC: 73, fanRpm: 5_400 } as const;

export const MARA_MODELS: readonly MaraModel[] = [
  {
    ...shared,
    model: 'S19j Pro',
    reportedAs: 'Antminer S19J Pro',
    chipsPerBoard: 126,
    frequencyMhz: 545,
    hashrateHs: 104e12,
    powerW: 3_068,
    unit: 'TH',
    firmware: '24.8.2',
  },
  {
    ...shared,
    model: 'S21',
    reportedAs: 'Antminer S21',
    chipsPerBoard: 108,
    frequencyMhz: 490,
    hashrateHs: 200e12,
    powerW: 3_500,
    unit: 'GH',
    firmware: '25.2.0',
  },
];

export const MARA_REALM = 'antMiner Configuration';
