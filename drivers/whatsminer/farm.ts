// Whatsminer with API 2 and API 3 as variants of the farm, with the web that only says where the login page is.
import type { SimDevice, SimulatedDevices, Variant } from '../_farm/device.ts';
import { textReport } from '../_farm/ip-report.ts';
import type { SimServer } from '../_farm/servers/listener.ts';
import { WHATSMINER_MODELS } from './farm.data.ts';
import { whatsminer2Server } from './farm-api2-tcp.ts';
import { whatsminer3Server } from './farm-api3.ts';
import { whatsminerTruth } from './farm-facts.ts';
import { FIRST_WHATSMINER_VARIANTS } from './farm-first.ts';

const WHATSMINER_VARIANTS: readonly Variant[] = WHATSMINER_MODELS.map((model) => ({
  family: `whatsminer-${model.api}`,
  driver: 'whatsminer',
  spec: model,
  login: model.api === 3 ? { user: 'super', password: 'super' } : { user: 'admin', password: 'admin' },
  servers: (device) => {
    if (model.api === 2) return [whatsminer2Server(device, model, true), redirectServer(device)];
    const servers = [whatsminer3Server(device, model), redirectServer(device)];
    return model.hasOldServer ? [...servers, whatsminer2Server(device, model, false)] : servers;
  },
  truth: (device) => whatsminerTruth(device, model),
}));

export const simulated: SimulatedDevices = {
  shares: { 'whatsminer-2': 18, 'whatsminer-3': 10 },
  usual: WHATSMINER_VARIANTS,
  rare: FIRST_WHATSMINER_VARIANTS,
  ipReport: ({ ip, mac }) => textReport(8_888, `IP:${ip}MAC:${mac}`),
};

/** The real page is on 443, with a self-signed certificate; nothing needs it. */
function redirectServer(device: SimDevice): SimServer {
  return device.site.web.server(device, device.site.port(80), () => ({
    status: 307,
    headers: { Location: `https://${device.ip}/` },
    body: '',
  }));
}
