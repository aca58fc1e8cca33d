// TCP 4028 of Whatsminer API 2: plain reads in two envelopes, tokens, encrypted writes that are really checked. Atlas
// sections 4.1 and 4.2.
import type { SimDevice } from '../_farm/device.ts';
import { cgminerServer, envelope, type Said } from '../_farm/servers/cgminer-api.ts';
import type { SimServer } from '../_farm/servers/listener.ts';
import type { WhatsminerModel } from './farm.data.ts';
import { createTokenDesk, type TokenDesk } from './farm-api2-tokens.ts';
import { type Done, ordersOf } from './farm-api2-writes.ts';
import { firmwareOf, psuSerial, stamp, type WhatsminerFacts, whatsminerFacts, whatsminerSerial } from './farm-facts.ts';

const JOINABLE = new Set(['summary', 'devs', 'pools', 'devdetails', 'version']);
const DESCRIPTION = 'cgminer 4.9.2';
/** Served at once. */
const CONNECTIONS = 3;
/**
 * The listen queue behind them, long enough for clients that ask eight things at once; what does not fit is refused.
 */
const WAITING = 8;

/** Stands for a request that has no name outside its cipher. */
const SEALED = 'enc';

/** Known, but not without a token. */
const WRITES = new Set(['reboot', 'power_off', 'power_on', 'restart_btminer', 'set_led', 'update_pools', 'update_pwd']);

/** `hasWrites` false: reads only, as API 3 firmware answers on this port. */
export function whatsminer2Server(device: SimDevice, model: WhatsminerModel, hasWrites: boolean): SimServer {
  const desk = hasWrites ? createTokenDesk(device) : undefined;
  const orders = ordersOf(device, model);
  return cgminerServer(device, {
    port: device.site.port(4028),
    atOnce: CONNECTIONS,
    waiting: WAITING,
    ending: '\0',
    joinable: JOINABLE,
    nameless: (body) => (body.enc === 1 ? SEALED : undefined),
    say: ({ name, body }, peer) => {
      if (name === 'get_token') return token(device, desk, peer);
      if (name !== SEALED) return WRITES.has(name) ? denied(device) : read(device, model, name);
      return desk && typeof body.data === 'string' ? sealed(device, orders, desk, body.data, peer) : denied(device);
    },
    refuse: (code) => flat(device, 'E', code, code === 14 ? 'invalid command' : 'invalid json'),
  });
}

/** The envelope of everything that cgminer does not know. */
function flat(device: SimDevice, status: 'S' | 'E', code: number, msg: unknown): object {
  return { STATUS: status, When: Math.floor(device.nowS()), Code: code, Msg: msg, Description: '' };
}

const denied = (device: SimDevice): Said => ({ reply: flat(device, 'E', 45, 'permission denied') });

function token(device: SimDevice, desk: TokenDesk | undefined, peer: string): Said {
  if (!desk || device.faults.has('write-api-off')) return denied(device);
  const issued = desk.issue(peer);
  return {
    reply: issued ? flat(device, 'S', 134, issued) : flat(device, 'E', 136, 'over max token number'),
  };
}

function sealed(
  device: SimDevice,
  orders: ReturnType<typeof ordersOf>,
  desk: TokenDesk,
  data: string,
  peer: string,
): Said {
  if (device.faults.has('write-api-off')) return denied(device);
  const opened = desk.open(data, peer);
  if (opened === 'not-base64') return { reply: flat(device, 'E', 137, 'base64 decode error') };
  if (opened === 'no-token') return { reply: flat(device, 'E', 135, 'token error') };
  const say = ({ code, msg, after, hangUp, tail, onFile }: Done): Said => ({
    reply: JSON.stringify({ enc: opened.seal(JSON.stringify(flat(device, code === 131 ? 'S' : 'E', code, msg))) }),
    after,
    onFile: onFile && ((file) => say(onFile(file))),
    ...(tail ? { tail } : {}),
    ...(hangUp ? { hangUp: true as const } : {}),
  });
  return say(orders(opened.request));
}

