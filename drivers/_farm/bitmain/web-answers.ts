// The JSON of the web API of Antminer stock (generations B and C); generation C says the same on TCP with `new_api`.
// Atlas sections 3.1 to 3.4.
import type { SimDevice } from '../device.ts';
import type { AntminerModel } from './antminer.data.ts';
import { type AntminerFacts, antminerSerial, firmwareOf, MODE_NUMBER } from './facts.ts';
import { confBase, networkOf, pagePools } from './pages.ts';

function head(device: SimDevice, model: AntminerModel, msg: string) {
  return {
    STATUS: { STATUS: 'S', when: Math.floor(device.nowS()), Msg: msg, api_version: '1.0.0' },
    INFO: { miner_version: model.minerVersion, CompileTime: model.compileTime, type: model.reportedAs },
  };
}

const rates = (facts: AntminerFacts) => ({
  elapsed: facts.elapsedS,
  rate_5s: facts.ghs,
  rate_30m: facts.averageGhs,
  rate_avg: facts.averageGhs,
  rate_ideal: facts.idealGhs,
  rate_unit: 'GH/s',
});

export function webSummary(device: SimDevice, model: AntminerModel, facts: AntminerFacts): object {
  return {
    ...head(device, model, 'summary'),
    SUMMARY: [
      {
        ...rates(facts),
        hw_all: facts.boards.reduce((sum, board) => sum + board.hw, 0),
        bestshare: 12_904_207_043,
        status: facts.status,
      },
    ],
  };
}

export function webStats(device: SimDevice, model: AntminerModel, facts: AntminerFacts): object {
  const present = facts.boards.filter((board) => board.isPresent);
  const mode = MODE_NUMBER[device.settings.mode];
  return {
    ...head(device, model, 'stats'),
    STATS: [
      {
        ...rates(facts),
        chain_num: present.length,
        fan_num: facts.fans.length,
        fan: facts.fans,
        hwp_total: 0,
        'miner-mode': mode,
        'freq-level': 100,
        ...(model.generation === 'c' ? { psu: { index: 0, status: facts.isPsuOk ? 'ok' : 'error' } } : {}),
        chain: present.map((board) => ({
          index: board.slot,
          freq_avg: model.frequencyMhz,
          rate_ideal: facts.boardIdealGhs,
          rate_real: board.ghs,
          asic_num: model.chipsPerBoard,
          asic: (facts.ghs > 0 ? ' ooo' : ' xxx').repeat(Math.ceil(model.chipsPerBoard / 3)),
          temp_pic: board.picC,
          temp_pcb: board.pcbC,
          temp_chip: board.chipC,
          hw: board.hw,
          eeprom_loaded: true,
          sn: board.serial,
          hwp: 0,
          tpl: [],
        })),
      },
    ],
  };
}

export function webPools(device: SimDevice, model: AntminerModel, facts: AntminerFacts): object {
  return {
    ...head(device, model, 'pools'),
    POOLS: pagePools(facts.pools),
  };
}

export function systemInfo(device: SimDevice, model: AntminerModel): object {
  const serial = antminerSerial(device, model);
  return {
    minertype: model.reportedAs,
    ...networkOf(device),
    gateway: '',
    dnsservers: '',
    system_mode: 'GNU/Linux',
    system_kernel_version: `Linux 4.9.113 #1 SMP PREEMPT ${model.compileTime}`,
    system_filesystem_version: firmwareOf(device, model),
    firmware_type: 'Release',
    ...(serial === undefined ? {} : { serinum: serial }),
  };
}

export function networkInfo(device: SimDevice): object {
  return {
    nettype: 'DHCP',
    netdevice: 'eth0',
    macaddr: device.mac,
    ipaddress: device.ip,
    netmask: '255.255.255.0',
    conf_nettype: 'DHCP',
    conf_hostname: device.settings.hostname,
    conf_ipaddress: '',
    conf_netmask: '',
    conf_gateway: '',
    conf_dnsservers: '',
  };
}

/** The mode is a number on B and a text on C. */
export function minerConf(device: SimDevice, model: AntminerModel, facts: AntminerFacts): object {
  const number = MODE_NUMBER[device.settings.mode];
  const mode = model.generation === 'c' ? String(number) : number;
  return {
    ...confBase(facts.pools),
    'bitmain-fan-ctrl': false,
    'bitmain-fan-pwm': '100',
    'bitmain-freq': String(model.frequencyMhz),
    'bitmain-voltage': '1280',
    'bitmain-ccdelay': '0',
    'bitmain-pwth': '0',
    'bitmain-work-mode': mode,
    'bitmain-freq-level': '100',
    ...(model.generation === 'c' ? { 'miner-mode': mode } : {}),
  };
}
