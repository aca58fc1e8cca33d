// `ascset` of Avalons, A series and home models: what each verb does and how the device words it. Atlas section 5.3.
import type { SimDevice } from '../_farm/device.ts';
import type { Said } from '../_farm/servers/cgminer-api.ts';
import type { AvalonModel } from './farm.data.ts';

type Word = (level: 'S' | 'I' | 'E', code: 45 | 118 | 119 | 120, msg: string) => object;

const VERBS = 'help|led|fan-spd|workmode|reboot|softon|softoff|setpool|password|';
const HOME_VERBS = 'help|voltage|fan-spd|lcd|workmode|worklevel|reboot|softon|softoff|filter-clean|';
const HOME_MODES = ['low', 'normal', 'high'] as const;
/** Times further ahead are refused. */
const MAX_AHEAD_S = 300;

/** `parameter`: `0,<verb>,<rest>`; the rest may hold commas. */
export function ascset(device: SimDevice, { isHome }: AvalonModel, parameter: string, word: Word): Said {
  const [, asc, verb = '', rest = ''] = /^([^,]*),([^,]*)(?:,(.*))?$/.exec(parameter) ?? [];
  const ok = (after?: () => void): Said => ({ reply: word('S', 119, 'ASC 0 set OK'), after });
  const info = (msg: string, after?: () => void): Said => ({
    reply: word('I', 118, `ASC 0 set info: ${msg}`),
    after,
  });
  const failed = (why: string): Said => ({ reply: word('E', 120, `ASC 0 set failed: ${why}`) });
  if (asc !== '0') return failed('Invalid ASC ID');
  if (device.faults.has('write-api-off')) return { reply: word('E', 45, 'Access denied to ascset command') };
  if (device.faults.has('ignores-writes') && verb !== 'reboot' && verb !== 'help') return ok();
  switch (verb) {
    case 'help':
      return info(isHome ? HOME_VERBS : VERBS);
    case 'worklevel':
      return isHome ? workLevel(device, rest, { ok, info, failed }) : failed(`unknown option: ${verb}`);
    case 'led':
      if (isHome) return failed(`unknown option: ${verb}`);
      if (rest !== '1-1' && rest !== '1-0') return failed('invalid value');
      device.settings.isLightOn = rest === '1-1';
      return ok();
    case 'workmode':
      if (rest === '255') return info(`workmode ${workMode(device, isHome)}`);
      return setWorkMode(device, isHome, rest) ? ok(() => device.restart()) : failed('invalid value');
    case 'softoff':
    case 'softon':
      return softSwitch(device, verb, rest, info, failed);
    case 'reboot': {
      const delayS = Number(rest);
      if (!/^\d+$/.test(rest) || delayS > 300) return failed('invalid value');
      if (device.faults.has('ignores-reboot')) return ok();
      return ok(() =>
        device.later(delayS, () => {
          applyPools(device);
          device.reboot();
        }),
      );
    }
    case 'password': {
      const refusal = isHome ? `unknown option: ${verb}` : setPassword(device, rest);
      if (refusal !== undefined) return failed(refusal);
      const done = info('new password success set.');
      return device.logins.losesReply ? { ...done, hangUp: true } : done;
    }
    case 'setpool': {
      const refusal = isHome ? `unknown option: ${verb}` : setPool(device, rest);
      return refusal === undefined ? ok() : failed(refusal);
    }
    default:
      return failed(`unknown option: ${verb}`);
  }
}

/** `1:<unix seconds of the device clock>`: it acts when that time comes, a past time is refused. */
function softSwitch(
  device: SimDevice,
  verb: 'softoff' | 'softon',
  rest: string,
  info: (msg: string, after?: () => void) => Said,
  failed: (why: string) => Said,
): Said {
  const atS = Number(/^1:(\d{1,12})$/.exec(rest)?.[1]);
  const aheadS = atS - Math.floor(device.nowS());
  if (!(aheadS >= 0 && aheadS <= MAX_AHEAD_S)) return failed('invalid time');
  return info(`success ${verb}:${atS}`, () =>
    device.later(aheadS, () => {
      device.setMode(verb === 'softoff' ? 'sleep' : 'normal');
      if (verb === 'softon') device.restart();
    }),
  );
}

type Words = {
  readonly ok: (after?: () => void) => Said;
  readonly info: (msg: string) => Said;
  readonly failed: (why: string) => Said;
};

export function workMode(device: SimDevice, isHome: boolean): number {
  const { mode } = device.settings;
  if (!isHome) return mode === 'high' ? 1 : 0;
  return mode === 'sleep' ? 1 : HOME_MODES.indexOf(mode);
}

/** `1` of the A series, `set,2` of home models. */
function setWorkMode(device: SimDevice, isHome: boolean, rest: string): boolean {
  const digit = (isHome ? /^set,([0-2])$/ : /^([01])$/).exec(rest)?.[1];
  const mode = digit === undefined ? undefined : isHome ? HOME_MODES[Number(digit)] : digit === '1' ? 'high' : 'normal';
  if (mode === undefined) return false;
  // Without a power supply that is on, it is taken for later.
  if (device.settings.mode !== 'sleep') device.setMode(mode);
  return true;
}

/** From -4 to 4, like a thermostat. */
function workLevel(device: SimDevice, rest: string, { ok, info, failed }: Words): Said {
  if (rest === 'get') return info(`worklevel ${device.settings.preset ?? '0'}`);
  const level = /^set,(-?[0-4])$/.exec(rest)?.[1];
  if (level === undefined) return failed('invalid value');
  device.settings.preset = level;
  return ok(() => device.restart());
}

/** `<old>,<new>`. Undefined = taken. */
function setPassword(device: SimDevice, parameter: string): string | undefined {
  const [old, wanted, ...more] = parameter.split(',');
  if (old !== device.login?.password) return 'invalid password';
  if (wanted === undefined || wanted === '' || more.length > 0) return 'invalid value';
  device.logins.change(wanted);
  return undefined;
}

/**
 * `<user>,<password>,<index>,<url>,<worker>,<worker password>`; counts after a reboot. Undefined = taken, else why not.
 * The real thing repeats all that it was told; nothing may log it.
 */
export function setPool(device: SimDevice, parameter: string): string | undefined {
  const [user, password, index, url, worker, pass, ...more] = parameter.split(',');
  const { login } = device;
  if (login === undefined || user !== login.user || password !== login.password) return 'invalid user or password';
  const at = Number(index);
  const isWhole = url?.includes('://') === true && worker !== undefined && pass !== undefined && more.length === 0;
  if (!isWhole || !(at >= 0 && at <= 2)) return `invalid pool: ${parameter}`;
  const places = [...(device.settings.storedPools ?? device.settings.pools)];
  places[Math.min(at, places.length)] = { url, user: worker, pass };
  device.settings.storedPools = places;
  return undefined;
}

function applyPools(device: SimDevice): void {
  device.settings.pools = device.settings.storedPools ?? device.settings.pools;
  device.settings.storedPools = undefined;
}
