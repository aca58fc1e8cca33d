// What an API 2 write does to the device once its token is right. Atlas section 4.2.
import { Buffer } from 'node:buffer';
import type { PoolSetting, SimDevice } from '../_farm/device.ts';
import { versionIn } from '../_farm/image.ts';
import type { Mode } from '../_farm/physics.ts';
import type { WhatsminerModel } from './farm.data.ts';
import { packedLogs } from './farm-facts.ts';

export type Done = {
  readonly code: number;
  readonly msg: string | object;
  readonly after?: () => void;
  readonly hangUp?: true;
  readonly tail?: Buffer;
  readonly onFile?: (file: Buffer) => Done;
};

const OK: Done = { code: 131, msg: 'API command OK' };
const MODES: Readonly<Record<string, Mode>> = {
  set_low_power: 'low',
  set_normal_power: 'normal',
  set_high_power: 'high',
};

/** Builds before this one have no power limit and keep mining at the old pools until the process restarts. */
const isOld = ({ apiVersion }: WhatsminerModel) => apiVersion === '2.0.4';

/** What it does with each order. */
export function ordersOf(device: SimDevice, model: WhatsminerModel): (request: Request) => Done {
  // Pools that an old build has taken and not begun to use.
  let stored: readonly PoolSetting[] | undefined;
  return (request) => {
    if (device.faults.has('ignores-writes')) return obey(device, model, request);
    switch (request.cmd) {
      case 'update_pwd':
        return setPassword(device, request.old, request.new);
      case 'update_pools': {
        const pools = poolsOf(request);
        if (typeof pools === 'string') return { code: 132, msg: pools };
        if (isOld(model)) {
          stored = pools;
          return OK;
        }
        device.settings.pools = pools;
        return { ...OK, after: () => device.restart() };
      }
      case 'restart_btminer':
        device.settings.pools = stored ?? device.settings.pools;
        stored = undefined;
        return { ...OK, after: () => device.restart() };
      default:
        return obey(device, model, request);
    }
  };
}

type Request = Readonly<Record<string, unknown>>;

function obey(device: SimDevice, model: WhatsminerModel, request: Request): Done {
  const cmd = typeof request.cmd === 'string' ? request.cmd : String(request.command ?? '');
  if (device.faults.has('ignores-writes') && cmd !== 'reboot' && cmd !== 'download_logs') {
    return cmd === 'update_firmware' ? { ...OK, msg: 'ready', onFile: () => OK } : OK;
  }
  const mode = MODES[cmd];
  if (mode) {
    if (device.settings.mode === 'sleep') return { code: 132, msg: 'power mode not changed: miner is off' };
    // Every second device keeps silent about it, though it obeys.
    return { ...OK, ...quiet(device), after: () => change(device, mode) };
  }
  switch (cmd) {
    case 'reboot':
      return device.faults.has('ignores-reboot') ? OK : { ...OK, ...quiet(device), after: () => device.reboot() };
    case 'download_logs': {
      const tail = packedLogs(device, model);
      return { ...OK, msg: { logfilelen: tail.length }, tail };
    }
    case 'update_firmware':
      return { ...OK, msg: 'ready', onFile: (file) => install(device, file) };
    case 'power_off':
      device.setMode('sleep');
      return OK;
    case 'power_on':
      return { ...OK, after: () => change(device, 'normal') };
    case 'set_led':
      device.settings.isLightOn = request.param !== 'auto';
      return OK;
    case 'adjust_power_limit':
      return isOld(model) ? UNKNOWN : setPowerLimit(device, request.power_limit);
    case 'set_hostname':
      if (typeof request.hostname !== 'string') return { code: 132, msg: 'invalid hostname' };
      device.settings.hostname = request.hostname;
      return OK;
    default:
      return UNKNOWN;
  }
}

const UNKNOWN: Done = { code: 14, msg: 'invalid command' };

function install(device: SimDevice, file: Buffer): Done {
  const version = versionIn(file);
  if (version === undefined) return { code: 132, msg: 'firmware image is not valid' };
  return {
    ...OK,
    after() {
      device.settings.firmware = version;
      device.reboot();
    },
  };
}

const MOST_BYTES = 8;

/** The tokens of before end with it: they are made of the password. */
export function setPassword(device: SimDevice, old: unknown, wanted: unknown): Done {
  if (old !== device.login?.password) return { code: 132, msg: 'old password error' };
  if (typeof wanted !== 'string' || wanted === '' || Buffer.byteLength(wanted) > MOST_BYTES)
    return { code: 132, msg: 'password length error' };
  device.logins.change(wanted);
  return device.logins.losesReply ? { ...OK, hangUp: true } : OK;
}

const quiet = (device: SimDevice): { readonly hangUp?: true } => (device.index % 2 === 1 ? { hangUp: true } : {});

function change(device: SimDevice, mode: Mode): void {
  device.setMode(mode);
  device.restart();
}

function setPowerLimit(device: SimDevice, value: unknown): Done {
  const limitW = typeof value === 'string' ? Number(value) : Number.NaN;
  if (!(limitW >= 500 && limitW <= 9_999)) return { code: 132, msg: 'power limit out of range' };
  device.settings.powerLimitW = limitW;
  return { ...OK, after: () => device.restart() };
}

/** Or what is wrong with them. */
function poolsOf(request: Request): readonly PoolSetting[] | string {
  const pools: PoolSetting[] = [];
  for (const number of [1, 2, 3]) {
    const url = request[`pool${number}`];
    const user = request[`worker${number}`];
    const pass = request[`passwd${number}`];
    if (typeof url !== 'string' || typeof user !== 'string' || typeof pass !== 'string') {
      return `pool${number}: missing parameter`;
    }
    if (url !== '') pools.push({ url, user, pass });
  }
  return pools;
}
