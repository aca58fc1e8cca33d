// The web of Elphapex (port 80): digest login, the pages, the writes. Empty slots repeat the board sensors of another
// slot. Atlas section 20.
import {
  bodyOf,
  FORBIDDEN,
  json,
  NOT_FOUND,
  pagePools,
  readPools,
  reboot,
  refused,
  setBlink,
} from '../_farm/bitmain/pages.ts';
import { networkInfo } from '../_farm/bitmain/web-answers.ts';
import type { SimDevice } from '../_farm/device.ts';
import { digestServer } from '../_farm/servers/digest.ts';
import type { SimServer } from '../_farm/servers/listener.ts';
import type { WebReply, WebRequest } from '../_farm/servers/web.ts';
import { ELPHAPEX_REALM, type ElphapexModel } from './farm.data.ts';
import { type ElphapexFacts, elphapexFacts } from './farm-facts.ts';

const SLOTS = [0, 1, 2, 3] as const;

export function elphapexWebServer(device: SimDevice, model: ElphapexModel): SimServer {
  return digestServer(device, ELPHAPEX_REALM, (request) => page(device, model, request));
}

function page(device: SimDevice, model: ElphapexModel, request: WebRequest): WebReply {
  const facts = elphapexFacts(device, model);
  const head = (msg: string) => headOf(device, model, facts, msg);
  switch (request.path) {
    case '/':
      return { status: 200, body: '<html><head><title>ElphaPex</title></head><body></body></html>\n' };
    case '/cgi-bin/get_system_info.cgi':
      return json(systemInfo(device, model));
    case '/cgi-bin/get_network_info.cgi':
      return json({ ...networkInfo(device), macaddr: device.mac.toLowerCase() });
    case '/cgi-bin/stats.cgi':
      return json({ ...head('stats'), STATS: [stats(model, facts)] });
    case '/cgi-bin/summary.cgi':
      return json({
        ...head('summary'),
        SUMMARY: [{ ...rates(facts), hw_all: 0, bestshare: 0, status: facts.status }],
      });
    case '/cgi-bin/pools.cgi':
      return json({ ...head('pools'), POOLS: pagePools(facts.pools, 'Unreachable').map(lastShare) });
    case '/cgi-bin/get_power.cgi':
      return json({
        power_output: String(facts.powerW),
        power_sn: facts.powerSerial,
        power_temp: String(facts.powerDeciC),
      });
    case '/cgi-bin/get_miner_conf.cgi':
      return json(minerConf(device, model, facts));
    case '/cgi-bin/set_miner_conf.cgi':
      return setMinerConf(device, request);
    case '/cgi-bin/get_blink_status.cgi':
      return json({ blink: device.settings.isLightOn });
    case '/cgi-bin/blink.cgi':
      return setBlink(device, request);
    case '/cgi-bin/reboot.cgi':
      return reboot(device);
    default:
      return NOT_FOUND;
  }
}

/** `when` counts from the start of the system, unlike on the web that this was copied from. */
function headOf(device: SimDevice, model: ElphapexModel, facts: ElphapexFacts, msg: string) {
  return {
    STATUS: {
      STATUS: 'S',
      when: device.systemUptimeS(),
      timestamp: Math.floor(device.nowS()),
      Msg: msg,
      api_version: '1.0.0',
    },
    INFO: {
      CompileTime: '',
      dev_sn: facts.serial,
      hw_version: model.hardware,
      miner_version: model.minerVersion,
      type: model.reportedAs,
    },
  };
}

/** What look like sums of difficulties are those of the last share. */
const lastShare = (row: object) => ({ ...row, diffa: 524_288, diffr: 524_288, diffs: 0 });

function rates(facts: ElphapexFacts) {
  return {
    elapsed: facts.elapsedS,
    rate_5s: facts.mhs,
    rate_15m: facts.averageMhs,
    rate_30m: facts.averageMhs,
    rate_avg: facts.averageMhs,
    rate_ideal: facts.idealMhs,
    rate_unit: 'MH/s',
  };
}

