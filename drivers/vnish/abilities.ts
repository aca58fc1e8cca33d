// What we change on VNish (atlas 8): reboot, light, sleep and preset, pools, firmware; and its log. What may toggle is looked at first.
import { z } from 'zod';
import { PeerError } from '../../src/base/errors.ts';
import type { Ability, AbilityName, ActResult } from '../../src/driver/contract.ts';
import { beforeAct, orLostReply } from '../_families/lost-reply.ts';
import { poolParams, showsPools, type WantedPool } from '../_families/pool-params.ts';
import type { MinerLink } from '../_families/web-session.ts';
import { isAsleep } from './read.ts';
import { statusReply } from './replies.ts';
import { open, sendLoggedIn } from './requests.ts';
import { changeSettings, mayHavePreset, readSettings } from './settings.ts';

const DEADLINE_MS = 15_000;
const UPLOAD_MS = 30 * 60_000;
const MAX_LOG_BYTES = 1024 * 1024;
const ACCEPTED = { kind: 'accepted' } as const satisfies ActResult;

const lightParams = z.looseObject({ on: z.boolean() });
const firmwareParams = z.looseObject({ version: z.string().optional() });
const modeParams = z
  .looseObject({
    mode: z.enum(['sleep', 'low', 'normal', 'high']).optional(),
    /** Name of a preset of the device, such as `3495`, or `disabled`. */
    preset: z.string().min(1).max(64).optional(),
  })
  .refine(({ mode, preset }) => (mode === undefined) !== (preset === undefined));

export const abilities = {
  reboot: {
    effect: 'once',
    offlineS: [40, 180],
    params: z.looseObject({}),
    act: (link) => post(link, 'system/reboot'),
  },
  light: {
    effect: 'repeatable',
    offlineS: [0, 0],
    params: lightParams,
    async act(link, params) {
      const { on } = lightParams.parse(params);
      // Both words may turn the light over rather than set it.
      if ((await statusOf(link, 'switch the light of')).find_miner === on)
        return { ...ACCEPTED, note: 'it was so already' };
      try {
        return await post(link, 'find-miner', { on });
      } catch (error) {
        if (!(error instanceof PeerError) || error.code !== 'peer.unsupported') throw error;
        return post(link, 'locate-miner', { is_enabled: on });
      }
    },
    shows: ({ isLightOn }, params) =>
      isLightOn === undefined ? undefined : isLightOn === lightParams.safeParse(params).data?.on,
  },
  powerMode: {
    effect: 'repeatable',
    offlineS: [0, 0],
    params: modeParams,
    act(link, params) {
      const { mode, preset } = modeParams.parse(params);
      if (preset !== undefined) return setPreset(link, preset);
      if (mode === 'sleep' || mode === 'normal') return setAwake(link, mode === 'normal');
      const cause = new Error('VNish has presets, named in its own words, and no such mode');
      throw new PeerError('peer.unsupported', `set the mode ${mode} on ${link.ip}`, 'never', cause);
    },
    shows({ miningMode, miningModePreset, isMining }, params) {
      const { mode, preset } = modeParams.safeParse(params).data ?? {};
      if (preset !== undefined) return miningModePreset === undefined ? undefined : miningModePreset === preset;
      if (isMining === undefined) return undefined;
      return (miningMode === 'sleep') === (mode === 'sleep');
    },
    shownWithinS: 120,
  },
  pools: {
    effect: 'once',
    offlineS: [0, 0],
    params: poolParams,
    act: (link, params) => changePools(link, poolParams.parse(params).pools),
    /** A name that the device hides proves nothing. */
    shows: (reading, params) =>
      reading.pools?.some(({ user }) => user === '') ? undefined : showsPools(reading, params),
    shownWithinS: 120,
  },
  firmware: {
    effect: 'once',
    offlineS: [60, 900],
    params: firmwareParams,
    act(link, _params, _known, image) {
      if (image === undefined || image.bytes.size === 0) {
        const what = `update ${link.ip} without an image`;
        throw new PeerError('peer.unsupported', what, 'never', undefined, { wasSent: false });
      }
      const upload = {
        fields: { keep_settings: 'true' },
        file: { field: 'file', name: image.name, bytes: image.bytes },
      };
      return orLostReply(async () => {
        await sendLoggedIn(
          link,
          { method: 'POST', path: 'firmware/update', upload, as: 'text' },
          { deadlineMs: UPLOAD_MS },
        );
        return ACCEPTED;
      });
    },
    shows({ firmwareVersion }, params) {
      const wanted = firmwareParams.safeParse(params).data?.version;
      return wanted === undefined || firmwareVersion === undefined ? undefined : firmwareVersion === wanted;
    },
    shownWithinS: 900,
  },
  log: {
    effect: 'read-only',
    offlineS: [0, 0],
    params: z.looseObject({}),
    act: async (link) => ({ ...ACCEPTED, log: String(await readLog(link)) }),
  },
} as const satisfies Readonly<Partial<Record<AbilityName, Ability>>>;

