// A recorded device as the simulated device of a driver: it answers what was recorded, and takes no command. It is in a
// farm only where its mix names it.
import { readCase } from '../../src/case/folder.ts';
import { REPLAY_LOGIN } from '../../src/case/replay/replay.ts';
import { replayServers } from '../../src/case/replay/servers.ts';
import type { SimDevice, SimulatedDevices, Variant } from './device.ts';
import type { Truth } from './truth.ts';

type Replayed = {
  /** Of the case. It is read when the device is started. */
  readonly folder: string;
  readonly driver: string;
  readonly make: string;
  readonly model: string;
};

export function replayed({ folder, driver, make, model }: Replayed): SimulatedDevices {
  const expected = () => readCase(folder).about.expect;
  const variant: Variant = {
    family: driver,
    driver,
    // Its body is what was recorded: nothing of it is worked out.
    spec: {
      ...{ make, model, reportedAs: model, boards: 0, chipsPerBoard: 0, fans: 0 },
      ...{ frequencyMhz: 0, hashrateHs: 0, powerW: 0, chipC: 0, fanRpm: 0 },
    },
    login: REPLAY_LOGIN,
    servers: (device) =>
      replayServers(readCase(folder), REPLAY_LOGIN).map((server) => ({
        ...server,
        port: device.site.port(server.port),
      })),
    truth: (device) => truthOf(device, expected()),
  };
  return { usual: [], shares: {}, rare: [variant] };
}

/** What the case expects; the rest is not told. */
function truthOf({ ip, driver, family }: SimDevice, expected: Readonly<Record<string, unknown>>): Truth {
  const number = (name: string) => (typeof expected[name] === 'number' ? expected[name] : null);
  const text = (name: string) => (typeof expected[name] === 'string' ? expected[name] : null);
  return {
    ...{ ip, driver, family },
    make: text('make'),
    model: text('model'),
    mac: text('mac') ?? '',
    serial_number: text('serialNumber'),
    firmware_version: text('firmwareVersion'),
    hostname: text('hostname'),
    is_mining: (number('hashrateHs') ?? 0) > 0,
    mining_mode: text('miningMode'),
    hashrate: number('hashrateHs'),
    expected_hashrate: number('expectedHashrateHs'),
    power: number('powerW'),
    temp: null,
    uptime: number('uptimeS'),
    hashboards: [],
    fans: [],
    pools: [],
    psus: [],
    errors: [],
    light_on: null,
  };
}
