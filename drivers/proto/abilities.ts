// What we change on a Proto rig (atlas 12): reboot, show itself, stop and start, modes and power target, pools,
// firmware; and its log.
import { z } from 'zod';
import { PeerError } from '../../src/base/errors.ts';
import type { Ability, AbilityName, ActResult, MinerLink } from '../../src/driver/contract.ts';
import { beforeAct, orLostReply } from '../../src/driver/kit/act/lost-reply.ts';
import { SO_ALREADY, unsupported } from '../../src/driver/kit/act/outcomes.ts';
import { blink, firmware, log, modesAndPresets, pools, reboot } from '../../src/driver/kit/act/usual-abilities.ts';
import { parseTarget, sameTarget } from '../../src/driver/kit/words/target-preset.ts';
import { isStopped } from './read.ts';
import { miningReply, targetReply } from './replies.ts';
import { locked, sendCommand } from './requests.ts';

const DEADLINE_MS = 10_000;
const UPLOAD_MS = 30 * 60_000;
const MAX_LOG_BYTES = 1024 * 1024;

const logAnswer = z.looseObject({ logs: z.looseObject({ content: z.array(z.string()) }) });

const PERFORMANCE = { low: 'Efficiency', high: 'MaximumHashrate' } as const;

export const abilities = {
  reboot: reboot([20, 180], (link) => sendCommand(link, 'POST', 'system/reboot')),
  light: blink((link) => sendCommand(link, 'POST', 'system/locate')),
  /** A preset is a power target: `3000 W`. */
  powerMode: modesAndPresets({
    offlineS: [0, 0],
    async set(link, { mode, preset }) {
      if (preset !== undefined) return setPower(link, preset);
      const isAsleep = await sleeps(link);
      if (mode === 'sleep') return isAsleep ? SO_ALREADY : sendCommand(link, 'POST', 'mining/stop');
      // Normal means awake: a rig has no mode between its two.
      if (mode === 'low' || mode === 'high') {
        const { default_power_target_watts: usualW } = await targetOf(link);
        const json = { performance_mode: PERFORMANCE[mode], ...(usualW && { power_target_watts: usualW }) };
        const set = await sendCommand(link, 'PUT', 'mining/target', json);
        if (!isAsleep || set.kind === 'lost-reply') return set;
      }
      return isAsleep ? sendCommand(link, 'POST', 'mining/start') : SO_ALREADY;
    },
    shows({ miningMode, miningModePreset, isMining }, { mode, preset }) {
      if (preset !== undefined) return miningMode === undefined ? undefined : sameTarget(miningModePreset, preset);
      if (mode === 'normal') return miningMode === 'sleep' ? false : isMining;
      return miningMode === undefined ? undefined : miningMode === mode;
    },
    shownWithinS: 180,
  }),
  pools: pools({
    offlineS: [0, 0],
    atMost: 3,
    async set(link, wanted) {
      const json = wanted.map(({ url, user, password }, priority) => ({ url, username: user, password, priority }));
      return sendCommand(link, 'POST', 'pools', json);
    },
    shownWithinS: 120,
  }),
  firmware: firmware({
    offlineS: [60, 900],
    send: (link, { name, bytes }) =>
      orLostReply(async () => {
        const upload = { fields: {}, file: { field: 'file', name, bytes } };
        const request = { ...locked('system/update'), method: 'PUT', upload, as: 'text' } as const;
        await link.send(request, { deadlineMs: UPLOAD_MS });
        return { kind: 'accepted', note: 'some builds run it only after a restart' };
      }),
  }),
  log: log(async (link) => {
    const limits = { deadlineMs: 60_000, maxBytes: MAX_LOG_BYTES };
    const { data } = logAnswer.safeParse(await link.send(locked('system/logs?lines=5000'), limits));
    if (data === undefined) throw new PeerError('peer.unparsable', `read the log of ${link.ip}`, 'later');
    return data.logs.content.join('\n');
  }),
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
  if (wanted?.unit !== 'W') throw unsupported(link, `set '${preset}' on`);
  const target = await targetOf(link);
  const min = target.power_target_min_watts ?? 0;
  const max = target.power_target_max_watts ?? Number.POSITIVE_INFINITY;
  if (wanted.value < min || wanted.value > max) throw unsupported(link, `set a target beyond ${min} to ${max} W on`);
  if (target.power_target_watts === wanted.value) return SO_ALREADY;
  return sendCommand(link, 'PUT', 'mining/target', { power_target_watts: wanted.value });
}
