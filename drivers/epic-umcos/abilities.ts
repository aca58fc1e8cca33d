// What we change on ePIC firmware (atlas 9): reboot, light, sleep and tuning target, pools, firmware; and its log.
import { z } from 'zod';
import { PeerError } from '../../src/base/errors.ts';
import type { Ability, AbilityName, ActResult, FirmwareImage } from '../../src/driver/contract.ts';
import { showsVersionIn } from '../_families/firmware-version.ts';
import { beforeAct } from '../_families/lost-reply.ts';
import { poolParams, showsPools, type WantedPool } from '../_families/pool-params.ts';
import { parseTarget, sameTarget, type Target } from '../_families/target-preset.ts';
import type { MinerLink } from '../_families/web-session.ts';
import { capabilitiesReply, type Summary, summaryReply } from './replies.ts';
import { order, resource, uploadTo } from './requests.ts';
import { tuningOf } from './tuning.ts';

const DEADLINE_MS = 10_000;
const UPLOAD_MS = 30 * 60_000;
const MAX_LOG_BYTES = 1024 * 1024;

const lightParams = z.looseObject({ on: z.boolean() });
const firmwareParams = z.looseObject({ version: z.string().optional() });
const epicPoolParams = poolParams.refine(({ pools }) => pools.length <= 3);
const modeParams = z
  .looseObject({
    mode: z.enum(['sleep', 'low', 'normal', 'high']).optional(),
    /** A target of the tuner: `120 TH/s`, `3000 W`. */
    preset: z.string().min(1).max(64).optional(),
  })
  .refine(({ mode, preset }) => (mode === undefined) !== (preset === undefined));

export const abilities = {
  reboot: {
    effect: 'once',
    offlineS: [40, 180],
    params: z.looseObject({}),
    act: (link) => order(link, 'reboot', '0'),
  },
  light: {
    effect: 'repeatable',
    offlineS: [0, 0],
    params: lightParams,
    act: async (link, params) => order(link, 'identify', lightParams.parse(params).on),
    shows: ({ isLightOn }, params) =>
      isLightOn === undefined ? undefined : isLightOn === lightParams.safeParse(params).data?.on,
  },
  powerMode: {
    effect: 'repeatable',
    offlineS: [0, 0],
    params: modeParams,
    async act(link, params) {
      const { mode, preset } = modeParams.parse(params);
      if (mode === 'sleep') return order(link, 'miner', 'Stop');
      // It wakes as it was tuned.
      if (mode === 'normal') return order(link, 'miner', 'Autostart');
      const target = parseTarget(preset ?? '');
      if (target === undefined)
        throw new PeerError('peer.unsupported', `set the mode '${mode ?? preset}' on ${link.ip}`, 'never');
      return setTarget(link, target);
    },
    shows({ miningMode, miningModePreset, isMining }, params) {
      const { mode, preset } = modeParams.safeParse(params).data ?? {};
      if (preset !== undefined) return miningMode === undefined ? undefined : sameTarget(miningModePreset, preset);
      if (mode === 'sleep') return isMining === undefined ? undefined : miningMode === 'sleep' || !isMining;
      return isMining === undefined ? undefined : miningMode !== 'sleep' && miningMode !== undefined;
    },
    shownWithinS: 180,
  },
  pools: {
    effect: 'once',
    offlineS: [0, 0],
    params: epicPoolParams,
    act: (link, params) => changePools(link, epicPoolParams.parse(params).pools),
    shows: showsPools,
    shownWithinS: 120,
  },
  firmware: {
    effect: 'once',
    offlineS: [60, 900],
    params: firmwareParams,
    act: (link, _params, _known, image) => update(link, image),
    shows: ({ firmwareVersion }, params) =>
      showsVersionIn(firmwareVersion, firmwareParams.safeParse(params).data?.version),
    shownWithinS: 900,
  },
  log: {
    effect: 'read-only',
    offlineS: [0, 0],
    params: z.looseObject({}),
    async act(link) {
      const request = { ...resource('log'), as: 'text' } as const;
      const text = await link.send(request, { deadlineMs: 60_000, maxBytes: MAX_LOG_BYTES });
      return { kind: 'accepted', log: String(text) };
    },
  },
} as const satisfies Readonly<Partial<Record<AbilityName, Ability>>>;

const summaryOf = (link: MinerLink, what: string): Promise<Summary> =>
  beforeAct(link, what, async () => {
    const summary = summaryReply.safeParse(await link.send(resource('summary'), { deadlineMs: DEADLINE_MS })).data;
    if (summary === undefined) throw new PeerError('peer.unparsable', `read the state of ${link.ip}`, 'later');
    return summary;
  });

/** The algorithm that is set stays, if its target is of that kind; without one, the first that the firmware offers. */
async function setTarget(link: MinerLink, { value, unit }: Target): Promise<ActResult> {
  const what = `set the target ${value} ${unit} of`;
  const tuning = tuningOf(await summaryOf(link, what));
  const { PerpetualTune: offers = [] } = await beforeAct(
    link,
    what,
    async () =>
      capabilitiesReply.safeParse(await link.send(resource('capabilities'), { deadlineMs: DEADLINE_MS })).data ?? {},
  );
  const name = tuning?.name ?? offers[0]?.algorithm;
  const usual = tuning?.unit ?? 'TH/s';
  const { min = 0, max = Number.POSITIVE_INFINITY } = offers.find(({ algorithm }) => algorithm === name) ?? {};
  if (name === undefined || unit !== usual || value < min || value > max) {
    const cause = new Error('its tuner does not take this target');
    throw new PeerError('peer.unsupported', `${what} ${link.ip}`, 'never', cause, { wasSent: false });
  }
  const set = await order(link, 'perpetualtune/algo', {
    algo: name,
    target: value,
    ...(tuning?.minThrottle !== undefined && { min_throttle: tuning.minThrottle }),
    ...(tuning?.throttleStep !== undefined && { throttle_step: tuning.throttleStep }),
  });
  return set.kind === 'lost-reply' || tuning?.isOn === true ? set : order(link, 'perpetualtune', true);
}

/** Whether workers get an id of the machine added stays as it is. */
async function changePools(link: MinerLink, wanted: readonly WantedPool[]): Promise<ActResult> {
  const { Stratum: stratum } = await summaryOf(link, 'change the pools of');
  return order(link, 'coin', {
    coin: 'BTC',
    stratum_configs: wanted.map(({ url, user, password }) => ({ pool: url, login: user, password })),
    unique_id: stratum?.['Worker Unique Id'] ?? false,
  });
}

/** The file is a zip and starts as one. */
async function update(link: MinerLink, image: FirmwareImage | undefined): Promise<ActResult> {
  const head = image && new Uint8Array(await image.bytes.slice(0, 2).arrayBuffer());
  if (image === undefined || head?.[0] !== 0x50 || head[1] !== 0x4b) {
    const cause = new Error('ePIC firmware comes as a zip file');
    throw new PeerError('peer.unsupported', `update ${link.ip}`, 'never', cause, { wasSent: false });
  }
  const upload = {
    fields: { checksum: image.sha256, keepsettings: 'true' },
    file: { field: 'update.zip', name: 'update.zip', bytes: image.bytes },
  };
  return uploadTo(link, 'systemupdate', upload, UPLOAD_MS);
}
