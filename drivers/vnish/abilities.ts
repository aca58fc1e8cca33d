// What we change on VNish (atlas 8): reboot, light, sleep and preset, pools, firmware; and its log. What may toggle is
// looked at first.
import { PeerError } from '../../src/base/errors.ts';
import type { Ability, AbilityName, ActResult, MinerLink } from '../../src/driver/contract.ts';
import { beforeAct, orLostReply } from '../../src/driver/kit/act/lost-reply.ts';
import { ACCEPTED, SO_ALREADY, unsupported } from '../../src/driver/kit/act/outcomes.ts';
import { showsPools, type WantedPool } from '../../src/driver/kit/act/pool-params.ts';
import { firmware, light, log, modesAndPresets, pools, reboot } from '../../src/driver/kit/act/usual-abilities.ts';
import { isAsleep } from './read.ts';
import { statusReply } from './replies.ts';
import { open, sendLoggedIn } from './requests.ts';
import { changeSettings, mayHavePreset, readSettings } from './settings.ts';

const DEADLINE_MS = 15_000;
const UPLOAD_MS = 30 * 60_000;
const MAX_LOG_BYTES = 1024 * 1024;

export const abilities = {
  reboot: reboot([40, 180], (link) => post(link, 'system/reboot')),
  light: light(async (link, on) => {
    // Both words may turn the light over rather than set it.
    if ((await statusOf(link, 'switch the light of')).find_miner === on) return SO_ALREADY;
    try {
      return await post(link, 'find-miner', { on });
    } catch (error) {
      if (!(error instanceof PeerError) || error.code !== 'peer.unsupported') throw error;
      return post(link, 'locate-miner', { is_enabled: on });
    }
  }),
  /** A preset is the name of one of the device, such as `3495`, or `disabled`. */
  powerMode: modesAndPresets({
    offlineS: [0, 0],
    async set(link, { mode, preset }) {
      if (preset !== undefined) return setPreset(link, preset);
      if (mode === 'sleep' || mode === 'normal') return setAwake(link, mode === 'normal');
      throw unsupported(link, `set the mode ${mode} on`, 'VNish has presets, named in its own words, and no such mode');
    },
    shows({ miningMode, miningModePreset, isMining }, { mode, preset }) {
      if (preset !== undefined) return miningModePreset === undefined ? undefined : miningModePreset === preset;
      if (isMining === undefined) return undefined;
      return (miningMode === 'sleep') === (mode === 'sleep');
    },
    shownWithinS: 120,
  }),
  pools: pools({
    offlineS: [0, 0],
    set: changePools,
    /** A name that the device hides proves nothing. */
    shows: (reading, params) =>
      reading.pools?.some(({ user }) => user === '') ? undefined : showsPools(reading, params),
    shownWithinS: 120,
  }),
  firmware: firmware({
    offlineS: [60, 900],
    send: (link, { name, bytes }) =>
      orLostReply(async () => {
        const upload = { fields: { keep_settings: 'true' }, file: { field: 'file', name, bytes } };
        const web = { method: 'POST', path: 'firmware/update', upload, as: 'text' } as const;
        await sendLoggedIn(link, web, { deadlineMs: UPLOAD_MS });
        return ACCEPTED;
      }),
  }),
  log: log(async (link) => String(await readLog(link))),
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
    return { ...ACCEPTED, note: isWanted ? 'it was awake already; its preset stays as it is' : SO_ALREADY.note };
  }
  if (!isWanted) return post(link, 'mining/stop');
  return post(link, state?.toLowerCase() === 'paused' ? 'mining/resume' : 'mining/start');
}

/** The settings of the overclocking go back as they were read, with another preset. */
async function setPreset(link: MinerLink, preset: string): Promise<ActResult> {
  const what = 'set the preset of';
  const { overclock } = await beforeAct(link, what, () => readSettings(link));
  if (overclock === undefined) throw unsupported(link, what);
  if (overclock.preset === preset) return SO_ALREADY;
  if (!(await beforeAct(link, what, () => mayHavePreset(link, preset)))) {
    throw unsupported(link, what, `it has no preset '${preset}'`);
  }
  return changeSettings(link, what, { miner: { overclock: { ...overclock, preset } } }, async () => {
    const set = (await readSettings(link)).overclock?.preset;
    return set === undefined || set === preset;
  });
}

async function changePools(link: MinerLink, wanted: readonly WantedPool[]): Promise<ActResult> {
  const what = 'change the pools of';
  const pools = wanted.map(({ url, user, password }, order) => {
    const [, address] = /^stratum\+tcp:\/\/([^\s/:]+:\d{1,5})$/i.exec(url) ?? [];
    if (address === undefined) throw unsupported(link, 'set a pool of this kind on');
    return { id: order, order, url: address, user, pass: password };
  });
  return changeSettings(link, what, { miner: { pools } });
}
