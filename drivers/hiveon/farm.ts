// Hiveon firmware on Antminers, as variants of the farm. The light is switched by forms, as on Antminers from before
// 2020. Atlas sections 3.4, 15.
import { antminerFacts, antminerTruth } from '../_farm/bitmain/facts.ts';
import { NOT_FOUND } from '../_farm/bitmain/pages.ts';
import { antminerTcpServer } from '../_farm/bitmain/tcp.ts';
import { antminerWebServer } from '../_farm/bitmain/web.ts';
import { formBlink } from '../_farm/bitmain/web-a.ts';
import type { SimDevice, SimulatedDevices, Variant } from '../_farm/device.ts';
import type { WebReply, WebRequest } from '../_farm/servers/web.ts';
import type { Truth } from '../_farm/truth.ts';
import { HIVEON_S19, HIVEON_T9 } from './farm.data.ts';
import { hiveonT9TcpServer, hiveonT9Truth } from './farm-t9.ts';

const shared = { family: 'hiveon', driver: 'hiveon', login: { user: 'root', password: 'root' } } as const;

const HIVEON_VARIANTS: readonly Variant[] = [
  {
    ...shared,
    spec: HIVEON_S19,
    servers: (device) => [
      antminerTcpServer(device, HIVEON_S19),
      antminerWebServer(device, HIVEON_S19, (request) => lightPages(device, request)),
    ],
    truth: s19Truth,
  },
  {
    ...shared,
    spec: HIVEON_T9,
    servers: (device) => [
      hiveonT9TcpServer(device),
      antminerWebServer(device, HIVEON_T9, (request) => lightPages(device, request) ?? oldPages(request)),
    ],
    truth: hiveonT9Truth,
  },
];

export const simulated: SimulatedDevices = { shares: { hiveon: 3 }, usual: HIVEON_VARIANTS };

function s19Truth(device: SimDevice): Truth {
  return {
    ...antminerTruth(device, HIVEON_S19),
    firmware_version: HIVEON_S19.minerVersion,
    power: antminerFacts(device).powerW,
  };
}

function lightPages(device: SimDevice, request: WebRequest): WebReply | undefined {
  switch (request.path) {
    case '/cgi-bin/get_blink_status.cgi':
      return NOT_FOUND;
    case '/cgi-bin/blink.cgi':
      return formBlink(device, request);
    default:
      return undefined;
  }
}

const OLD = new Set(['/', '/cgi-bin/get_system_info.cgi', '/cgi-bin/get_network_info.cgi', '/cgi-bin/reboot.cgi']);

/** Machines from before the web of 2020 have few pages that speak JSON. */
const oldPages = (request: WebRequest) => (OLD.has(request.path) ? undefined : NOT_FOUND);
