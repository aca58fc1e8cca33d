// A Whatsminer M3, years before the first API of its make: `summary` and `pools` of CGMiner with some keys of its own,
// of which `Voltage` is the number of a step. That `devdetails` names it as those of later machines do is assumed.
// Atlas section 4 has its successors.
import { standardPool, standardSummary } from '../_farm/cgminer-answers.ts';
import type { SimDevice, Variant } from '../_farm/device.ts';
import { round } from '../_farm/noise.ts';
import type { ModelSpec } from '../_farm/physics.ts';
import { classicServer, envelope, type Said } from '../_farm/servers/cgminer-api.ts';
import type { Truth } from '../_farm/truth.ts';
import { firstCounted, turning, whoIs } from '../_farm/truth-parts.ts';

const M3: ModelSpec = {
  make: 'Whatsminer',
  model: 'M3',
  reportedAs: 'M3',
  boards: 3,
  chipsPerBoard: 63,
  fans: 2,
  frequencyMhz: 635,
  hashrateHs: 11.8e12,
  powerW: 2_100,
  chipC: 86,
  fanRpm: 5_800,
};
const DESCRIPTION = 'cgminer 4.9.2';

export const FIRST_WHATSMINER_VARIANTS: readonly Variant[] = [
  {
    family: 'whatsminer-first',
    driver: 'whatsminer',
    spec: M3,
    servers: (device) => [classicServer(device, DESCRIPTION, ({ name }) => say(device, name))],
    truth,
  },
];

function facts(device: SimDevice) {
  const { boards, averageFactor, fansRpm } = device.body();
  const nowMhs = round(boards.reduce((sum, { hashrateHs }) => sum + hashrateHs, 0) / 1e6, 2);
  return {
    nowMhs,
    averageMhs: round(nowMhs * averageFactor, 2),
    boardC: Math.max(...boards.map(({ isDead, boardC }) => (isDead ? 0 : boardC))),
    fansRpm,
  };
}

function say(device: SimDevice, name: string): Said | undefined {
  const wrap = (code: number, msg: string, content: Readonly<Record<string, unknown>>): Said => ({
    reply: envelope(device.nowS(), DESCRIPTION, { code, msg }, content),
  });
  switch (name) {
    case 'version':
      return wrap(22, 'CGMiner versions', { VERSION: [{ CGMiner: '4.9.2', API: '3.7' }] });
    case 'devdetails': {
      const row = { DEVDETAILS: 0, Name: 'SM', ID: 0, Driver: 'bitmicro', Kernel: '', Model: M3.reportedAs };
      return wrap(69, 'Device Details', { DEVDETAILS: [row] });
    }
    case 'summary':
      return wrap(11, 'Summary', { SUMMARY: [summary(device)] });
    case 'pools': {
      const { pools } = device.settings;
      return wrap(7, `${pools.length} Pool(s)`, { POOLS: pools.map((pool, nth) => standardPool(device, pool, nth)) });
    }
    default:
      return undefined;
  }
}

function summary(device: SimDevice): object {
  const { nowMhs, averageMhs, boardC, fansRpm } = facts(device);
  const mhz = nowMhs > 0 ? M3.frequencyMhz : 0;
  return {
    ...standardSummary(device, { nowMhs, averageMhs }),
    'MHS 1m': nowMhs,
    Temperature: boardC,
    ...{ freq_max: mhz, freq_min: mhz, freq_avg: mhz },
    ...{ 'Fan Speed In': fansRpm[0], 'Fan Speed Out': fansRpm[1] },
    ...{ fan_stop_turn_off: false, fan_stop_count: 0, fan_speed_set: 5_502, fan_over_fast_count: 0 },
    Voltage: 8,
  };
}

function truth(device: SimDevice): Truth {
  const { nowMhs, boardC, fansRpm } = facts(device);
  return {
    ...whoIs(device, M3),
    mac: '',
    serial_number: null,
    firmware_version: null,
    hostname: null,
    is_mining: nowMhs > 0,
    mining_mode: null,
    hashrate: nowMhs * 1e6,
    expected_hashrate: null,
    power: null,
    temp: boardC,
    uptime: device.uptimeS(),
    hashboards: [],
    // Two that stand still may as well be none: it may stand in a tank.
    fans: fansRpm.some((rpm) => rpm > 0) ? turning(fansRpm) : [],
    pools: firstCounted(device),
    psus: [],
    errors: [],
    light_on: null,
  };
}
