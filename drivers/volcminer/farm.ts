// VolcMiner with the maker's firmware as variants of the farm.
import { blackMinerVariant } from '../_farm/black-miner/variants.ts';
import type { SimulatedDevices } from '../_farm/device.ts';
import { bitmainReport } from '../_farm/ip-report.ts';
import { VOLCMINER_MODELS } from './farm.data.ts';
import { SHUT_VOLCMINER_VARIANTS } from './farm-shut.ts';

export const simulated: SimulatedDevices = {
  shares: { volcminer: 4 },
  usual: VOLCMINER_MODELS.map(blackMinerVariant),
  rare: SHUT_VOLCMINER_VARIANTS,
  ipReport: bitmainReport,
};