function stats(model: ElphapexModel, facts: ElphapexFacts): object {
  const hottest = Math.max(0, ...facts.boards.flatMap((board) => (board.isPresent ? board.chipMilliC : [])));
  const near = Math.round(hottest / 1_000);
  const boardC = [near - 24, near - 25, near - 4, near - 5];
  return {
    ...rates(facts),
    chain_num: SLOTS.length,
    fan_num: facts.fans.length,
    fan: facts.fans.map(String),
    hwp_total: 0.1155,
    chain: SLOTS.map((slot) => {
      const board = facts.boards.find((entry) => entry.slot === slot && entry.isPresent);
      const sensors = { temp_pcb: boardC, temp_pic: boardC };
      if (board === undefined) return { ...EMPTY_SLOT, index: slot, ...sensors };
      return {
        asic: 'o'.repeat(model.chipsPerBoard),
        asic_num: model.chipsPerBoard,
        eeprom_loaded: true,
        failrate: 0,
        freq_avg: 62_000,
        hashrate: board.mhs,
        hw: model.chipsPerBoard,
        index: slot,
        rate_15m: board.mhs,
        rate_ideal: facts.boardIdealMhs,
        rate_real: board.mhs,
        sn: board.serial,
        temp_chip: board.chipMilliC.map(String),
        ...sensors,
      };
    }),
  };
}

const EMPTY_SLOT = {
  asic: 'ooooooooo oooooooo oooooooo oooooooo oooo',
  asic_num: 0,
  failrate: 0,
  freq_avg: 0,
  hashrate: 0,
  hw: 0,
  rate_15m: 0,
  rate_ideal: 0,
  rate_real: 0,
  sn: '',
  temp_chip: ['', '', '', ''],
};

function systemInfo(device: SimDevice, model: ElphapexModel): object {
  return {
    Algorithm: 'Scrypt',
    dnsservers: '',
    firmware_type: 'Release',
    gateway: '',
    hostname: device.settings.hostname,
    ipaddress: device.ip,
    macaddr: device.mac.toLowerCase(),
    minertype: model.reportedAs,
    netdevice: 'eth0',
    netmask: '255.255.255.0',
    nettype: 'DHCP',
    system_filesystem_version: model.minerVersion,
    system_kernel_version: '4.4.194 #1 SMP Wed Feb 26 11:19:53 CST 2025',
    system_mode: 'GNU/Linux',
  };
}

function minerConf(device: SimDevice, model: ElphapexModel, facts: ElphapexFacts): object {
  return {
    algo: 'ltc',
    'fc-fan-ctrl': false,
    'fc-fan-pwm': '20',
    'fc-freq': String(model.frequencyMhz),
    'fc-freq-level': '100',
    'fc-voltage': '1470',
    'fc-work-mode': device.settings.mode === 'sleep' ? 1 : 0,
    pools: facts.pools.map(({ url, user, pass }) => ({ url, user, pass })),
  };
}

const NEEDS = ['fc-work-mode', 'fc-freq-level', 'fc-fan-ctrl', 'fc-fan-pwm', 'pools'] as const;

/** The whole configuration or nothing. The process starts anew. */
function setMinerConf(device: SimDevice, request: WebRequest): WebReply {
  if (device.faults.has('write-api-off')) return FORBIDDEN;
  const conf = bodyOf(request);
  if (!conf || NEEDS.some((key) => !(key in conf))) return refused('M001');
  const pools = readPools(conf.pools);
  const mode = String(conf['fc-work-mode']);
  if (!pools || (mode !== '0' && mode !== '1')) return refused('M003');
  if (device.faults.has('ignores-writes')) return json({ stats: 'success', code: 'M000', msg: 'OK!' });
  device.settings.pools = pools.filter((pool) => pool.url !== '');
  device.setMode(mode === '1' ? 'sleep' : 'normal');
  device.restart();
  return json({ stats: 'success', code: 'M000', msg: 'OK!' });
}
