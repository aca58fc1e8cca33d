// A Hammer or VolcMiner with its maker's firmware, as a variant of the farm.
import type { SimDevice, Variant } from '../device.ts';
import { blackMinerTruth } from './facts.ts';
import type { BlackMinerModel } from './models.data.ts';
import { blackMinerTcpServer } from './tcp.ts';
import { blackMinerWebServer } from './web.ts';

export const blackMinerVariant = (model: BlackMinerModel): Variant => ({
  family: model.driver,
  driver: model.driver,
  spec: model,
  hostname: model.driver === 'hammer' ? 'Hammer' : model.reportedAs,
  login: { user: 'root', password: model.password },
  servers: (device) => servers(device, model),
  truth: (device) => blackMinerTruth(device, model),
});

function servers(device: SimDevice, model: BlackMinerModel) {
  const web = blackMinerWebServer(device, model);
  return model.apiPort === undefined ? [web] : [web, blackMinerTcpServer(device, model, model.apiPort)];
}