function read(device: SimDevice, model: WhatsminerModel, name: string): Said | undefined {
  const facts = whatsminerFacts(device, model);
  const wrap = (code: number, msg: string, content: Readonly<Record<string, unknown>>): Said => ({
    reply: envelope(device.nowS(), DESCRIPTION, { code, msg }, content),
  });
  switch (name) {
    case 'summary':
      return wrap(11, 'Summary', { SUMMARY: [summary(device, model, facts)] });
    case 'devs':
    case 'edevs':
      return wrap(9, `${facts.boards.length} ASC(s)`, { DEVS: devs(device, model, facts) });
    case 'pools':
      return wrap(7, `${device.settings.pools.length} Pool(s)`, { POOLS: pools(device, facts) });
    case 'devdetails':
      return wrap(69, 'Device Details', {
        DEVDETAILS: facts.boards.map(({ slot }) => ({
          DEVDETAILS: slot,
          Name: 'SM',
          ID: slot,
          Driver: 'bitmicro',
          Kernel: '',
          Model: model.reportedAs,
        })),
      });
    case 'get_version':
      return ok(device, {
        api_ver: model.apiVersion,
        fw_ver: firmwareOf(device, model),
        platform: model.platform,
        chip: 'K8EC',
      });
    case 'status':
      return ok(device, {
        mineroff: String(facts.isAsleep),
        mineroff_reason: '',
        mineroff_time: '0',
        FirmwareVersion: `'${firmwareOf(device, model)}'`,
        power_mode: POWER_MODES[device.settings.mode],
        hash_percent: '0',
        power_limit_set: '',
      });
    case 'get_miner_info':
      return ok(device, minerInfo(device));
    case 'get_psu':
      return ok(device, {
        name: model.psu,
        hw_version: 'V01.00',
        sw_version: 'V01.00.V01.03',
        model: model.psu,
        iin: '8718',
        vin: '22400',
        fan_speed: '6976',
        version: '-1',
        serial_no: psuSerial(device),
        vendor: '7',
      });
    case 'get_error_code':
      return { reply: errorList(device, model, facts) };
    default:
      return undefined;
  }
}

const ok = (device: SimDevice, msg: object): Said => ({ reply: flat(device, 'S', 131, msg) });

const POWER_MODES = { sleep: 'Normal', low: 'Low', normal: 'Normal', high: 'High' } as const;

function errorList(device: SimDevice, model: WhatsminerModel, facts: WhatsminerFacts): object | string {
  const list = facts.errorCodes.map((code) => ({ [code]: stamp(device) }));
  const reply = flat(device, 'S', 131, { error_code: list });
  if (!model.hasBrokenErrors || list.length === 0) return reply;
  const pairs = facts.errorCodes.map((code) => `"${code}":"${stamp(device)}"`).join(',');
  return JSON.stringify(reply).replace(JSON.stringify(list), `[${pairs}]`);
}

function minerInfo(device: SimDevice): object {
  return {
    ip: device.ip,
    proto: 'dhcp',
    netmask: '255.255.255.0',
    gateway: '127.0.0.1',
    dns: '127.0.0.1',
    hostname: device.settings.hostname,
    mac: device.mac,
    ledstat: device.settings.isLightOn ? 'manual' : 'auto',
    gateway_mac: '',
    minersn: whatsminerSerial(device),
    powersn: psuSerial(device),
    upfreq_speed: '0',
  };
}

