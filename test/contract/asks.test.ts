// How often each family is asked each thing: a scan and two polls ask no more than the driver's table of asks allows,
// and a scan that nobody waits for asks nothing that was asked a moment ago. Requests are counted where they are handed
// to the transport.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Farm, startFarm } from '../../fixtures/farm/farm.ts';
import { parseMix } from '../../fixtures/farm/mix.ts';
import { suitablePortMap } from '../../fixtures/farm/ports.ts';
import { parseConfig } from '../../src/agent/config/config.ts';
import type { DeviceClient } from '../../src/agent/device/device-client.ts';
import { SCAN_PORTS, SIDE_PORTS } from '../../src/driver/identify.ts';
import type { MinerRequest, ProbeLink } from '../../src/transport/request.ts';
import { freshClient } from '../support/fresh-client.ts';
import { freshTrust } from '../support/fresh-trust.ts';
import { loopback } from '../support/loopback.ts';

/** Each family as often as any other, its models in turn. */
const MIX = Object.fromEntries(Object.keys(parseMix('all')).map((family) => [family, 1]));
const MINERS = Object.keys(MIX).length * 2;

let farm: Farm;
let client: DeviceClient;
/** What was sent to each device since `forget`. */
const sent = new Map<string, string[]>();

const keyOf = (request: MinerRequest): string => {
  switch (request.via) {
    case 'cgminer':
      return `${request.port ?? 4028} ${request.command} ${request.parameter ?? ''}`;
    case 'http': {
      const body = JSON.stringify(request.json ?? request.form ?? '');
      return `${request.method} ${request.port ?? 80} ${request.path} ${body} ${request.auth === 'none' ? '' : 'with the login'}`;
    }
    case 'whatsminer3':
      return `${request.via} ${request.cmd} ${JSON.stringify(request.param ?? '')}`;
    default:
      return `${request.via} ${request.cmd}`;
  }
};

beforeAll(async () => {
  const portMap = await suitablePortMap();
  const { network } = loopback();
  farm = await startFarm({ network, miners: MINERS, mix: MIX, seed: 5, freeze: true, portMap });
  const settings = JSON.stringify({ portMap, networks: [network], poll: { interval: '10m' } });
  const config = parseConfig(settings, { baseDir: '/tmp', environment: {}, name: 'test' });
  const trust = freshTrust();
  client = freshClient({ config, trust });
  const { link } = client.transport;
  const noted = (ip: string, question: string) => sent.get(ip)?.push(question) ?? sent.set(ip, [question]);
  const counted = (...[ip, login]: Parameters<typeof link>): ProbeLink => {
    const real = link(ip, login);
    return {
      ip,
      send(request, limits) {
        noted(ip, keyOf(request));
        return real.send(request, limits);
      },
      sendRaw(request, limits) {
        noted(ip, keyOf(request));
        return real.sendRaw(request, limits);
      },
      look(path, limits) {
        noted(ip, `GET ${limits?.port ?? 80} ${path} "" `);
        return real.look(path, limits);
      },
    };
  };
  Reflect.set(client.transport, 'link', counted);
});

afterAll(async () => {
  await client?.close();
  await farm?.stop();
});

/** The servers that it has open, as a scan finds them. */
async function portsOf(ip: string): Promise<Set<number>> {
  const open = new Set<number>();
  for (const port of [...SCAN_PORTS, ...SIDE_PORTS]) {
    if (SIDE_PORTS.some((side) => side === port) && open.size > 0) continue;
    if ((await client.transport.probe(ip, port, 5_000)) === 'open') open.add(port);
  }
  return open;
}

const takeSent = (ip: string) => {
  const questions = sent.get(ip) ?? [];
  sent.delete(ip);
  return questions;
};

test.each(Array.from({ length: MINERS }, (_, index) => index))('device %i', async (index) => {
  const device = farm.devices[index];
  if (device === undefined) throw new Error(`there is no device ${index}`);
  const { ip } = device;
  const { signal } = new AbortController();
  const open = await portsOf(ip);
  const found = await client.recognise(ip, open, signal);
  if (found.status === 'unknown') throw new Error(`nobody knows the ${device.family} at ${ip}`);
  const { target } = found;
  const polls = 2;
  for (let poll = 0; poll < polls; poll++) await client.read(target, signal).catch(() => {});

  const all = takeSent(ip);
  const asks = Object.values(target.driver.asks);
  const mostOf = (question: string) => {
    const rhythms = asks.filter((ask) => keyOf(ask) === question).map(({ every }) => every);
    return rhythms.includes('poll') ? 1 + polls : 1;
  };
  const tooOften = [...new Set(all)].filter((each) => all.filter((other) => other === each).length > mostOf(each));
  expect({ driver: target.driver.id, tooOften }).toEqual({ driver: device.driver, tooOften: [] });

  // A scan that nobody waits for, at once: it finds the same device and repeats nothing.
  const again = await client.recognise(ip, open, signal, false, true);
  const repeats = takeSent(ip).filter((question) => all.includes(question));
  const who = again.status === 'unknown' ? undefined : again.target.driver.id;
  expect({ status: again.status, who, repeats }).toEqual({ status: found.status, who: target.driver.id, repeats: [] });
});
