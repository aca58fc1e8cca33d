// A Dragonmint T1, the ancestor of Innosilicon's web: no `getAll`, no server of CGMiner, and all that it tells of its
// boards and pools in one summary. Every call wants a token, so that nothing proves what it is without a login. Atlas
// section 19.
import type { SimDevice, Variant } from '../_farm/device.ts';
import { round } from '../_farm/noise.ts';
import type { Truth } from '../_farm/truth.ts';
import { firstCounted, whoIs } from '../_farm/truth-parts.ts';
import type { InnosiliconModel } from './farm.data.ts';
import { poolRows } from './farm-tcp.ts';
import { type Call, innosiliconWebServer, yes } from './farm-web.ts';

const T1: InnosiliconModel = {
  make: 'Innosilicon',
  model: 'T1',
  reportedAs: 'T1',
  buildDate: '20180402_1201',
  hardware: 'g9',
  program: 'cgminer 4.10.0',
  mhsHs: 1e6,
  nameplateHs: null,
  boards: 3,
  chipsPerBoard: 63,
  fans: 2,
  frequencyMhz: 1_100,
  hashrateHs: 16e12,
  powerW: 1_480,
  chipC: 78,
  fanRpm: 5_000,
};

export const DRAGONMINT_VARIANTS: readonly Variant[] = [
  {
    family: 'dragonmint',
    driver: 'innosilicon',
    spec: T1,
    login: { user: 'admin', password: 'admin' },
    servers: (device) => [innosiliconWebServer(device, (name) => look(device, name))],
    truth,
  },
];

const look: (device: SimDevice, name: string) => ReturnType<Call> = (device, name) => {
  switch (name) {
    case 'type':
      return yes({ type: T1.reportedAs });
    case 'overview':
      return yes({
        type: T1.reportedAs,
        hostname: device.settings.hostname,
        version: { hwver: T1.hardware, ethaddr: device.mac.toLowerCase(), build_date: T1.buildDate, platform_v: '0' },
        network: { dhcp: 'dhcp', ipaddress: device.ip },
        hardware: { status: 'up', memUsed: 41_244, memTotal: 240_288 },
      });
    case 'summary':
      return yes({
        DEVS: boards(device).map((board, _nth, all) => devRow(device, board, all.length)),
        POOLS: poolRows(device),
        HARDWARE: { 'Fan duty': device.body().isHashing ? 59 : 20 },
        tuning: false,
        hashrates: [],
      });
    case 'pools':
      return yes({ pools: device.settings.pools });
    default:
      return undefined;
  }
};

type Board = { readonly slot: number; readonly isDead: boolean; readonly mhs: number; readonly tempC: number };

const boards = (device: SimDevice) =>
  device.body().boards.map(({ slot, isDead, hashrateHs, chipAvgC, hwErrors }): Board & { readonly hw: number } => ({
    slot,
    isDead,
    mhs: round(hashrateHs / 1e9) * 1e3,
    tempC: isDead ? 0 : chipAvgC,
    hw: hwErrors,
  }));

function devRow(device: SimDevice, board: ReturnType<typeof boards>[number], count: number): object {
  const { accepted, rejected } = device.shares();
  const averageMhs = round(board.mhs * device.body().averageFactor);
  return {
    ASC: board.slot,
    Name: 'DT1',
    ID: board.slot,
    Enabled: 'Y',
    Status: board.isDead ? 'Dead' : 'Alive',
    Temperature: board.tempC,
    'MHS av': averageMhs,
    'MHS 5s': board.mhs,
    'MHS 1m': board.mhs,
    'MHS 5m': averageMhs,
    'MHS 15m': averageMhs,
    Accepted: Math.floor(accepted / count),
    Rejected: Math.floor(rejected / count),
    'Hardware Errors': board.hw,
    'Device Elapsed': device.uptimeS(),
    'Hash Rate': averageMhs,
  };
}

function truth(device: SimDevice): Truth {
  const all = boards(device);
  const mhs = all.reduce((sum, board) => sum + board.mhs, 0);
  return {
    ...whoIs(device, T1),
    serial_number: null,
    firmware_version: T1.buildDate,
    hostname: device.settings.hostname,
    is_mining: mhs > 0,
    mining_mode: null,
    hashrate: mhs * 1e6,
    expected_hashrate: null,
    power: null,
    temp: Math.max(...all.map(({ tempC }) => tempC)),
    uptime: device.uptimeS(),
    // A chain that neither hashes nor measures cannot be told from an empty place.
    hashboards: all.flatMap((board) =>
      board.isDead ? [] : [{ serial_number: null, hashrate: board.mhs * 1e6, chips: null, chip_frequency: null }],
    ),
    // One duty for all, and how many there are is in no table.
    fans: [],
    pools: firstCounted(device),
    psus: [],
    errors: [],
    light_on: null,
  };
}
