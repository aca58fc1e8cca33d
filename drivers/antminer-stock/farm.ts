// Antminer stock, generations B and C, as variants of the farm.
import { ANTMINER_MODELS } from '../_farm/bitmain/antminer.data.ts';
import { antminerTruth } from '../_farm/bitmain/facts.ts';
import { antminerTcpServer } from '../_farm/bitmain/tcp.ts';
import { antminerHelperServer, antminerWebServer } from '../_farm/bitmain/web.ts';
import type { SimulatedDevices, Variant } from '../_farm/device.ts';
import { bitmainReport } from '../_farm/ip-report.ts';
import { OLD_ANTMINER_VARIANTS, RARE_ANTMINER_VARIANTS } from './farm-a.ts';

const ANTMINER_VARIANTS: readonly Variant[] = ANTMINER_MODELS.map((model) => ({
  family: `antminer-${model.generation}`,
  driver: 'antminer-stock',
  spec: model,
  login: { user: 'root', password: 'root' },
  servers: (device) => {
    const servers = [antminerTcpServer(device, model), antminerWebServer(device, model)];
    return model.hasHelper ? [...servers, antminerHelperServer(device)] : servers;
  },
  truth: (device) => antminerTruth(device, model),
}));

export const simulated: SimulatedDevices = {
  shares: { 'antminer-b': 35, 'antminer-c': 20, 'antminer-a': 4, 'antminer-other': 3 },
  usual: [...ANTMINER_VARIANTS, ...OLD_ANTMINER_VARIANTS],
  rare: RARE_ANTMINER_VARIANTS,
  ipReport: bitmainReport,
};
