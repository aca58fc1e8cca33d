// What an API 3 write does to the device once its signature is right. Atlas section 4.3.
import type { Buffer } from 'node:buffer';
import type { PoolSetting, SimDevice } from '../_farm/device.ts';
import { versionIn } from '../_farm/image.ts';
import type { Mode } from '../_farm/physics.ts';
import { isRecord } from '../_farm/servers/cgminer-api.ts';
import type { WhatsminerModel } from './farm.data.ts';

export type Done3 = {
  readonly isOk: boolean;
  /** In place of the usual word. */
  readonly msg?: string;
  readonly after?: () => void;
  readonly hangUp?: true;
  readonly onFile?: (file: Buffer) => Done3;
};

const OK: Done3 = { isOk: true };
const WRONG: Done3 = { isOk: false };

/** Undefined = no such command. */
export function obey3(device: SimDevice, model: WhatsminerModel, cmd: string, param: unknown): Done3 | undefined {
  if (device.faults.has('ignores-writes') && cmd !== 'set.system.reboot') {
    return cmd === UPDATE ? { ...OK, msg: 'ready', onFile: () => OK } : OK;
  }
  switch (cmd) {
    case UPDATE:
      return { ...OK, msg: 'ready', onFile: (file) => install(device, file) };
    case 'set.system.reboot':
      if (device.faults.has('ignores-reboot')) return OK;
      // Every second device is gone before it answers.
      return { ...OK, after: () => device.reboot(), ...(device.index % 2 === 1 ? { hangUp: true as const } : {}) };
    case 'set.miner.service':
      return service(device, param);
    case 'set.system.led':
      device.settings.isLightOn = param !== 'auto';
      return param === 'auto' || Array.isArray(param) ? OK : WRONG;
    case model.modeCommand:
      return isMode(param) ? { ...OK, after: () => change(device, param) } : WRONG;
    case 'set.miner.power_limit':
      if (typeof param !== 'number' || param < 500 || param > 20_000) return WRONG;
      device.settings.powerLimitW = param;
      return { ...OK, after: () => device.restart() };
    case CHANGE_PASSWORD:
      return setPassword(device, param);
    case 'set.miner.pools':
      return setPools(device, param);
    case 'set.system.hostname':
      if (typeof param !== 'string' || param === '') return WRONG;
      device.settings.hostname = param;
      return OK;
    default:
      return undefined;
  }
}

export const CHANGE_PASSWORD = 'set.user.change_passwd';

function setPassword(device: SimDevice, param: unknown): Done3 {
  if (!isRecord(param) || param.account !== device.login?.user || typeof param.new !== 'string') return WRONG;
  if (param.old !== device.login?.password) return { ...WRONG, msg: 'old passwd error' };
  device.logins.change(param.new);
  return device.logins.losesReply ? { ...OK, hangUp: true } : OK;
}

const UPDATE = 'set.system.update_firmware';

function install(device: SimDevice, file: Buffer): Done3 {
  const version = versionIn(file);
  if (version === undefined) return WRONG;
  return {
    ...OK,
    after() {
      device.settings.firmware = version;
      device.reboot();
    },
  };
}

function isMode(param: unknown): param is Exclude<Mode, 'sleep'> {
  return param === 'low' || param === 'normal' || param === 'high';
}

function service(device: SimDevice, param: unknown): Done3 {
  switch (param) {
    case 'restart':
      return { ...OK, after: () => device.restart() };
    case 'stop':
    case 'disable':
      device.setMode('sleep');
      return OK;
    case 'start':
    case 'enable':
      return { ...OK, after: () => change(device, 'normal') };
    default:
      return WRONG;
  }
}

function change(device: SimDevice, mode: Mode): void {
  device.setMode(mode);
  device.restart();
}

function setPools(device: SimDevice, param: unknown): Done3 {
  if (!Array.isArray(param)) return WRONG;
  const pools: PoolSetting[] = [];
  for (const entry of param) {
    if (!isRecord(entry)) return WRONG;
    const { pool, worker, passwd } = entry;
    if (typeof pool !== 'string' || typeof worker !== 'string' || typeof passwd !== 'string') return WRONG;
    if (pool !== '') pools.push({ url: pool, user: worker, pass: passwd });
  }
  device.settings.pools = pools;
  return { ...OK, after: () => device.restart() };
}
