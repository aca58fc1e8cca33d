// The Antminers of the farm that run VNish. Versions differ in words and in how they take a token. Atlas section 8.
import type { ModelSpec } from '../_farm/physics.ts';

export type VnishModel = ModelSpec & {
  readonly firmware: string;
  /** 1.3.4 calls the light by another name. */
  readonly lightPath: 'find-miner' | 'locate-miner';
  /** Takes the token only without `Bearer` wherever it is not about the system; the others take both. */
  readonly wantsBareToken: boolean;
  /** Shows the names of workers as stars. */
  readonly hidesWorkers: boolean;
  readonly measure: 'GH/s' | 'MH/s';
  readonly platform: 'aml' | 'bb' | 'cv' | 'xil';
  readonly controlBoard: string;
  /** Runs a preset from the start. */
  readonly isTuned: boolean;
  readonly isLiquid: boolean;
};

const shared = { make: 'Antminer', fanRpm: 5_850 } as const;
const air = { boards: 3, fans: 4, isLiquid: false } as const;

export const VNISH_MODELS: readonly VnishModel[] = [
  {
    ...shared,
    ...air,
    model: 'S19j Pro',
    reportedAs: 'Antminer S19j Pro',
    chipsPerBoard: 126,
    frequencyMhz: 545,
    hashrateHs: 104e12,
    powerW: 3_050,
    chipC: 70,
    firmware: '1.2.6',
    lightPath: 'find-miner',
    wantsBareToken: true,
    hidesWorkers: false,
    measure: 'GH/s',
    platform: 'xil',
    controlBoard: 'Xilinx',
    isTuned: false,
  },
  {
    ...shared,
    ...air,
    model: 'S21',
    reportedAs: 'Antminer S21',
    chipsPerBoard: 108,
    frequencyMhz: 490,
    hashrateHs: 200e12,
    powerW: 3_500,
    chipC: 76,
    firmware: '1.3.4',
    lightPath: 'locate-miner',
    wantsBareToken: false,
    hidesWorkers: true,
    measure: 'GH/s',
    platform: 'aml',
    controlBoard: 'AMLogic',
    isTuned: true,
  },
  {
    ...shared,
    ...air,
    model: 'L7',
    reportedAs: 'Antminer L7',
    chipsPerBoard: 120,
    frequencyMhz: 700,
    hashrateHs: 9.5e9,
    hashesPerDifficulty: 65_536,
    powerW: 3_425,
    chipC: 72,
    firmware: '1.2.7',
    lightPath: 'find-miner',
    wantsBareToken: false,
    hidesWorkers: false,
    measure: 'MH/s',
    platform: 'bb',
    controlBoard: 'BeagleBone',
    isTuned: true,
  },
  {
    ...shared,
    boards: 4,
    fans: 0,
    isLiquid: true,
    model: 'S19 Pro Hydro',
    reportedAs: 'Antminer S19 Pro Hyd.',
    chipsPerBoard: 180,
    frequencyMhz: 520,
    hashrateHs: 184e12,
    powerW: 5_400,
    chipC: 62,
    firmware: '1.2.6',
    lightPath: 'find-miner',
    wantsBareToken: false,
    hidesWorkers: false,
    measure: 'GH/s',
    platform: 'xil',
    controlBoard: 'Xilinx',
    isTuned: false,
  },
];
