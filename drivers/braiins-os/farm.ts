// Antminers with Braiins OS as variants of the farm: one web server with the API of its generation, CGMiner words on
// TCP, gRPC where the version has it. Atlas section 6.
import type { SimDevice, SimulatedDevices, Variant } from '../_farm/device.ts';
import type { SimServer } from '../_farm/servers/listener.ts';
import { BRAIINS_MODELS, type BraiinsModel } from './farm.data.ts';
import { braiinsTruth } from './farm-facts.ts';
import { braiinsGraphql } from './farm-graphql.ts';
import { braiinsGrpcServer } from './farm-grpc.ts';
import { braiinsLuci } from './farm-luci.ts';
import { braiinsRest, type Page } from './farm-rest.ts';
import { type BraiinsSessions, braiinsSessions } from './farm-sessions.ts';
import { braiinsTcpServer } from './farm-tcp.ts';

const BRAIINS_VARIANTS: readonly Variant[] = BRAIINS_MODELS.map((model) => ({
  family: `braiins-${model.generation}`,
  driver: 'braiins-os',
  spec: model,
  // Empty as it leaves the factory.
  login: { user: 'root', password: '' },
  servers(device) {
    const sessions = braiinsSessions(device);
    const { grpcMinor } = model;
    return [
      webServer(device, model, sessions),
      braiinsTcpServer(device, model),
      ...(grpcMinor === undefined ? [] : [braiinsGrpcServer(device, model, sessions, grpcMinor)]),
    ];
  },
  truth: (device) => braiinsTruth(device, model),
}));

export const simulated: SimulatedDevices = {
  shares: { 'braiins-rest': 3, 'braiins-graphql': 2, 'braiins-tcp': 1 },
  usual: BRAIINS_VARIANTS,
};

const PAGE = '<!doctype html><html><head><title>Braiins OS</title></head><body><div id="app"></div></body></html>\n';

function webServer(device: SimDevice, model: BraiinsModel, sessions: BraiinsSessions): SimServer {
  const pages: Readonly<Record<BraiinsModel['generation'], readonly Page[]>> = {
    rest: [braiinsRest(device, model, sessions), braiinsGraphql(device, model)],
    graphql: [braiinsGraphql(device, model), braiinsLuci(device, model)],
    tcp: [braiinsLuci(device, model)],
  };
  const known = pages[model.generation];
  return device.site.web.server(device, device.site.port(80), (request) => {
    if (request.method === 'GET' && request.path === '/') return { status: 200, body: PAGE };
    for (const page of known) {
      const reply = page(request);
      if (reply !== undefined) return reply;
    }
    return { status: 404, body: '<html><body>404 Not Found</body></html>\n' };
  });
}
