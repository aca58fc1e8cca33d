// What a Sealminer can be told (atlas 13): commands to the mining process over TCP; reboot, light
// and mode over the web.
import { z } from 'zod';
import { PeerError } from '../../src/base/errors.ts';
import type { Ability, AbilityName, ActResult, MinerLink } from '../../src/driver/contract.ts';
import { beforeAct, orLostReply } from '../../src/driver/kit/act/lost-reply.ts';
import { ACCEPTED, SO_ALREADY, THEY_WERE_SO, unsupported } from '../../src/driver/kit/act/outcomes.ts';
import { samePools, type WantedPool } from '../../src/driver/kit/act/pool-params.ts';
import { light, modesAndPresets, pools, reboot } from '../../src/driver/kit/act/usual-abilities.ts';
import { wattsOf } from '../../src/driver/kit/words/target-preset.ts';
import type { PowerMode } from '../../src/model/tasks/task-params.ts';
import { poolReadings, poolsReply } from '../_dialects/cgminer.ts';
import { modeOf, sleeps } from './read.ts';
import { statsReply, systemReply } from './replies.ts';
import { page } from './session.ts';

const DEADLINE_MS = 15_000;

export const abilities = {
  reboot: reboot([40, 180], (link) => orLostReply(() => rebootNow(link))),
  light: light((link, on) => {
    const json = { key: 'led', value: on ? 'on' : 'off' };
    return orLostReply(() => post(link, 'led_conf', json, `switch the light of ${link.ip}`));
  }),
  /** A preset is a power limit such as `3300 W`. */
  powerMode: modesAndPresets({
    offlineS: [0, 180],
    set: (link, { mode, preset }) => (mode === undefined ? changeLimit(link, preset ?? '') : changeMode(link, mode)),
    shows({ miningMode, powerLimitW }, { mode, preset = '' }) {
      if (mode !== undefined) return miningMode === undefined ? undefined : miningMode === mode;
      return powerLimitW === undefined ? undefined : powerLimitW === wattsOf(preset) && miningMode !== 'sleep';
    },
    shownWithinS: 300,
  }),
  pools: pools({ offlineS: [40, 180], atMost: 3, set: changePools, shownWithinS: 300 }),
} as const satisfies Partial<Record<AbilityName, Ability>>;

async function rebootNow(link: MinerLink): Promise<ActResult> {
  await link.send({ ...page('reboot'), as: 'text' }, { deadlineMs: DEADLINE_MS });
  return ACCEPTED;
}

/** Not every build answers with a result; where it does, 0 and true are a yes. */
const result = z.looseObject({ result: z.union([z.number(), z.boolean()]) });

async function post(link: MinerLink, name: string, json: object, what: string): Promise<ActResult> {
  const answer = await link.send({ ...page(name), method: 'POST', json, as: 'text' }, { deadlineMs: DEADLINE_MS });
  const verdict = result.safeParse(fromJson(answer)).data?.result;
  if (verdict === undefined || verdict === 0 || verdict === true) return ACCEPTED;
  throw new PeerError('peer.rejected', what, 'later', new Error(`the device answers ${String(verdict)}`));
}

function fromJson(answer: unknown): unknown {
  try {
    const value: unknown = typeof answer === 'string' ? JSON.parse(answer) : answer;
    return value;
  } catch {
    return undefined;
  }
}

const sendCommand = (link: MinerLink, command: string, parameter?: string) =>
  orLostReply(async () => {
    const request = { via: 'cgminer', command, ...(parameter !== undefined && { parameter }) } as const;
    await link.send(request, { deadlineMs: DEADLINE_MS });
    return ACCEPTED;
  });

const statsNow = (link: MinerLink, what: string) =>
  beforeAct(
    link,
    what,
    async () => statsReply.parse(await link.send({ via: 'cgminer', command: 'stats' })).STATS?.[0],
  ).catch(asUnparsable(link));

/** A new limit counts after a reboot, which wakes a miner that sleeps. */
async function changeLimit(link: MinerLink, preset: string): Promise<ActResult> {
  const what = 'set the power limit of';
  const watts = wattsOf(preset);
  if (watts === undefined)
    throw unsupported(link, what, 'Sealminers have power limits, such as 3300 W, and no presets');
  const stats = await statsNow(link, what);
  const isSet = stats?.['Power Limit'] === watts;
  if (isSet && !sleeps(stats)) return SO_ALREADY;
  if (!isSet) {
    const told = await sendCommand(link, 'ascset', `0,powerlimit,${JSON.stringify({ value: String(watts) })}`);
    if (told.kind === 'lost-reply') return told;
  }
  return orLostReply(() => rebootNow(link));
}

/**
 * Sleeping is a command to the process; which mode it wakes up in is a setting of the web, by numbers that the device
 * names itself.
 */
async function changeMode(link: MinerLink, mode: PowerMode): Promise<ActResult> {
  const what = 'set the mode of';
  const stats = await statsNow(link, what);
  const isAsleep = stats && sleeps(stats);
  if (mode === 'sleep') return isAsleep ? SO_ALREADY : sendCommand(link, 'ascset', '0,suspend');
  const system = await beforeAct(link, what, async () =>
    systemReply.parse(await link.send(page('get_system_info'))),
  ).catch(asUnparsable(link));
  const miningMode = { low: system.low_power, normal: system.normal, high: system.high_performance }[mode];
  if (miningMode === undefined) throw unsupported(link, `set the mode ${mode} on`);
  const isSet = modeOf(system) === mode;
  if (!isSet) {
    const set = await orLostReply(() => post(link, 'set_mining_mode', { miningMode }, `${what} ${link.ip}`));
    if (set.kind === 'lost-reply') return set;
  }
  if (isAsleep) return sendCommand(link, 'restart');
  return isSet ? SO_ALREADY : ACCEPTED;
}

/** New pools count after a reboot. */
async function changePools(link: MinerLink, wanted: readonly WantedPool[]): Promise<ActResult> {
  const set = await beforeAct(link, 'change the pools of', async () =>
    poolReadings(poolsReply.parse(await link.send({ via: 'cgminer', command: 'pools' })).POOLS),
  ).catch(asUnparsable(link));
  if (set !== undefined && samePools(set, wanted)) return THEY_WERE_SO;
  const pools = wanted.map(({ url, user, password }) => ({ url, user, pass: password }));
  const told = await sendCommand(link, 'updatepools', JSON.stringify({ pools }));
  return told.kind === 'lost-reply' ? told : orLostReply(() => rebootNow(link));
}

/** What was asked before anything is changed and made no sense. */
const asUnparsable =
  ({ ip }: MinerLink) =>
  (error: unknown): never => {
    if (!(error instanceof z.ZodError)) throw error;
    throw new PeerError('peer.unparsable', `read the settings of ${ip}`, 'later', undefined, { wasSent: false });
  };
