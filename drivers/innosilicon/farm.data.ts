// The Innosilicons of the farm: one whose `MHS` are millions of hashes, and one that prints hashes under that name. Atlas section 19.
import type { ModelSpec } from '../_farm/physics.ts';

export type InnosiliconModel = ModelSpec & {
  readonly buildDate: string;
  readonly hardware: string;
  readonly program: string;
  /** Hashes in what it calls `MHS`. */
  readonly mhsHs: 1 | 1e6;
  /** In which the web tells rates; old builds have none. */
  readonly unit?: 'TH/s' | 'MH/s';
  readonly nameplateHs: number | null;
};

const shared = { make: 'Innosilicon', hardware: 'g19', chipC: 72, fanRpm: 5_400 } as const;

export const INNOSILICON_MODELS: readonly InnosiliconModel[] = [
  {
    ...shared,
    model: 'T3H+',
    reportedAs: 'T3H+',
    buildDate: '20200117_1730',
    program: 'innominer t3-1.0.0',
    mhsHs: 1e6,
    unit: 'TH/s',
    boards: 3,
    chipsPerBoard: 114,
    fans: 4,
    frequencyMhz: 900,
    hashrateHs: 57.4e12,
    nameplateHs: 57e12,
    powerW: 3_300,
  },
  {
    ...shared,
    model: 'A11',
    reportedAs: 'A11',
    buildDate: '20211103_0900',
    program: 'innominer a10-1.1.0',
    mhsHs: 1,
    unit: 'MH/s',
    boards: 4,
    chipsPerBoard: 8,
    fans: 2,
    frequencyMhz: 1_100,
    hashrateHs: 1.5e9,
    nameplateHs: null,
    powerW: 2_300,
    hashesPerDifficulty: 65_536,
    shareDifficulty: 65_536,
  },
];
