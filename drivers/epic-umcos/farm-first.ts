// The first generation of ePIC's machines, for Siacoin (epic-miner 2.x): no page, everything in one summary on port
// 4028, under keys of its own. Atlas section 9 has its successors; what it takes beside a reboot is not known.
import { json, NOT_FOUND } from '../_farm/bitmain/pages.ts';
import type { SimDevice, Variant } from '../_farm/device.ts';
import { round } from '../_farm/noise.ts';
import type { ModelSpec } from '../_farm/physics.ts';
import { parseObject } from '../_farm/servers/cgminer-api.ts';
import type { WebReply, WebRequest } from '../_farm/servers/web.ts';
import type { Truth } from '../_farm/truth.ts';
import { uncounted, whoIs } from '../_farm/truth-parts.ts';

const SC200: ModelSpec = {
  make: 'ePIC',
  model: 'SC200',
  reportedAs: 'ePIC SC200',
  boards: 3,
  chipsPerBoard: 10,
  fans: 2,
  frequencyMhz: 380,
  hashrateHs: 1.85e12,
  powerW: 860,
  chipC: 70,
  fanRpm: 4_000,
};
const SOFTWARE = 'epic-miner v2.0.6';

export const EPIC_FIRST_VARIANTS: readonly Variant[] = [
  {
    family: 'epic-first',
    driver: 'epic-umcos',
    spec: SC200,
    hostname: 'epicminer43003a',
    login: { user: 'root', password: 'letmein' },
    servers: (device) => [device.site.web.server(device, device.site.port(4028), (request) => api(device, request))],
    truth,
  },
];

function api(device: SimDevice, { method, path, body }: WebRequest): WebReply {
  if (method === 'GET') return path === '/summary' ? json(summary(device)) : NOT_FOUND;
  if (path !== '/reboot') return NOT_FOUND;
  if (parseObject(body)?.password !== device.login?.password)
    return json({ result: false, error: 'Incorrect password' });
  return json({ result: true, error: null }, () => device.reboot());
}

/** A board that is not found has no row. The rate is told of the whole alone, as the mean since the start. */
function facts(device: SimDevice) {
  const body = device.body();
  const found = body.boards.filter(({ isDead }) => !isDead);
  const share = found.length === 0 ? 0 : round(body.powerW / found.length, 3);
  return {
    averageMhs: round(found.reduce((sum, { hashrateHs }) => sum + hashrateHs, 0) * body.averageFactor, 0) / 1e6,
    boards: found.map(({ slot, boardC }) => ({ slot, boardC: Math.round(boardC), powerW: share })),
  };
}

function summary(device: SimDevice): object {
  const { averageMhs, boards } = facts(device);
  const { accepted, rejected, difficulty } = device.shares();
  const [pool] = device.settings.pools;
  return {
    Hostname: device.settings.hostname,
    Preset: 'Efficiency',
    Software: SOFTWARE,
    Mining: { Coin: 'Sia', Algorithm: 'Blake2b' },
    Stratum: {
      'Current Pool': pool?.url.replace(/^.*:\/\//, '') ?? null,
      'Current User': pool?.user ?? null,
      'Average Latency': 0.23,
    },
    Session: {
      Uptime: device.uptimeS(),
      'Active HBs': boards.length,
      'Average MHs': averageMhs,
      LastAverageMHs: { Hashrate: averageMhs, Timestamp: Math.floor(device.nowS()) },
      Accepted: accepted,
      Rejected: rejected,
      Submitted: accepted + rejected,
      Difficulty: difficulty,
    },
    HBs: boards.map(({ slot, boardC, powerW }) => ({
      Index: slot,
      'Input Voltage': 12.234,
      'Output Voltage': 0.625,
      'Input Current': round(powerW / 12.234, 3),
      'Output Current': 349.71,
      'Input Power': powerW,
      'Output Power': round(powerW * 0.8, 3),
      Temperature: boardC,
      'Core Clock': SC200.frequencyMhz,
    })),
    Fans: { 'Fans Speed': 50 },
  };
}

function truth(device: SimDevice): Truth {
  const { averageMhs, boards } = facts(device);
  return {
    ...whoIs(device, SC200),
    // It names its program, not itself.
    make: null,
    model: null,
    mac: '',
    serial_number: null,
    firmware_version: SOFTWARE,
    hostname: device.settings.hostname,
    is_mining: averageMhs > 0,
    mining_mode: null,
    hashrate: averageMhs * 1e6,
    expected_hashrate: null,
    power: boards.length === 0 ? null : boards.reduce((sum, { powerW }) => sum + powerW, 0),
    temp: boards.length === 0 ? null : Math.max(...boards.map(({ boardC }) => boardC)),
    uptime: device.uptimeS(),
    hashboards: boards.map(() => ({
      serial_number: null,
      hashrate: null,
      chips: null,
      chip_frequency: SC200.frequencyMhz,
    })),
    fans: [],
    pools: uncounted(device.settings.pools.slice(0, 1)),
    psus: [],
    errors: [],
    light_on: null,
  };
}
