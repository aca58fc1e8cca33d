// What we change on a Proto rig (atlas 12): reboot, show itself, stop and start, modes and power target, pools, firmware; and its log.
import { z } from 'zod';
import { PeerError } from '../../src/base/errors.ts';
import type { Ability, AbilityName, ActResult } from '../../src/driver/contract.ts';
import { beforeAct, orLostReply } from '../_families/lost-reply.ts';
import { poolParams, showsPools } from '../_families/pool-params.ts';
import { parseTarget, sameTarget } from '../_families/target-preset.ts';
import type { MinerLink } from '../_families/web-session.ts';
import { isStopped } from './read.ts';
import { miningReply, targetReply } from './replies.ts';
import { locked, order } from './requests.ts';

const DEADLINE_MS = 10_000;
const UPLOAD_MS = 30 * 60_000;
const MAX_LOG_BYTES = 1024 * 1024;
const AS_BEFORE = { kind: 'accepted', note: 'it was so already' } as const satisfies ActResult;

const lightParams = z.looseObject({ on: z.boolean() });
const firmwareParams = z.looseObject({ version: z.string().optional() });
const logAnswer = z.looseObject({ logs: z.looseObject({ content: z.array(z.string()) }) });
const rigPoolParams = poolParams.refine(({ pools }) => pools.length <= 3);
const modeParams = z
  .looseObject({
    mode: z.enum(['sleep', 'low', 'normal', 'high']).optional(),
    /** A power target: `3000 W`. */
    preset: z.string().min(1).max(64).optional(),
  })
  .refine(({ mode, preset }) => (mode === undefined) !== (preset === undefined));

const PERFORMANCE = { low: 'Efficiency', high: 'MaximumHashrate' } as const;

const unsupported = (what: string, link: MinerLink) =>
  new PeerError('peer.unsupported', `${what} ${link.ip}`, 'never', undefined, { wasSent: false });

export const abilities = {
  reboot: {
    effect: 'once',
    offlineS: [20, 180],
    params: z.looseObject({}),
    act: (link) => order(link, 'POST', 'system/reboot'),
  },
  /** It blinks for a while and tells nobody: there is nothing to read back. */
  light: {
    effect: 'repeatable',
    offlineS: [0, 0],
    params: lightParams,
    async act(link, params) {
      if (!lightParams.parse(params).on) throw unsupported('end the blinking, which ends by itself, of', link);
      return order(link, 'POST', 'system/locate');
    },
  },
  powerMode: {
    effect: 'repeatable',
    offlineS: [0, 0],
    params: modeParams,
    async act(link, params) {
      const { mode, preset } = modeParams.parse(params);
      if (preset !== undefined) return setPower(link, preset);
      const isAsleep = await sleeps(link);
      if (mode === 'sleep') return isAsleep ? AS_BEFORE : order(link, 'POST', 'mining/stop');
      // Normal means awake: a rig has no mode between its two.
      if (mode === 'low' || mode === 'high') {
        const { default_power_target_watts: usualW } = await targetOf(link);
        const json = { performance_mode: PERFORMANCE[mode], ...(usualW && { power_target_watts: usualW }) };
        const set = await order(link, 'PUT', 'mining/target', json);
        if (!isAsleep || set.kind === 'lost-reply') return set;
      }
      return isAsleep ? order(link, 'POST', 'mining/start') : AS_BEFORE;
    },
    shows({ miningMode, miningModePreset, isMining }, params) {
      const { mode, preset } = modeParams.safeParse(params).data ?? {};
      if (preset !== undefined) return miningMode === undefined ? undefined : sameTarget(miningModePreset, preset);
      if (mode === 'normal') return miningMode === 'sleep' ? false : isMining;
      return miningMode === undefined ? undefined : miningMode === mode;
    },
    shownWithinS: 180,
  },
  pools: {
    effect: 'once',
    offlineS: [0, 0],
    params: rigPoolParams,
    async act(link, params) {
      const { pools } = rigPoolParams.parse(params);
      const json = pools.map(({ url, user, password }, priority) => ({ url, username: user, password, priority }));
      return order(link, 'POST', 'pools', json);
    },
    shows: showsPools,
    shownWithinS: 120,
  },
  firmware: {
    effect: 'once',
    offlineS: [60, 900],
    params: firmwareParams,
    async act(link, _params, _known, image) {
      if (image === undefined || image.bytes.size === 0) throw unsupported('update without an image', link);
      const upload = { fields: {}, file: { field: 'file', name: image.name, bytes: image.bytes } };
      return orLostReply(async () => {
        const request = { ...locked('system/update'), method: 'PUT', upload, as: 'text' } as const;
        await link.send(request, { deadlineMs: UPLOAD_MS });
        return { kind: 'accepted', note: 'some builds run it only after a restart' };
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
    async act(link) {
      const limits = { deadlineMs: 60_000, maxBytes: MAX_LOG_BYTES };
      const { data } = logAnswer.safeParse(await link.send(locked('system/logs?lines=5000'), limits));
      if (data === undefined) throw new PeerError('peer.unparsable', `read the log of ${link.ip}`, 'later');
      return { kind: 'accepted', log: data.logs.content.join('\n') };
    },
  },
} as const satisfies Readonly<Partial<Record<AbilityName, Ability>>>;

const sleeps = (link: MinerLink): Promise<boolean> =>
  beforeAct(link, 'set the mode of', async () => {
    const answer = await link.send(locked('mining'), { deadlineMs: DEADLINE_MS });
    const isAsleep = isStopped(miningReply.safeParse(answer).data?.['mining-status'].status);
    if (isAsleep === undefined) throw new PeerError('peer.unparsable', `read the state of ${link.ip}`, 'later');
    return isAsleep;
  });

const targetOf = (link: MinerLink) =>
  beforeAct(link, 'set the target of', async () => {
    const { data } = targetReply.safeParse(await link.send(locked('mining/target'), { deadlineMs: DEADLINE_MS }));
    if (data === undefined) throw new PeerError('peer.unparsable', `read the target of ${link.ip}`, 'later');
    return data;
  });

async function setPower(link: MinerLink, preset: string): Promise<ActResult> {
  const wanted = parseTarget(preset);
  if (wanted?.unit !== 'W') throw unsupported(`set '${preset}' on`, link);
  const target = await targetOf(link);
  const min = target.power_target_min_watts ?? 0;
  const max = target.power_target_max_watts ?? Number.POSITIVE_INFINITY;
  if (wanted.value < min || wanted.value > max) throw unsupported(`set a target beyond ${min} to ${max} W on`, link);
  if (target.power_target_watts === wanted.value) return AS_BEFORE;
  return order(link, 'PUT', 'mining/target', { power_target_watts: wanted.value });
}