const post = (link: MinerLink, path: string, json?: unknown): Promise<ActResult> =>
  orLostReply(async () => {
    const web = { method: 'POST', path, as: 'text', ...(json !== undefined && { json }) } as const;
    await sendLoggedIn(link, web, { deadlineMs: DEADLINE_MS });
    return ACCEPTED;
  });

/** Some versions show it to anybody. */
async function readLog(link: MinerLink): Promise<unknown> {
  const limits = { deadlineMs: 60_000, maxBytes: MAX_LOG_BYTES };
  try {
    return await link.send({ ...open('logs/miner'), as: 'text' }, limits);
  } catch (error) {
    if (!(error instanceof PeerError) || error.code !== 'peer.auth') throw error;
    return sendLoggedIn(link, { method: 'GET', path: 'logs/miner', as: 'text' }, limits);
  }
}

const statusOf = (link: MinerLink, what: string) =>
  beforeAct(link, what, async () => {
    const status = statusReply.safeParse(await link.send(open('status'), { deadlineMs: DEADLINE_MS })).data;
    if (status?.miner_state === undefined)
      throw new PeerError('peer.unparsable', `read the state of ${link.ip}`, 'later');
    return status;
  });

async function setAwake(link: MinerLink, isWanted: boolean): Promise<ActResult> {
  const { miner_state: state } = await statusOf(link, isWanted ? 'wake' : 'put to sleep');
  if (isAsleep(state) !== isWanted && state !== 'failure') {
    return { ...ACCEPTED, note: isWanted ? 'it was awake already; its preset stays as it is' : 'it was so already' };
  }
  if (!isWanted) return post(link, 'mining/stop');
  return post(link, state?.toLowerCase() === 'paused' ? 'mining/resume' : 'mining/start');
}

/** The settings of the overclocking go back as they were read, with another preset. */
async function setPreset(link: MinerLink, preset: string): Promise<ActResult> {
  const what = 'set the preset of';
  const { overclock } = await beforeAct(link, what, () => readSettings(link));
  if (overclock === undefined) throw new PeerError('peer.unsupported', `${what} ${link.ip}`, 'never');
  if (overclock.preset === preset) return { ...ACCEPTED, note: 'it was so already' };
  if (!(await beforeAct(link, what, () => mayHavePreset(link, preset)))) {
    const cause = new Error(`it has no preset '${preset}'`);
    throw new PeerError('peer.unsupported', `${what} ${link.ip}`, 'never', cause, { wasSent: false });
  }
  return changeSettings(link, what, { miner: { overclock: { ...overclock, preset } } }, async () => {
    const set = (await readSettings(link)).overclock?.preset;
    return set === undefined || set === preset;
  });
}

function changePools(link: MinerLink, wanted: readonly WantedPool[]): Promise<ActResult> {
  const what = 'change the pools of';
  const pools = wanted.map(({ url, user, password }, order) => {
    const [, address] = /^stratum\+tcp:\/\/([^\s/:]+:\d{1,5})$/i.exec(url) ?? [];
    if (address === undefined)
      throw new PeerError('peer.unsupported', `set a pool of this kind on ${link.ip}`, 'never');
    return { id: order, order, url: address, user, pass: password };
  });
  return changeSettings(link, what, { miner: { pools } });
}
