// The Whatsminers of the farm: API 2 (firmware 2022-07 to 2024-10) and API 3 (from 2024-11). Names follow atlas section 4.
import type { ModelSpec } from '../_farm/physics.ts';

export type WhatsminerModel = ModelSpec & {
  readonly api: 2 | 3;
  readonly firmware: string;
  readonly apiVersion: string;
  readonly platform: string;
  readonly psu: string;
  /** API 2.0.4 prints `"error_code":["110":"..."]`, which is no JSON. */
  readonly hasBrokenErrors: boolean;
  /** API 3: plain reads on 4028 are still answered. */
  readonly hasOldServer: boolean;
  /** API 3: what it calls the command for the power mode. */
  readonly modeCommand: 'set.miner.power_mode' | 'set.miner.mode';
};

const shared = {
  make: 'Whatsminer',
  boards: 3,
  fans: 2,
  chipC: 80,
  fanRpm: 6_000,
  platform: 'H616',
  psu: 'P221B',
  hasBrokenErrors: false,
  hasOldServer: false,
  modeCommand: 'set.miner.power_mode',
} as const;

export const WHATSMINER_MODELS: readonly WhatsminerModel[] = [
  {
    ...shared,
    api: 2,
    model: 'M30S++ VH60',
    reportedAs: 'M30S++_VH60',
    chipsPerBoard: 78,
    frequencyMhz: 640,
    hashrateHs: 110e12,
    powerW: 3_410,
    firmware: '20230803.11.REL',
    apiVersion: '2.0.5',
  },
  {
    ...shared,
    api: 2,
    model: 'M50 VH50',
    reportedAs: 'M50_VH50',
    chipsPerBoard: 105,
    frequencyMhz: 580,
    hashrateHs: 118e12,
    powerW: 3_276,
    firmware: '20221216.14.REL',
    apiVersion: '2.0.4',
    hasBrokenErrors: true,
  },
  {
    // A bin that does not end in 0 is the same hardware as the one that does.
    ...shared,
    api: 2,
    model: 'M30S+ VE40',
    reportedAs: 'M30S+_VE43',
    chipsPerBoard: 156,
    frequencyMhz: 610,
    hashrateHs: 100e12,
    powerW: 3_400,
    firmware: '20240412.17.REL',
    apiVersion: '2.0.6',
  },
  {
    ...shared,
    api: 3,
    model: 'M60S VK40',
    reportedAs: 'M60S_VK40',
    chipsPerBoard: 225,
    frequencyMhz: 625,
    hashrateHs: 186e12,
    powerW: 3_441,
    firmware: '20251209.16.Rel2',
    apiVersion: '3.0.2',
  },
  {
    ...shared,
    api: 3,
    model: 'M50S VK20',
    reportedAs: 'M50S_VK20',
    chipsPerBoard: 111,
    frequencyMhz: 600,
    hashrateHs: 128e12,
    powerW: 3_328,
    firmware: '20250214.11.Rel',
    apiVersion: '3.0.1',
    hasOldServer: true,
    modeCommand: 'set.miner.mode',
  },
];
