// What we change on Auradine machines (atlas 10): reboot, lamp, modes and tuning targets, pools; firmware, which the machine fetches by itself.
import { z } from 'zod';
import { PeerError } from '../../src/base/errors.ts';
import type { Ability, AbilityName, ActResult } from '../../src/driver/contract.ts';
import { showsVersionIn } from '../_families/firmware-version.ts';
import { beforeAct } from '../_families/lost-reply.ts';
import { poolParams, showsPools } from '../_families/pool-params.ts';
import { parseTarget, sameTarget } from '../_families/target-preset.ts';
import type { MinerLink } from '../_families/web-session.ts';
import { LOCATE, NORMAL } from './errors.data.ts';
import { NAMED, sleeps, tuningOf } from './read.ts';
import { ledReply, modeReply } from './replies.ts';
import { order, resource } from './requests.ts';

const DEADLINE_MS = 10_000;
const AS_BEFORE = { kind: 'accepted', note: 'it was so already' } as const satisfies ActResult;

const lightParams = z.looseObject({ on: z.boolean() });
const firmwareParams = z.looseObject({ url: z.url({ protocol: /^https?$/ }), version: z.string().optional() });
const auradinePoolParams = poolParams.refine(({ pools }) => pools.length <= 3);
const modeParams = z
  .looseObject({
    mode: z.enum(['sleep', 'low', 'normal', 'high']).optional(),
    /** A target to tune to: `160 TH/s`, `3000 W`. */
    preset: z.string().min(1).max(64).optional(),
  })
  .refine(({ mode, preset }) => (mode === undefined) !== (preset === undefined));

export const abilities = {
  reboot: {
    effect: 'once',
    offlineS: [40, 180],
    params: z.looseObject({}),
    act: (link) => order(link, 'restart'),
  },
  light: {
    effect: 'repeatable',
    offlineS: [0, 0],
    params: lightParams,
    async act(link, params) {
      const { on } = lightParams.parse(params);
      const { Code: code } = await rowOf(link, 'led', (answer) => ledReply.safeParse(answer).data?.LED?.[0]);
      // The lamp shows faults too: those are not wiped away.
      if ((code === LOCATE) === on) return AS_BEFORE;
      return order(link, 'led', { code: on ? LOCATE : NORMAL });
    },
    shows: ({ isLightOn }, params) =>
      isLightOn === undefined ? undefined : isLightOn === lightParams.safeParse(params).data?.on,
  },
  powerMode: {
    effect: 'repeatable',
    offlineS: [0, 60],
    params: modeParams,
    act(link, params) {
      const { mode, preset } = modeParams.parse(params);
      return preset === undefined ? setMode(link, mode ?? 'normal') : setTarget(link, preset);
    },
    shows({ miningMode, miningModePreset }, params) {
      const { mode, preset } = modeParams.safeParse(params).data ?? {};
      if (miningMode === undefined) return undefined;
      return preset === undefined
        ? miningMode === mode
        : miningMode !== 'sleep' && sameTarget(miningModePreset, preset);
    },
    shownWithinS: 120,
  },
  pools: {
    effect: 'once',
    offlineS: [0, 60],
    params: auradinePoolParams,
    async act(link, params) {
      const { pools } = auradinePoolParams.parse(params);
      return order(link, 'updatepools', {
        pools: pools.map(({ url, user, password }) => ({ url, user, pass: password === '' ? 'x' : password })),
      });
    },
    shows: showsPools,
    shownWithinS: 120,
  },
  firmware: {
    effect: 'once',
    offlineS: [60, 900],
    params: firmwareParams,
    /** It takes no file, only an address to fetch one from. */
    async act(link, params) {
      return order(link, 'firmware-upgrade', { url: firmwareParams.parse(params).url });
    },
    shows: ({ firmwareVersion }, params) =>
      showsVersionIn(firmwareVersion, firmwareParams.safeParse(params).data?.version),
    shownWithinS: 900,
    fetchesItself: 'from-url',
  },
} as const satisfies Readonly<Partial<Record<AbilityName, Ability>>>;

const rowOf = <T>(link: MinerLink, name: string, pick: (answer: unknown) => T | undefined): Promise<T> =>
  beforeAct(link, `read ${name} of`, async () => {
    const row = pick(await link.send(resource(name), { deadlineMs: DEADLINE_MS }));
    if (row === undefined) throw new PeerError('peer.unparsable', `read ${name} of ${link.ip}`, 'later');
    return row;
  });

const modeOf = (link: MinerLink) => rowOf(link, 'mode', (answer) => modeReply.safeParse(answer).data?.Mode?.[0]);

async function setMode(link: MinerLink, mode: 'sleep' | 'low' | 'normal' | 'high'): Promise<ActResult> {
  const now = await modeOf(link);
  const isAsleep = sleeps(now) === true;
  if (mode === 'sleep') return isAsleep ? AS_BEFORE : order(link, 'mode', { sleep: 'on' });
  const [name] = Object.entries(NAMED).find(([, means]) => means === mode) ?? [];
  return inOrder(link, isAsleep, now.Mode?.toLowerCase() === name ? undefined : { mode: name });
}

async function setTarget(link: MinerLink, preset: string): Promise<ActResult> {
  const target = parseTarget(preset);
  if (target === undefined) {
    throw new PeerError('peer.unsupported', `set '${preset}' on ${link.ip}`, 'never', undefined, { wasSent: false });
  }
  const now = await modeOf(link);
  const isSet = sameTarget(tuningOf(now).preset, preset);
  const { value, unit } = target;
  const wanted = unit === 'W' ? { tune: 'power', power: value } : { tune: 'ths', ths: value };
  return inOrder(link, sleeps(now) === true, isSet ? undefined : { mode: 'custom', ...wanted });
}

/** The mode first: it wakes to what it is meant to do. */
async function inOrder(link: MinerLink, isAsleep: boolean, mode: object | undefined): Promise<ActResult> {
  const set = mode === undefined ? AS_BEFORE : await order(link, 'mode', mode);
  return isAsleep && set.kind === 'accepted' ? order(link, 'mode', { sleep: 'off' }) : set;
}
