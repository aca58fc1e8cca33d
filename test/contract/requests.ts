import { type Device, startFarm } from '../../fixtures/farm/farm.ts';
import { parseMix } from '../../fixtures/farm/mix.ts';
import { OWNERS_ENVIRONMENT, OWNERS_LOGINS } from '../../fixtures/farm/owners.ts';
import { type PortMap, suitablePortMap } from '../../fixtures/farm/ports.ts';
import { parseConfig } from '../../src/agent/config/config.ts';
import type { DeviceClient, MinerTarget } from '../../src/agent/device/device-client.ts';
import { type Clock, systemClock } from '../../src/base/clock.ts';
import { SCAN_PORTS, SIDE_PORTS } from '../../src/driver/identify.ts';
import { freshClient } from '../support/fresh-client.ts';
import { freshTrust } from '../support/fresh-trust.ts';

export type Requests = {
  readonly family: string;
  readonly driver: string;
  /** Recognition with the visit that follows it. */
  readonly first: number;
  /** Of the cheapest poll, and of the dearest, which asks what is asked seldom as well. */
  readonly least: number;
  readonly most: number;
  /** Per poll, on average of an hour. */
  readonly mean: number;
};

const POLLS = 60;
const MINUTE_MS = 60_000;

/** At the default rhythms of polling. `network` is a loopback range of the caller's own. */
export async function countRequests(network: string): Promise<Requests[]> {
  const portMap = await suitablePortMap();
  const mix = Object.fromEntries(Object.keys(parseMix('all')).map((family) => [family, 1]));
  const farm = await startFarm({ network, miners: Object.keys(mix).length, mix, seed: 5, freeze: true, portMap });
  let aheadMs = 0;
  const clock: Clock = {
    ...systemClock,
    nowMs: () => systemClock.nowMs() + aheadMs,
    monotonicMs: () => systemClock.monotonicMs() + aheadMs,
    elapsedMs: () => systemClock.elapsedMs() + aheadMs,
  };
  const client = clientFor(network, portMap, clock);
  try {
    const polled = await Promise.all(farm.devices.map((device) => meet(client, device)));
    for (let poll = 0; poll < POLLS; poll++) {
      aheadMs += MINUTE_MS;
      await Promise.all(polled.map((one) => one.poll()));
    }
    return polled.map(({ summary }) => summary());
  } finally {
    await client.close();
    await farm.stop();
  }
}

function clientFor(network: string, portMap: PortMap, clock: Clock): DeviceClient {
  const credentials = {
    trust: 'network',
    logins: OWNERS_LOGINS,
  };
  const config = parseConfig(JSON.stringify({ portMap, networks: [network], credentials }), {
    baseDir: '/tmp',
    environment: OWNERS_ENVIRONMENT,
    name: 'test',
  });
  return freshClient({ clock, config, trust: freshTrust(clock) });
}

async function meet(client: DeviceClient, device: Device) {
  const { ip, family, driver } = device;
  const { signal } = new AbortController();
  const open = new Set<number>();
  for (const port of [...SCAN_PORTS, ...SIDE_PORTS])
    if ((await client.transport.probe(ip, port, 5_000)) === 'open') open.add(port);
  const counted = async (work: () => Promise<unknown>) => {
    const before = device.requests;
    await work();
    return device.requests - before;
  };
  let target: MinerTarget | undefined;
  const first = await counted(async () => {
    const found = await client.recognise(ip, open, signal);
    target = 'target' in found ? found.target : undefined;
  });
  if (target === undefined) throw new Error(`nothing recognises the ${family} at ${ip}`);
  const known = target;
  const polls: number[] = [];
  return {
    async poll() {
      polls.push(await counted(() => client.read(known, signal)));
    },
    summary: (): Requests => ({
      ...{ family, driver, first, least: Math.min(...polls), most: Math.max(...polls) },
      mean: polls.reduce((sum, count) => sum + count, 0) / polls.length,
    }),
  };
}
