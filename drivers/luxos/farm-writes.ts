// What LuxOS does when it is told to: one session per miner, which ends a minute after its last use, and the commands
// that need it. Atlas section 7.
import type { PoolSetting, SimDevice } from '../_farm/device.ts';
import { rollText } from '../_farm/noise.ts';
import type { Said } from '../_farm/servers/cgminer-api.ts';
import type { LuxosModel } from './farm.data.ts';
import { MODES, profileOf } from './farm-facts.ts';

/** One answer: `level` E is a no. */
export type Word = (
  code: number,
  msg: string,
  content?: Readonly<Record<string, unknown>>,
  level?: 'S' | 'E',
) => object;

const SESSION_LIFE_S = 60;
/** What the source of updates has. */
const NEWEST = '2026.3.1.101010';

/** Undefined = not a command that changes anything. */
type LuxosControl = (name: string, parameter: string, word: Word) => Said | undefined;

export function luxosControl(device: SimDevice, model: LuxosModel): LuxosControl {
  let session: { readonly id: string; usedS: number } | undefined;
  let opened = 0;
  let poolInUse: PoolSetting | undefined;
  const active = () => {
    if (session !== undefined && device.nowS() - session.usedS > SESSION_LIFE_S) session = undefined;
    return session;
  };
  return (name, parameter, word) => {
    const isOff = device.faults.has('write-api-off');
    switch (name) {
      case 'logon':
        if (isOff) return { reply: word(45, 'Access denied', {}, 'E') };
        if (active() !== undefined) return { reply: word(402, 'Another session is active', {}, 'E') };
        opened++;
        session = {
          id: rollText('0123456789abcdef', 8, device.site.seed, device.index, 500 + opened),
          usedS: device.nowS(),
        };
        return { reply: word(316, 'Session created', { SESSION: [{ SessionID: session.id }] }) };
      case 'session':
        return { reply: word(322, 'Session information', { SESSION: [{ SessionID: active()?.id ?? '' }] }) };
      case 'addpool':
      case 'removepool':
      case 'switchpool':
        if (isOff) return { reply: word(45, 'Access denied', {}, 'E') };
        if (device.faults.has('ignores-writes')) return { reply: word(55, 'OK') };
        {
          const change = changePools(device, poolInUse, { name, parameter, word });
          poolInUse = change.inUse;
          return { reply: change.reply };
        }
      default: {
        const run = PRIVILEGED[name];
        if (run === undefined) return undefined;
        const [id, ...rest] = parameter.split(',');
        const own = active();
        if (own === undefined || own.id !== id) return { reply: word(401, 'Invalid session id', {}, 'E') };
        own.usedS = device.nowS();
        if (name === 'logoff') {
          session = undefined;
          return { reply: word(315, 'Session terminated') };
        }
        if (name !== 'rebootdevice' && device.faults.has('ignores-writes')) return { reply: word(350, 'OK') };
        const said = run({ device, model, rest, word });
        // No session outlives a restart.
        if (name === 'rebootdevice' || (name === 'updaterun' && said.after)) session = undefined;
        return said;
      }
    }
  };
}

type Order = {
  readonly device: SimDevice;
  readonly model: LuxosModel;
  /** What follows the session id. */
  readonly rest: readonly string[];
  readonly word: Word;
};

const PRIVILEGED: Readonly<Record<string, (order: Order) => Said>> = {
  logoff: ({ word }) => ({ reply: word(315, 'Session terminated') }),
  rebootdevice: ({ device, word }) => ({ reply: word(342, 'Rebooting device'), after: () => device.reboot() }),
  resetminer: ({ device, word }) => ({ reply: word(343, 'Resetting miner'), after: () => device.restart() }),
  ledset({ device, rest: [colour, state], word }) {
    if ((colour !== 'red' && colour !== 'green') || !/^(on|off|blink|auto)$/.test(state ?? '')) return refused(word);
    if (colour === 'red') device.settings.isLightOn = state === 'blink' || state === 'on';
    return { reply: word(352, 'Set LED') };
  },
  /** From the source that is set; what is there is newer than what it came with. */
  updaterun({ device, word }) {
    if (device.settings.firmware === NEWEST) return { reply: word(361, 'Already up to date', {}, 'E') };
    return {
      reply: word(360, 'Update started'),
      after() {
        device.settings.firmware = NEWEST;
        device.reboot();
      },
    };
  },
  curtail({ device, rest: [verb], word }) {
    if (verb !== 'sleep' && verb !== 'wakeup') return refused(word);
    const isAsleep = device.settings.mode === 'sleep';
    if (isAsleep === (verb === 'sleep')) return { reply: word(349, 'Nothing to change') };
    device.setMode(verb === 'sleep' ? 'sleep' : 'normal');
    if (verb === 'wakeup') device.restart();
    return { reply: word(350, verb === 'sleep' ? 'Sleeping' : 'Waking up') };
  },
  profileset({ device, model, rest: [name], word }) {
    const mode = MODES.find((one) => profileOf(model, one).name === name);
    if (mode === undefined) return { reply: word(330, 'Profile not found', {}, 'E') };
    if (device.settings.mode === 'sleep') return { reply: word(331, 'Miner is curtailed', {}, 'E') };
    device.setMode(mode);
    return { reply: word(329, 'Profile set') };
  },
};

const refused = (word: Word): Said => ({ reply: word(325, 'Invalid parameter', {}, 'E') });

/** Ids close up after a removal. Neither the last pool nor the one in use can be removed. */
function changePools(device: SimDevice, inUse: PoolSetting | undefined, order: PoolOrder): PoolChange {
  const { pools } = device.settings;
  const { name, parameter, word } = order;
  const no = (code: number, msg: string) => ({ inUse, reply: word(code, msg, {}, 'E') });
  if (name === 'addpool') {
    const [url, user, pass] = parameter.split(',');
    // The real thing repeats all that it was told; nothing may log it.
    if (!url?.startsWith('stratum') || !user) return no(52, `Invalid addpool details '${parameter}'`);
    device.settings.pools = [...pools, { url, user, pass: pass ?? '' }];
    return { inUse, reply: word(55, `Added pool ${pools.length}: '${url}'`) };
  }
  const at = Number(parameter);
  const pool = /^\d+$/.test(parameter) ? pools[at] : undefined;
  if (pool === undefined) return no(26, `Invalid pool id ${parameter}`);
  if (name === 'switchpool') return { inUse: pool, reply: word(27, `Switching to pool ${at}`) };
  if (pools.length === 1) return no(66, `Cannot remove last pool ${at}`);
  if (pool === (inUse ?? pools[0])) return no(67, `Cannot remove active pool ${at}`);
  device.settings.pools = pools.toSpliced(at, 1);
  return { inUse, reply: word(68, `Removed pool ${at}`) };
}

type PoolOrder = { readonly name: string; readonly parameter: string; readonly word: Word };
type PoolChange = { readonly inUse: PoolSetting | undefined; readonly reply: object };
