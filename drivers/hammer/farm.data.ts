// Hammers with their API on 4028 or on 8359. Atlas section 21.
import { BLACK_MINER, type BlackMinerModel } from '../_farm/black-miner/models.data.ts';

const hammer = {
  ...BLACK_MINER,
  driver: 'hammer',
  password: 'root',
  make: 'Hammer',
  model: 'D10',
  reportedAs: 'Hammer D10',
  chipsPerBoard: 108,
  frequencyMhz: 810,
  hashrateHs: 5e9,
  powerW: 3_400,
  chipC: 52,
  fanRpm: 4_500,
  compileTime: '2023-05-28 17-20-35 CST',
  fileSystem: '2022-11-11 13-46-30 CST',
  kernel: 'Linux 3.8.13 #22 SMP Tue Dec 2 15:26:11 CST 2014',
} as const;

export const HAMMER_MODELS: readonly BlackMinerModel[] = [
  { ...hammer, apiPort: 4028 },
  { ...hammer, apiPort: 8359 },
];
