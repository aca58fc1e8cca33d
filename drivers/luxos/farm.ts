// LuxOS as variants of the farm: TCP 4028 with one session for all that changes anything, and a small web page. Atlas
// section 7.
import type { SimDevice, SimulatedDevices, Variant } from '../_farm/device.ts';
import { type Command, cgminerServer, envelope, REFUSALS, type Said } from '../_farm/servers/cgminer-api.ts';
import type { SimServer } from '../_farm/servers/listener.ts';
import { LUXOS_MODELS, type LuxosModel } from './farm.data.ts';
import { luxosRead } from './farm-answers.ts';
import { luxosTruth } from './farm-facts.ts';
import { luxosControl, type Word } from './farm-writes.ts';

const LUXOS_VARIANTS: readonly Variant[] = LUXOS_MODELS.map((model) => ({
  family: 'luxos',
  driver: 'luxos',
  spec: model,
  servers: (device) => [tcpServer(device, model), webServer(device)],
  truth: (device) => luxosTruth(device, model),
}));

export const simulated: SimulatedDevices = { shares: { luxos: 4 }, usual: LUXOS_VARIANTS };

const PAGE =
  '<!doctype html><html><head><title>Luxor Firmware</title></head><body><div id="root"></div></body></html>\n';

const webServer = (device: SimDevice): SimServer =>
  device.site.web.server(device, device.site.port(80), ({ path }) =>
    path === '/' ? { status: 200, body: PAGE } : { status: 404, body: '<html><body>404</body></html>\n' },
  );

function tcpServer(device: SimDevice, model: LuxosModel): SimServer {
  const description = `LUXminer ${model.firmware}-${model.build}`;
  const word: Word = (code, msg, content = {}, level = 'S') =>
    envelope(device.nowS(), description, { code, msg, level }, content);
  const control = luxosControl(device, model);
  const say = ({ name, parameter }: Command): Said | undefined => {
    const read = luxosRead(device, model, name, parameter);
    return read === undefined ? control(name, parameter, word) : { reply: word(...read) };
  };
  return cgminerServer(device, {
    port: device.site.port(4028),
    atOnce: 4,
    waiting: 100,
    ending: '\0',
    say,
    refuse: (code) => word(code, REFUSALS[code], {}, 'E'),
  });
}
