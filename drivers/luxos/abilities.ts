// What we change on LuxOS (atlas 7): reboot, light, sleep and profile, and its own update, within a session; pools
// without one.
import { z } from 'zod';
import { PeerError } from '../../src/base/errors.ts';
import type { Ability, AbilityName, ActResult, MinerLink } from '../../src/driver/contract.ts';
import { list, text } from '../../src/driver/fields.ts';
import { beforeAct, orLostReply } from '../../src/driver/kit/act/lost-reply.ts';
import { SO_ALREADY, unsupported } from '../../src/driver/kit/act/outcomes.ts';
import { haveNoComma } from '../../src/driver/kit/act/pool-params.ts';
import { ability, light, modesAndPresets, pools, reboot } from '../../src/driver/kit/act/usual-abilities.ts';
import { changePools } from './pools.ts';
import { isAsleep, isDefaultProfile } from './read.ts';
import { type Config, configReply, profilesReply } from './replies.ts';
import { DEADLINE_MS, inSession, type Privileged } from './session.ts';

export const abilities = {
  reboot: reboot([40, 180], (link) =>
    inSession(link, 'reboot', (send) => command(send, link.ip, 'reboot', 'rebootdevice')),
  ),
  light: light((link, on) => {
    const what = 'switch the light of';
    return inSession(link, what, (send) => command(send, link.ip, what, 'ledset', on ? 'red,blink' : 'red,auto'));
  }),
  /** A preset is the name of a profile of the device, such as `290MHz`. */
  powerMode: modesAndPresets({
    offlineS: [0, 60],
    pattern: /^[\w .+-]+$/,
    async set(link, { mode, preset }) {
      if (mode === 'low' || mode === 'high') {
        const why = 'LuxOS has profiles, named in its own words, and no such mode';
        throw unsupported(link, `set the mode ${mode} on`, why);
      }
      return mode === 'sleep' ? sleep(link) : setProfile(link, preset ?? 'default');
    },
    shows({ miningMode, miningModePreset }, { mode, preset }) {
      if (miningMode === undefined && miningModePreset === undefined) return undefined;
      if (preset === undefined) return miningMode === mode;
      return miningModePreset === preset && miningMode !== 'sleep';
    },
    shownWithinS: 120,
  }),
  pools: pools({ offlineS: [0, 0], takes: haveNoComma, set: changePools }),
  /**
   * The miner fetches it itself, from the source that its owner has set: the file of the task stays here, its version
   * says what is wanted.
   */
  firmware: ability({
    effect: 'once',
    offlineS: [30, 900],
    params: z.looseObject({ version: z.string().min(1).max(64) }),
    act: (link) => inSession(link, 'update', (send) => command(send, link.ip, 'update', 'updaterun')),
    shows({ firmwareVersion }, { version }) {
      if (firmwareVersion === undefined) return undefined;
      // `2025.4.8` is the release of the build `2025.4.8.220305`.
      return firmwareVersion === version || firmwareVersion.startsWith(`${version}.`);
    },
    shownWithinS: 900,
    fetchesItself: 'from-own-source',
  }),
} as const satisfies Partial<Record<AbilityName, Ability>>;

const sleep = (link: MinerLink): Promise<ActResult> =>
  inSession(link, 'suspend', (send) => command(send, link.ip, 'suspend', 'curtail', 'sleep'));

/**
 * Wakes the machine, and changes its profile if that is another one. The firmware may move it again while its own
 * thermal control is on.
 */
async function setProfile(link: MinerLink, profile: string): Promise<ActResult> {
  const what = 'set the profile of';
  const config = await beforeAct(link, what, () => readConfig(link));
  const isSet = profile === 'default' ? isDefaultProfile(config) : config?.Profile === profile;
  const steps = [
    ...(isAsleep(config) === true ? [['curtail', 'wakeup'] as const] : []),
    ...(isSet ? [] : [['profileset', profile] as const]),
  ];
  if (steps.length === 0) return SO_ALREADY;
  if (!isSet && profile !== 'default' && !(await beforeAct(link, what, () => mayHaveProfile(link, profile)))) {
    throw unsupported(link, what, `it has no profile '${profile}'`);
  }
  return inSession(link, what, async (send) => {
    let result: ActResult = { kind: 'accepted' };
    for (const [name, parameter] of steps) {
      result = await command(send, link.ip, what, name, parameter);
      if (result.kind === 'lost-reply') return result;
    }
    return config?.IsAtmEnabled === true && !isSet
      ? { kind: 'accepted', note: 'thermal control (ATM) is on and may move the profile' }
      : result;
  });
}

async function readConfig(link: MinerLink): Promise<Config | undefined> {
  const answer = await link.send({ via: 'cgminer', command: 'config' }, { deadlineMs: DEADLINE_MS });
  return configReply.safeParse(answer).data?.CONFIG?.[0];
}

/**
 * False only when the device lists its profiles and this is none of them. Without a list the device itself is to judge.
 */
async function mayHaveProfile(link: MinerLink, profile: string): Promise<boolean> {
  try {
    const answer = await link.send({ via: 'cgminer', command: 'profiles' }, { deadlineMs: DEADLINE_MS });
    const names = profilesReply.safeParse(answer).data?.PROFILES?.flatMap((row) => row['Profile Name'] ?? []) ?? [];
    return names.length === 0 || names.includes(profile);
  } catch (error) {
    if (error instanceof PeerError && NO_LIST.has(error.code)) return true;
    throw error;
  }
}
const NO_LIST: ReadonlySet<string> = new Set([
  'peer.unsupported',
  'peer.rejected',
  'peer.unparsable',
  'peer.too-large',
]);

const envelope = z.looseObject({ STATUS: list(z.looseObject({ STATUS: text(1), Msg: text(256) }), 1) });

/**
 * One privileged command. A refusal is thrown by the link; an answer that is neither yes nor no means that it may have
 * been done.
 */
async function command(
  send: Privileged,
  ip: string,
  what: string,
  name: string,
  parameter?: string,
): Promise<ActResult> {
  return orLostReply(async () => {
    const row = envelope.safeParse(await send(name, parameter)).data?.STATUS?.[0];
    if (row?.STATUS === undefined) {
      throw new PeerError('peer.unparsable', `${what} ${ip}`, 'later', undefined, { wasSent: true });
    }
    return { kind: 'accepted', ...(row.Msg !== undefined && { note: row.Msg }) };
  });
}