function summary(device: SimDevice, model: WhatsminerModel, facts: WhatsminerFacts): object {
  const averageMhs = facts.averageGhs * 1_000;
  const mhs = facts.ghs * 1_000;
  const { accepted, rejected, stale, difficulty } = facts.shares;
  return {
    Elapsed: device.uptimeS(),
    'MHS av': averageMhs,
    'MHS 5s': mhs,
    'MHS 1m': averageMhs,
    'MHS 5m': averageMhs,
    'MHS 15m': averageMhs,
    'HS RT': mhs,
    Accepted: accepted,
    Rejected: rejected,
    'Total MH': averageMhs * device.uptimeS(),
    Temperature: facts.boardC,
    freq_avg: model.frequencyMhz,
    'Fan Speed In': facts.fanIn,
    'Fan Speed Out': facts.fanOut,
    Power: facts.body.powerW,
    'Power Rate': facts.ghs > 0 ? Math.round((facts.body.powerW / facts.ghs) * 100_000) / 100 : 0,
    'Pool Rejected%': 0.3,
    'Pool Stale%': 0,
    'Last getwork': 0,
    Uptime: device.systemUptimeS(),
    'Security Mode': 0,
    'Hash Stable': true,
    'Hash Stable Cost Seconds': 1_538,
    'Hash Deviation%': 0.1061,
    'Target Freq': model.frequencyMhz,
    'Target MHS': facts.factoryGhs * 1_000,
    'Env Temp': facts.body.inletC,
    'Power Mode': POWER_MODES[device.settings.mode],
    'Factory GHS': facts.factoryGhs,
    'Power Limit': device.settings.powerLimitW,
    'Chip Temp Min': facts.chipMinC,
    'Chip Temp Max': facts.chipMaxC,
    'Chip Temp Avg': facts.chipAvgC,
    'Btminer Fast Boot': 'disable',
    'Power Fanspeed': 6_976,
    Power_RT: facts.body.powerW + 10,
    Voltage: 1_180,
    'Liquid Cooling': false,
    'CB Platform': 'ALLWINNER_H616',
    'CB Version': 'V10',
    MAC: device.mac,
    'Firmware Version': `'${firmwareOf(device, model)}'`,
    'Difficulty Accepted': accepted * difficulty,
    'Difficulty Rejected': rejected * difficulty,
    'Difficulty Stale': stale * difficulty,
  };
}

function devs(device: SimDevice, model: WhatsminerModel, facts: WhatsminerFacts): object[] {
  return facts.boards.map((board) => {
    const mhs = board.ghs * 1_000;
    return {
      ASC: board.slot,
      Name: 'SM',
      ID: board.slot,
      Slot: board.slot,
      Enabled: 'Y',
      Status: board.isDead ? 'Dead' : 'Alive',
      Temperature: board.boardC,
      ...(board.isDead ? {} : { 'Chip Frequency': model.frequencyMhz }),
      'MHS av': mhs,
      'MHS 5s': mhs,
      'MHS 1m': mhs,
      'MHS 5m': mhs,
      'MHS 15m': mhs,
      'HS RT': mhs,
      'Factory GHS': Math.round(facts.factoryGhs / facts.boards.length),
      'Upfreq Complete': mhs > 0 ? 1 : 0,
      'Effective Chips': board.chips,
      'PCB SN': board.serial,
      'Chip Data': 'K8EC374-2426 BINVE6-197806A',
      'Chip Temp Min': board.chipMinC,
      'Chip Temp Max': board.chipMaxC,
      'Chip Temp Avg': board.chipAvgC,
      chip_vol_diff: 6,
      'Hardware Errors': board.hwErrors,
      'Device Elapsed': device.uptimeS(),
    };
  });
}

function pools(device: SimDevice, facts: WhatsminerFacts): object[] {
  return device.settings.pools.map((pool, index) => {
    const { isAlive, isActive, hasShares } = device.poolState(index);
    const { accepted, rejected, stale, difficulty } = hasShares
      ? facts.shares
      : { accepted: 0, rejected: 0, stale: 0, difficulty: 0 };
    return {
      POOL: index + 1,
      URL: pool.url,
      Status: isAlive ? 'Alive' : 'Dead',
      Priority: index,
      Quota: 1,
      'Long Poll': 'N',
      Getworks: accepted,
      Accepted: accepted,
      Rejected: rejected,
      Works: accepted * 20,
      Discarded: 0,
      Stale: stale,
      'Get Failures': 0,
      'Remote Failures': 0,
      User: pool.user,
      'Last Share Time': Math.floor(device.nowS()) - 3,
      'Stratum Active': isActive,
      'Stratum Difficulty': difficulty,
      'Pool Rejected%': 0.3,
      'Pool Stale%': 0,
      'Bad Work': 0,
      'Current Block Height': 0,
      'Difficulty Accepted': accepted * difficulty,
      'Difficulty Rejected': rejected * difficulty,
      'Difficulty Stale': stale * difficulty,
      'Last Share Difficulty': difficulty,
    };
  });
}
