// What we change on LuxOS (atlas 7): reboot, light, sleep and profile, and its own update, within a session; pools without one.
import { z } from 'zod';
import { PeerError } from '../../src/base/errors.ts';
import type { Ability, AbilityName, ActResult } from '../../src/driver/contract.ts';
import { list, text } from '../../src/driver/fields.ts';
import { beforeAct, orLostReply } from '../_families/lost-reply.ts';
import { showsPools } from '../_families/pool-params.ts';
import { changePools, luxPoolParams } from './pools.ts';
import { isAsleep, isDefaultProfile } from './read.ts';
import { type Config, configReply, profilesReply } from './replies.ts';
import { DEADLINE_MS, inSession, type Privileged } from './session.ts';

type MinerLink = Parameters<Ability['act']>[0];

const lightParams = z.looseObject({ on: z.boolean() });
const modeParams = z
  .looseObject({
    mode: z.enum(['sleep', 'low', 'normal', 'high']).optional(),
    /** Name of a profile of the device, such as `290MHz`. */
    preset: z
      .string()
      .regex(/^[\w .+-]{1,64}$/)
      .optional(),
  })
  .refine(({ mode, preset }) => (mode === undefined) !== (preset === undefined));

const firmwareParams = z.looseObject({ version: z.string().min(1).max(64) });

export const abilities = {
  reboot: {
    effect: 'once',
    offlineS: [40, 180],
    params: z.looseObject({}),
    act: (link) => inSession(link, 'reboot', (send) => command(send, link.ip, 'reboot', 'rebootdevice')),
  },
  light: {
    effect: 'repeatable',
    offlineS: [0, 0],
    params: lightParams,
    act(link, params) {
      const { on } = lightParams.parse(params);
      const what = 'switch the light of';
      return inSession(link, what, (send) => command(send, link.ip, what, 'ledset', on ? 'red,blink' : 'red,auto'));
    },
    shows: ({ isLightOn }, params) =>
      isLightOn === undefined ? undefined : isLightOn === lightParams.safeParse(params).data?.on,
  },
  powerMode: {
    effect: 'repeatable',
    offlineS: [0, 60],
    params: modeParams,
    async act(link, params) {
      const { mode, preset } = modeParams.parse(params);
      if (mode === 'low' || mode === 'high') {
        const cause = new Error('LuxOS has profiles, named in its own words, and no such mode');
        const what = `set the mode of ${link.ip} to ${mode}`;
        throw new PeerError('peer.unsupported', what, 'never', cause, { wasSent: false });
      }
      return mode === 'sleep' ? sleep(link) : setProfile(link, preset ?? 'default');
    },
    shows({ miningMode, miningModePreset }, params) {
      const { mode, preset } = modeParams.safeParse(params).data ?? {};
      if (miningMode === undefined && miningModePreset === undefined) return undefined;
      if (preset === undefined) return miningMode === mode;
      return miningModePreset === preset && miningMode !== 'sleep';
    },
    shownWithinS: 120,
  },
  pools: {
    effect: 'once',
    offlineS: [0, 0],
    params: luxPoolParams,
    act: (link, params) => changePools(link, luxPoolParams.parse(params).pools),
    shows: showsPools,
  },
  /** The miner fetches it itself, from the source that its owner has set: the file of the task stays here, its version says what is wanted. */
  firmware: {
    effect: 'once',
    offlineS: [30, 900],
    params: firmwareParams,
    act: (link) => inSession(link, 'update', (send) => command(send, link.ip, 'update', 'updaterun')),
    shows({ firmwareVersion }, params) {
      const wanted = firmwareParams.safeParse(params).data?.version;
      if (wanted === undefined || firmwareVersion === undefined) return undefined;
      // `2025.4.8` is the release of the build `2025.4.8.220305`.
      return firmwareVersion === wanted || firmwareVersion.startsWith(`${wanted}.`);
    },
    shownWithinS: 900,
    fetchesItself: 'from-own-source',
  },
} as const satisfies Partial<Record<AbilityName, Ability>>;

const sleep = (link: MinerLink): Promise<ActResult> =>
  inSession(link, 'suspend', (send) => command(send, link.ip, 'suspend', 'curtail', 'sleep'));

/** Wakes the machine, and changes its profile if that is another one. The firmware may move it again while its own thermal control is on. */
async function setProfile(link: MinerLink, profile: string): Promise<ActResult> {
  const what = 'set the profile of';
  const config = await beforeAct(link, what, () => readConfig(link));
  const isSet = profile === 'default' ? isDefaultProfile(config) : config?.Profile === profile;
  const steps = [
    ...(isAsleep(config) === true ? [['curtail', 'wakeup'] as const] : []),
    ...(isSet ? [] : [['profileset', profile] as const]),
  ];
  if (steps.length === 0) return { kind: 'accepted', note: 'it was so already' };
  if (!isSet && profile !== 'default' && !(await beforeAct(link, what, () => mayHaveProfile(link, profile)))) {
    const cause = new Error(`it has no profile '${profile}'`);
    throw new PeerError('peer.unsupported', `${what} ${link.ip}`, 'never', cause, { wasSent: false });
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

/** False only when the device lists its profiles and this is none of them. Without a list the device itself is to judge. */
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

/** One privileged command. A refusal is thrown by the link; an answer that is neither yes nor no means that it may have been done. */
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
