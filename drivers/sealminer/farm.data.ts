// The Sealminers of the farm. Two builds with different numbers for the modes. Names and keys follow atlas section 13.
import type { Mode, ModelSpec } from '../_farm/physics.ts';

export type SealminerModel = ModelSpec & {
  readonly firmware: string;
  readonly controlBoard: string;
  /** Whether boards tell the mean of two minutes beside the sample. */
  readonly tellsBoardMeans: boolean;
  readonly modeNumbers: Readonly<Record<Exclude<Mode, 'sleep'> | 'custom', number>>;
};

const A2 = {
  make: 'Sealminer',
  model: 'A2',
  reportedAs: 'A2',
  boards: 3,
  chipsPerBoard: 153,
  fans: 4,
  chipC: 70,
  fanRpm: 5_800,
  frequencyMhz: 585,
  hashrateHs: 226e12,
  powerW: 3_729,
  controlBoard: 'taurus_air_v1.1',
} as const;

export const SEALMINER_MODELS: readonly SealminerModel[] = [
  { ...A2, firmware: '2025091001', tellsBoardMeans: false, modeNumbers: { low: 0, normal: 1, high: 2, custom: 3 } },
  { ...A2, firmware: '2025041502', tellsBoardMeans: true, modeNumbers: { low: 1, normal: 2, high: 3, custom: 9 } },
];
