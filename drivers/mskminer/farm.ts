// MSKMiner firmware on an Antminer S19 with 88 chips to a board, as a variant of the farm. Atlas section 16.
import { antminerFacts } from '../_farm/bitmain/facts.ts';
import { json, NOT_FOUND } from '../_farm/bitmain/pages.ts';
import { poolsOf } from '../_farm/bitmain/tcp.ts';
import type { SimDevice, SimulatedDevices, Variant } from '../_farm/device.ts';
import { rollText, round } from '../_farm/noise.ts';
import type { ModelSpec } from '../_farm/physics.ts';
import { classicServer, envelope, type Said } from '../_farm/servers/cgminer-api.ts';
import type { SimServer } from '../_farm/servers/listener.ts';
import type { Truth } from '../_farm/truth.ts';
import { counted, turning, whoIs } from '../_farm/truth-parts.ts';

const VERSIONS = ['1.0.3', '5.1.0'] as const;
type Version = (typeof VERSIONS)[number];
const MODEL: ModelSpec = {
  make: 'Antminer',
  model: 'S19 No PIC',
  reportedAs: 'S19-88',
  boards: 3,
  chipsPerBoard: 88,
  fans: 4,
  frequencyMhz: 560,
  hashrateHs: 88e12,
  powerW: 3_150,
  chipC: 71,
  fanRpm: 5_400,
};
const DESCRIPTION = 'cgminer 4.9.0';
const CHAINS = 16;

const MSKMINER_VARIANTS: readonly Variant[] = VERSIONS.map((version) => ({
  family: 'mskminer',
  driver: 'mskminer',
  spec: MODEL,
  login: { user: 'admin', password: 'root' },
  servers: (device) => [tcpServer(device, version), webServer(device)],
  truth: (device) => truth(device, version),
}));

export const simulated: SimulatedDevices = { shares: { mskminer: 2 }, usual: MSKMINER_VARIANTS };

function tcpServer(device: SimDevice, version: Version): SimServer {
  return classicServer(device, DESCRIPTION, ({ name }) => say(device, version, name));
}

function say(device: SimDevice, version: Version, name: string): Said | undefined {
  const facts = antminerFacts(device);
  const wrap = (code: number, msg: string, content: Readonly<Record<string, unknown>>) => ({
    reply: envelope(device.nowS(), DESCRIPTION, { code, msg }, content),
  });
  switch (name) {
    case 'version':
      return wrap(22, 'CGMiner versions', {
        VERSION: [
          {
            BMMiner: '4.9.0 rwglr',
            API: '3.1',
            Miner: '30.0.1.3',
            CompileTime: '',
            Type: `${MODEL.reportedAs} v.${version} `,
          },
        ],
      });
    case 'stats':
      return wrap(70, 'CGMiner stats', { STATS: stats(device, version) });
    case 'pools':
      return wrap(7, '3 Pool(s)', { POOLS: poolsOf(facts) });
    default:
      return undefined;
  }
}

/** GH/s; the whole has two digits, the boards have more. */
const totalGhs = (device: SimDevice) => antminerFacts(device).ghs;

/**
 * One object with a place for everything that any machine could have; later versions have a second one, of the supply.
 */
function stats(device: SimDevice, version: Version): object[] {
  const facts = antminerFacts(device);
  const row: Record<string, unknown> = {
    STATS: 0,
    ID: 'BC50',
    Elapsed: facts.elapsedS,
    'GHS 5s': facts.ghs.toFixed(2),
    'GHS av': facts.averageGhs,
    total_rate: totalGhs(device),
    ...(version === '1.0.3' && { total_power: device.body().powerW }),
    fan_num: facts.fans.length,
    total_rateideal: facts.idealGhs,
  };
  for (let fan = 1; fan <= 8; fan++) row[`fan${fan}`] = facts.fans[fan - 1] ?? 0;
  for (let chain = 1; chain <= CHAINS; chain++) {
    const board = facts.boards[chain - 1];
    const isPresent = board?.isPresent ?? false;
    row[`temp${chain}`] = board?.pcbC[0] ?? 0;
    row[`temp2_${chain}`] = board?.chipC[0] ?? 0;
    row[`temp3_${chain}`] = isPresent ? Math.round(device.body().inletC) : 0;
    row[`freq_avg${chain}`] = isPresent ? MODEL.frequencyMhz : 0;
    row[`chain_acn${chain}`] = isPresent ? MODEL.chipsPerBoard : 0;
    row[`chain_hw${chain}`] = board?.hw ?? 0;
    row[`chain_rate${chain}`] = isPresent && board ? board.ghs.toFixed(2) : '';
  }
  const supply = {
    chain_power: `${device.body().powerW} W`,
    fan_pwm: 80,
    psu_status: device.faults.has('psu-fault') ? 'fail' : 'ok',
  };
  return version === '1.0.3' ? [row] : [row, supply];
}

const PAGE = '<!doctype html><html><head><title>Miner</title></head><body><div id="app"></div></body></html>\n';

function webServer(device: SimDevice): SimServer {
  // A restart forgets who was logged in.
  const ticket = () =>
    rollText('0123456789abcdef', 32, device.site.seed, device.index, 500 + device.reboots + device.endedSessions);
  return device.site.web.server(device, device.site.port(80), (request) => {
    if (request.path === '/') return { status: 200, body: PAGE };
    if (request.path === '/admin/login' && request.method === 'POST') {
      const form = new URLSearchParams(request.body);
      const isRight = form.get('username') === device.login?.user && form.get('password') === device.login?.password;
      return isRight
        ? { status: 302, headers: { Location: '/', 'Set-Cookie': `session=${ticket()}; HttpOnly; Path=/` }, body: '' }
        : { status: 401, body: 'Unauthorized' };
    }
    if (request.path !== '/api/info_v1' || request.method !== 'POST') return NOT_FOUND;
    if (!request.cookie?.split('; ').includes(`session=${ticket()}`)) return { status: 401, body: 'Unauthorized' };
    return json({
      network_info: { result: { macaddr: device.mac.toLowerCase(), ipaddress: device.ip, nettype: 'DHCP' } },
    });
  });
}

function truth(device: SimDevice, version: Version): Truth {
  const facts = antminerFacts(device);
  const present = facts.boards.filter((board) => board.isPresent);
  return {
    ...whoIs(device, MODEL),
    serial_number: null,
    firmware_version: version,
    hostname: null,
    is_mining: facts.ghs > 0,
    mining_mode: null,
    hashrate: round(totalGhs(device), 2) * 1e9,
    expected_hashrate: facts.idealGhs * 1e9,
    power: device.body().powerW,
    temp: Math.max(...present.map((board) => board.chipC[0] ?? 0)),
    uptime: facts.elapsedS,
    hashboards: present.map((board) => ({
      serial_number: null,
      hashrate: board.ghs * 1e9,
      chips: MODEL.chipsPerBoard,
      chip_frequency: MODEL.frequencyMhz,
    })),
    fans: turning(facts.fans),
    pools: counted(facts.pools),
    psus: version === '1.0.3' ? [] : [{ serial_number: null, temperature: null }],
    errors: [],
    light_on: null,
  };
}
