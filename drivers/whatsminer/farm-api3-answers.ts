// The reads of Whatsminer API 3: device information and miner status, with the odd texts-for-numbers of the firmware.
// Atlas section 4.3.
import type { SimDevice } from '../_farm/device.ts';
import type { WhatsminerModel } from './farm.data.ts';
import { firmwareOf, psuSerial, stamp, type WhatsminerFacts, whatsminerFacts, whatsminerSerial } from './farm-facts.ts';

const MODE_TEXT = { sleep: '1', low: '0', normal: '1', high: '2' } as const;

/** `param` names one section; null, absent or unknown gives all. */
export function deviceInfo(device: SimDevice, model: WhatsminerModel, salt: string, param: unknown): object {
  const facts = whatsminerFacts(device, model);
  const all: Record<string, unknown> = {
    network: {
      ip: device.ip,
      proto: 'dhcp',
      netmask: '255.255.255.0',
      dns: '127.0.0.1',
      mac: device.mac,
      gateway: '127.0.0.1',
      hostname: device.settings.hostname,
    },
    miner: minerSection(device, model, facts),
    system: {
      api: model.apiVersion,
      platform: model.platform,
      fwversion: firmwareOf(device, model),
      'control-board-version': 'CB6V10',
      ledstatus: device.settings.isLightOn ? 'manual' : 'auto',
      apiswitch: device.faults.has('write-api-off') ? '0' : '1',
    },
    power: {
      type: model.psu,
      mode: MODE_TEXT[device.settings.mode],
      hwversion: 'RT0159',
      swversion: '230224.220429',
      model: model.psu,
      sn: psuSerial(device),
      vendor: '1',
      fanspeed: 6_344,
    },
    salt,
    'error-code': facts.errorCodes.map((code) => ({ [code]: stamp(device), reason: 'see the manual' })),
  };
  return typeof param === 'string' && param in all ? { [param]: all[param] } : all;
}

function minerSection(device: SimDevice, model: WhatsminerModel, facts: WhatsminerFacts): object {
  const section: Record<string, unknown> = {
    working: String(!facts.isAsleep),
    type: model.reportedAs,
    'hash-board': 'K40',
    'detect-hash-rate': facts.boards.map(() => Math.round(facts.factoryGhs / facts.boards.length)).join(':'),
    'miner-sn': whatsminerSerial(device),
    'board-num': String(facts.boards.length),
    'pool-strategy': 'FAILOVER',
    'hash-percent': '0',
    'fast-boot': 'disable',
    'heat-mode': 'normal',
  };
  for (const board of facts.boards) {
    section[`pcbsn${board.slot}`] = board.serial;
    section[`chipdata${board.slot}`] = 'K8EC374-2426 BINVE6-197806A';
  }
  return section;
}

/** One section, or several joined with `+`; undefined when a name is not known. */
export function minerStatus(device: SimDevice, model: WhatsminerModel, param: unknown): object | undefined {
  if (typeof param !== 'string') return undefined;
  const facts = whatsminerFacts(device, model);
  const status: Record<string, unknown> = {};
  for (const name of param.split('+')) {
    switch (name) {
      case 'summary':
        status.summary = summary(device, model, facts);
        break;
      case 'edevs':
        status.edevs = edevs(model, facts);
        break;
      case 'pools':
        status.pools = pools(device);
        break;
      default:
        return undefined;
    }
  }
  return status;
}

const ths = (ghs: number) => ghs / 1_000;

function summary(device: SimDevice, model: WhatsminerModel, facts: WhatsminerFacts): object {
  return {
    elapsed: device.uptimeS(),
    'bootup-time': 1_323,
    'freq-avg': model.frequencyMhz,
    'target-freq': model.frequencyMhz,
    'factory-hash': ths(facts.factoryGhs),
    'hash-average': ths(facts.averageGhs),
    'hash-1min': ths(facts.averageGhs),
    'hash-15min': ths(facts.averageGhs),
    'hash-realtime': ths(facts.ghs),
    'power-rate': facts.ghs > 0 ? Math.round((facts.body.powerW / facts.ghs) * 100_000) / 100 : 0,
    'power-5min': facts.body.powerW - 12,
    'power-realtime': facts.body.powerW,
    'power-limit': device.settings.powerLimitW,
    'environment-temperature': facts.body.inletC,
    'board-temperature': facts.boards.map((board) => board.boardC),
    'chip-temp-min': facts.chipMinC,
    'chip-temp-avg': facts.chipAvgC,
    'chip-temp-max': facts.chipMaxC,
    'fan-speed-in': facts.fanIn,
    'fan-speed-out': facts.fanOut,
    'up-freq-finish': facts.ghs > 0 ? 1 : 0,
    Debug: '',
  };
}

function edevs(model: WhatsminerModel, facts: WhatsminerFacts): object[] {
  return facts.boards.map((board) => ({
    id: board.slot,
    slot: board.slot,
    'hash-average': ths(board.ghs),
    'hash-realtime': ths(board.ghs),
    'factory-hash': ths(Math.round(facts.factoryGhs / facts.boards.length)),
    'effective-chips': board.chips,
    ...(board.isDead ? {} : { freq: model.frequencyMhz }),
    'chip-temp-min': board.chipMinC,
    'chip-temp-avg': board.chipAvgC,
    'chip-temp-max': board.chipMaxC,
    status: board.isDead ? 'dead' : 'alive',
  }));
}

function pools(device: SimDevice): object[] {
  return device.settings.pools.map((pool, index) => ({
    id: index + 1,
    url: pool.url,
    account: pool.user,
    status: device.poolState(index).isAlive ? 'alive' : 'dead',
    'stratum-active': device.poolState(index).isActive,
    'pool-priority': index,
    'reject-rate': 0.3,
    'last-share-time': Math.floor(device.nowS()) - 3,
  }));
}
