// Goldshell as variants of the farm: with its TCP API, and with its page alone.
import type { SimulatedDevices } from '../_farm/device.ts';
import { GOLDSHELL_PAGE_VARIANTS } from './farm-page.ts';
import { GOLDSHELL_VARIANTS } from './farm-web.ts';

export const simulated: SimulatedDevices = {
  shares: { goldshell: 3 },
  usual: GOLDSHELL_VARIANTS,
  rare: GOLDSHELL_PAGE_VARIANTS,
};
