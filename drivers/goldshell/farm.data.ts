// The Goldshells of the farm: a large Kadena machine, two boxes, and a Byte whose boards mine two things. Atlas section 18.
import type { ModelSpec } from '../_farm/physics.ts';

export type GoldshellModel = ModelSpec & {
  readonly firmware: string;
  readonly hardware: string;
  readonly controlBoard: string;
  /** What the mining program calls itself. */
  readonly program: string;
  /** Chips per board where they differ. */
  readonly chipsOf: readonly number[];
  /** Its boards mine two things: the rates do not add up, and the web lists them in groups. */
  readonly isDouble: boolean;
  readonly nameplateHs: number | null;
  /** Takes the password only as its page seals it. */
  readonly wantsSealed: boolean;
  /** Prints a blank before its name, and an estimate of something else. */
  readonly isSloppy: boolean;
};

const shared = {
  make: 'Goldshell',
  firmware: '2.2.5',
  controlBoard: 'MCB_V5_4',
  program: 'intminer 5.4.2',
  isDouble: false,
  wantsSealed: false,
  isSloppy: false,
  chipC: 80,
  fanRpm: 3_300,
} as const;

export const GOLDSHELL_MODELS: readonly GoldshellModel[] = [
  {
    ...shared,
    model: 'KD5',
    reportedAs: 'Goldshell-KD5',
    firmware: '2.1.3',
    hardware: '20.10.KA',
    controlBoard: 'MCB_V3_3',
    program: 'bfgminer 5.4.2-kdaminer',
    boards: 4,
    chipsPerBoard: 46,
    chipsOf: [46, 46, 46, 46],
    fans: 4,
    frequencyMhz: 700,
    hashrateHs: 18.1e12,
    nameplateHs: 18e12,
    powerW: 2_250,
  },
  {
    ...shared,
    model: 'KD Box Pro',
    reportedAs: 'Goldshell-KDBOXPRO',
    hardware: '40.20.KA',
    boards: 1,
    chipsPerBoard: 16,
    chipsOf: [16],
    fans: 2,
    frequencyMhz: 725,
    hashrateHs: 2.62e12,
    nameplateHs: 2.6e12,
    powerW: 230,
    isSloppy: true,
  },
  {
    ...shared,
    model: 'Mini Doge',
    reportedAs: 'Goldshell-MiniDOGE',
    hardware: '40.30.DA',
    boards: 1,
    chipsPerBoard: 40,
    chipsOf: [40],
    fans: 2,
    frequencyMhz: 700,
    hashrateHs: 1.86e8,
    nameplateHs: 1.85e8,
    powerW: 233,
    wantsSealed: true,
    hashesPerDifficulty: 65_536,
  },
  {
    ...shared,
    model: 'Byte',
    reportedAs: 'Goldshell-Byte',
    hardware: '50.10.BA',
    boards: 2,
    chipsPerBoard: 5,
    chipsOf: [5, 3],
    fans: 2,
    frequencyMhz: 600,
    hashrateHs: 1.6e8,
    hashesPerDifficulty: 65_536,
    shareDifficulty: 32_768,
    nameplateHs: null,
    powerW: 130,
    isDouble: true,
  },
];
