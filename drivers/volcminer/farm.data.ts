// VolcMiners with their API on 8359 or shut. Atlas section 22.
import { BLACK_MINER, type BlackMinerModel } from '../_farm/black-miner/models.data.ts';

const volcminer = {
  ...BLACK_MINER,
  driver: 'volcminer',
  password: 'ltc@dog',
  make: 'VolcMiner',
  model: 'D1',
  reportedAs: 'VolcMiner D1',
  chipsPerBoard: 105,
  frequencyMhz: 2_000,
  hashrateHs: 17e9,
  powerW: 3_900,
  chipC: 72,
  fanRpm: 5_600,
  compileTime: '2025-10-08 04-26-50 CST',
  fileSystem: '2025-10-08 04-26-50 CST',
  kernel: 'Linux 4.4.0-xilinx #1 SMP PREEMPT Mon Apr 27 16:35:56 CST ',
} as const;

export const VOLCMINER_MODELS: readonly BlackMinerModel[] = [
  volcminer,
  { ...volcminer, apiPort: 8359, isSloppy: true },
];
