// The Avalons of the farm: A series and a home model, whose API takes one client at a time. Names follow atlas section 5.
import type { ModelSpec } from '../_farm/physics.ts';

export type AvalonModel = ModelSpec & {
  /** `MODEL` of `version`. */
  readonly modelField: string;
  readonly firmware: string;
  readonly hardware: string;
  readonly software: string;
  /** Builds of the A10 tell no present rate in their stats, and no power at the wall. */
  readonly isA10?: true;
  /** The four PLL steps around the mean frequency. */
  readonly steps: readonly number[];
  /** Q, Mini and Nano: other questions, other modes. */
  readonly isHome: boolean;
};

const shared = { make: 'Avalon', boards: 3, chipC: 77, fanRpm: 5_700, hardware: 'MM4v2_X3', isHome: false } as const;

export const AVALON_MODELS: readonly AvalonModel[] = [
  {
    ...shared,
    model: 'Avalon 1246',
    reportedAs: 'AvalonMiner 1246',
    modelField: '1246-83',
    software: 'MM314',
    firmware: '21072802_4ec6bb0_211fc46',
    chipsPerBoard: 120,
    fans: 4,
    frequencyMhz: 502,
    steps: [472, 492, 512, 532],
    hashrateHs: 83e12,
    powerW: 3_420,
  },
  {
    ...shared,
    model: 'Avalon 1466',
    reportedAs: 'AvalonMiner 1466',
    modelField: '1466-150',
    software: 'MM319',
    firmware: '24102401_25462b2_9ddf522',
    chipsPerBoard: 176,
    fans: 2,
    frequencyMhz: 560,
    steps: [530, 550, 570, 590],
    hashrateHs: 150e12,
    powerW: 3_230,
  },
  {
    ...shared,
    model: 'Avalon 1047',
    reportedAs: 'AvalonMiner 1047',
    modelField: '1047',
    software: 'MM310',
    firmware: '19120401_d46bc64_0367a8b',
    isA10: true,
    boards: 2,
    chipsPerBoard: 120,
    fans: 2,
    frequencyMhz: 666,
    steps: [612, 637, 662, 687],
    hashrateHs: 37.7e12,
    powerW: 2_380,
  },
  {
    ...shared,
    model: 'Avalon Q Home',
    reportedAs: 'Avalon Q',
    modelField: 'Q',
    hardware: 'Q_MM1v1_X1',
    software: 'MM319',
    firmware: '25052801_14a19a2',
    isHome: true,
    boards: 1,
    chipsPerBoard: 160,
    fans: 4,
    frequencyMhz: 287,
    steps: [258, 276, 297, 317],
    hashrateHs: 90e12,
    powerW: 1_674,
  },
];

/** Without a recording here: a machine of the A15 series, and a home model with one fan. */
export const RARE_AVALONS: readonly AvalonModel[] = [
  {
    ...shared,
    model: 'Avalon 1566',
    reportedAs: 'AvalonMiner 15-194',
    modelField: '15-194',
    hardware: 'MM4v2_X3',
    software: 'MM319',
    firmware: '24102401_25462b2_9ddf522',
    chipsPerBoard: 160,
    fans: 2,
    frequencyMhz: 563.34,
    steps: [531, 552, 573, 594],
    hashrateHs: 194e12,
    powerW: 3_590,
  },
  {
    ...shared,
    model: 'Avalon Nano 3s',
    reportedAs: 'Avalon Nano3s',
    modelField: 'Nano3s',
    hardware: 'N_MM1v1_X3',
    software: 'MM319',
    firmware: '25021401_56abae7',
    isHome: true,
    boards: 1,
    chipsPerBoard: 12,
    fans: 1,
    frequencyMhz: 414.21,
    steps: [387, 408, 429, 450],
    hashrateHs: 6e12,
    powerW: 136,
  },
];
