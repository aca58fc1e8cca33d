// Hammer with the maker's firmware as variants of the farm, and the Blackminer that it comes from.
import { blackMinerVariant } from '../_farm/black-miner/variants.ts';
import type { SimulatedDevices } from '../_farm/device.ts';
import { bitmainReport } from '../_farm/ip-report.ts';
import { HAMMER_MODELS } from './farm.data.ts';
import { BLACKMINER_VARIANTS } from './farm-blackminer.ts';

export const simulated: SimulatedDevices = {
  shares: { hammer: 3, blackminer: 1 },
  usual: [...HAMMER_MODELS.map(blackMinerVariant), ...BLACKMINER_VARIANTS],
  ipReport: bitmainReport,
};
