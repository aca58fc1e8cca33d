// The Elphapex of the farm. Names and versions follow atlas section 20; the home model fills the last of its four slots only.
import type { ModelSpec } from '../_farm/physics.ts';

export type ElphapexModel = ModelSpec & {
  /** Slots of its hashboards, in order. */
  readonly slots: readonly number[];
  /** `INFO.miner_version`. */
  readonly minerVersion: string;
  /** What stands behind its last `_V`. */
  readonly version: string;
  readonly hardware: string;
};

const shared = { make: 'Elphapex', chipC: 71, hashesPerDifficulty: 65_536, fans: 4 } as const;

export const ELPHAPEX_MODELS: readonly ElphapexModel[] = [
  {
    ...shared,
    model: 'DG1+',
    reportedAs: 'DG1+',
    boards: 4,
    slots: [0, 1, 2, 3],
    chipsPerBoard: 204,
    frequencyMhz: 1_850,
    hashrateHs: 14e9,
    powerW: 3_920,
    fanRpm: 5_400,
    minerVersion: 'DG1+_SW_V1.0.2',
    version: '1.0.2',
    hardware: 'DG1+_HW_V1.1',
  },
  {
    ...shared,
    model: 'DG1Home',
    reportedAs: 'DG-Home1',
    boards: 1,
    slots: [3],
    chipsPerBoard: 120,
    frequencyMhz: 1_850,
    hashrateHs: 3_003_750_000,
    powerW: 840,
    fanRpm: 2_400,
    minerVersion: 'DG-Home1_V1.0.5',
    version: '1.0.5',
    hardware: 'DG-Home1_HW_V1.0',
  },
];

export const ELPHAPEX_REALM = 'Daoge Configuration';
