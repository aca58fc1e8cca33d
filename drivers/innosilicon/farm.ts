// Innosilicon as variants of the farm, and the DragonMint before it.
import type { SimulatedDevices } from '../_farm/device.ts';
import { DRAGONMINT_VARIANTS } from './farm-dragonmint.ts';
import { INNOSILICON_VARIANTS } from './farm-web.ts';

export const simulated: SimulatedDevices = {
  shares: { innosilicon: 3 },
  usual: INNOSILICON_VARIANTS,
  rare: DRAGONMINT_VARIANTS,
};
