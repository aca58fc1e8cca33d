// A plain CGMiner 4.11 API, as a generic driver meets it: one client at a time, no web, no MAC, and `devs` an error
// when no device is plugged in.
import { standardPool, standardSummary } from '../_farm/cgminer-answers.ts';
import type { SimDevice, SimulatedDevices, Variant } from '../_farm/device.ts';
import { round } from '../_farm/noise.ts';
import type { ModelSpec } from '../_farm/physics.ts';
import { classicServer, envelope, type Said } from '../_farm/servers/cgminer-api.ts';
import type { SimServer } from '../_farm/servers/listener.ts';
import type { Truth } from '../_farm/truth.ts';
import { firstCounted } from '../_farm/truth-parts.ts';

const VERSION = '4.11.1';
const DESCRIPTION = `cgminer ${VERSION}`;

const spec: ModelSpec = {
  make: 'cgminer',
  model: 'unknown',
  reportedAs: '',
  boards: 1,
  chipsPerBoard: 1,
  fans: 0,
  frequencyMhz: 500,
  hashrateHs: 14e12,
  powerW: 1_300,
  chipC: 70,
  fanRpm: 0,
};

const CGMINER_VARIANTS: readonly Variant[] = [true, false].map((hasDevice) => ({
  family: 'cgminer',
  driver: 'cgminer',
  spec,
  servers: (device) => [cgminerTcpServer(device, hasDevice)],
  truth: (device) => truth(device, hasDevice),
}));

export const simulated: SimulatedDevices = { shares: { cgminer: 4 }, usual: CGMINER_VARIANTS };

function cgminerTcpServer(device: SimDevice, hasDevice: boolean): SimServer {
  return classicServer(device, DESCRIPTION, ({ name }) => say(device, hasDevice, name));
}

function ratesOf(device: SimDevice) {
  const body = device.body();
  const nowMhs = round((body.boards[0]?.hashrateHs ?? 0) / 1e6, 2);
  return { nowMhs, averageMhs: round(nowMhs * body.averageFactor, 2) };
}

function say(device: SimDevice, hasDevice: boolean, name: string): Said | undefined {
  const wrap = (
    code: number,
    msg: string,
    content: Readonly<Record<string, unknown>> = {},
    level: 'S' | 'E' = 'S',
  ) => ({
    reply: envelope(device.nowS(), DESCRIPTION, { code, msg, level }, content),
  });
  switch (name) {
    case 'version':
      return wrap(22, 'CGMiner versions', { VERSION: [{ CGMiner: VERSION, API: '3.7' }] });
    case 'summary':
      return wrap(11, 'Summary', { SUMMARY: [standardSummary(device, ratesOf(device))] });
    case 'devs':
      return hasDevice ? wrap(9, '1 ASC(s)', { DEVS: [dev(device)] }) : wrap(10, 'No ASCs', {}, 'E');
    case 'devdetails':
      return hasDevice
        ? wrap(69, 'Device Details', {
            DEVDETAILS: [
              { DEVDETAILS: 0, Name: 'XYZ', ID: 0, Driver: 'xyz', Kernel: '', Model: '', 'Device Path': '1:4' },
            ],
          })
        : wrap(10, 'No ASCs', {}, 'E');
    case 'stats':
      return wrap(70, 'CGMiner stats', { STATS: [] });
    case 'pools':
      return wrap(7, `${device.settings.pools.length} Pool(s)`, {
        POOLS: device.settings.pools.map((pool, index) => standardPool(device, pool, index)),
      });
    case 'config':
      return wrap(33, 'CGMiner config', {
        CONFIG: [
          {
            'ASC Count': hasDevice ? 1 : 0,
            'PGA Count': 0,
            'Pool Count': device.settings.pools.length,
            Strategy: 'Failover',
            'Log Interval': 5,
            'Device Code': '',
            OS: 'Linux',
            Hotplug: 5,
          },
        ],
      });
    case 'restart':
    case 'quit':
    case 'privileged':
    case 'addpool':
    case 'switchpool':
      return wrap(45, `Access denied to '${name}' command`, {}, 'E');
    default:
      return undefined;
  }
}

function dev(device: SimDevice): object {
  const { nowMhs, averageMhs } = ratesOf(device);
  const { accepted, rejected } = device.shares();
  return {
    ASC: 0,
    Name: 'XYZ',
    ID: 0,
    Enabled: 'Y',
    Status: 'Alive',
    Temperature: device.body().boards[0]?.boardC ?? 0,
    'MHS av': averageMhs,
    'MHS 5s': nowMhs,
    'MHS 1m': averageMhs,
    'MHS 5m': averageMhs,
    'MHS 15m': averageMhs,
    Accepted: accepted,
    Rejected: rejected,
    'Hardware Errors': 0,
    'Last Share Pool': 0,
    'Device Elapsed': device.uptimeS(),
  };
}

/** Only what the API tells: no maker, no model, no MAC, no mode. */
function truth(device: SimDevice, hasDevice: boolean): Truth {
  const hashrate = ratesOf(device).nowMhs * 1e6;
  return {
    ip: device.ip,
    driver: device.driver,
    family: device.family,
    make: null,
    model: null,
    mac: '',
    serial_number: null,
    firmware_version: `CGMiner ${VERSION}`,
    hostname: null,
    is_mining: hashrate > 0,
    mining_mode: null,
    hashrate,
    expected_hashrate: null,
    power: null,
    temp: hasDevice ? (device.body().boards[0]?.boardC ?? null) : null,
    uptime: device.uptimeS(),
    hashboards: hasDevice ? [{ serial_number: null, hashrate, chips: null, chip_frequency: null }] : [],
    fans: [],
    pools: firstCounted(device),
    psus: [],
    errors: [],
    light_on: null,
  };
}
