// The Antminers of the farm that run Hiveon firmware: one of the S19 era with Antminer's web of 2020, one T9 from before it. Atlas section 15.
import type { AntminerModel } from '../_farm/bitmain/antminer.data.ts';

const shared = {
  make: 'Antminer',
  generation: 'b',
  boards: 3,
  subtype: '',
  // Neither tells a serial number.
  isEarly: true,
  hasHelper: false,
  tellsPower: true,
} as const;

export const HIVEON_S19: AntminerModel = {
  ...shared,
  model: 'S19',
  reportedAs: 'Antminer S19 HIVEON',
  fans: 4,
  chipsPerBoard: 76,
  frequencyMhz: 650,
  hashrateHs: 95e12,
  powerW: 3_250,
  chipC: 74,
  fanRpm: 5_400,
  compileTime: 'Mon Nov  7 12:10:44 UTC 2022',
  minerVersion: '1.02-220706',
  fileSystem: 'Mon Nov  7 12:10:44 UTC 2022',
};

export const HIVEON_T9: AntminerModel = {
  ...shared,
  model: 'T9',
  reportedAs: 'Antminer T9 HIVEON',
  fans: 2,
  chipsPerBoard: 54,
  frequencyMhz: 550,
  hashrateHs: 11.5e12,
  powerW: 1_450,
  chipC: 78,
  fanRpm: 4_800,
  compileTime: 'Tue Apr  9 10:01:02 UTC 2019',
  minerVersion: '1.01-190409',
  fileSystem: 'Tue Apr  9 10:01:02 UTC 2019',
};
