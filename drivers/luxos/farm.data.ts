// The machines with LuxOS in the farm: Antminers of which the firmware knows the names. Versions and names follow atlas section 7.
import type { ModelSpec } from '../_farm/physics.ts';

export type LuxosModel = ModelSpec & {
  /** `Miner`: the version that users compare. */
  readonly firmware: string;
  readonly build: string;
  readonly compileTime: string;
  readonly controlBoard: string;
  readonly boardName: string;
  readonly psu: string;
  /** The power supply measures; else the firmware estimates. */
  readonly isPowerMeasured: boolean;
  readonly isAtmEnabled: boolean;
};

const shared = { make: 'Antminer', boards: 3, fans: 4, fanRpm: 5_200 } as const;

export const LUXOS_MODELS: readonly LuxosModel[] = [
  {
    ...shared,
    model: 'S19k Pro',
    reportedAs: 'Antminer S19k Pro',
    chipsPerBoard: 77,
    frequencyMhz: 590,
    hashrateHs: 121.8e12,
    powerW: 2_760,
    chipC: 72,
    firmware: '2025.4.8.220305',
    build: '57b389c7',
    compileTime: 'Tue Apr  8 22:05:35 UTC 2025',
    controlBoard: 'cvitek',
    boardName: 'BHB56903',
    psu: 'APW121215e',
    isPowerMeasured: false,
    isAtmEnabled: true,
  },
  {
    ...shared,
    model: 'S21',
    reportedAs: 'Antminer S21',
    chipsPerBoard: 108,
    frequencyMhz: 490,
    hashrateHs: 200e12,
    powerW: 3_500,
    chipC: 76,
    firmware: '2025.9.8.152528',
    build: 'e04420b4b',
    compileTime: 'Mon Sep  8 15:25:28 UTC 2025',
    controlBoard: 'AMLogic',
    boardName: 'BHB68601',
    psu: 'APW171215a',
    isPowerMeasured: true,
    isAtmEnabled: false,
  },
];
