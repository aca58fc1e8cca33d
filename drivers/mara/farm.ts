// MARA firmware on Antminers, as variants of the farm. On TCP 4028 it says who it is; all else is on the web.
import type { SimDevice, SimulatedDevices, Variant } from '../_farm/device.ts';
import { classicServer, envelope } from '../_farm/servers/cgminer-api.ts';
import type { SimServer } from '../_farm/servers/listener.ts';
import { MARA_MODELS, type MaraModel } from './farm.data.ts';
import { maraTruth } from './farm-facts.ts';
import { maraWebServer } from './farm-web.ts';

const DESCRIPTION = 'kaonsu 1.0.0';

const MARA_VARIANTS: readonly Variant[] = MARA_MODELS.map((model) => ({
  family: 'mara',
  driver: 'mara',
  spec: model,
  login: { user: 'root', password: 'root' },
  servers: (device) => [maraWebServer(device, model), maraTcpServer(device, model)],
  truth: (device) => maraTruth(device, model),
}));

export const simulated: SimulatedDevices = { shares: { mara: 3 }, usual: MARA_VARIANTS };

function maraTcpServer(device: SimDevice, model: MaraModel): SimServer {
  return classicServer(device, DESCRIPTION, ({ name }) =>
    name === 'version'
      ? {
          reply: envelope(
            device.nowS(),
            DESCRIPTION,
            { code: 22, msg: 'versions' },
            { VERSION: [{ API: '3.1', Miner: `marafw ${model.firmware}`, Model: model.reportedAs }] },
          ),
        }
      : undefined,
  );
}
