// What we change on an Avalon: reboot, light, sleep, mode and level by `ascset` without a login, and pools with it (atlas 5.3).
import { z } from 'zod';
import { PeerError } from '../../src/base/errors.ts';
import type { Ability, AbilityName, ActResult, Known } from '../../src/driver/contract.ts';
import { beforeAct } from '../_families/lost-reply.ts';
import { showsFilledUp } from '../_families/pool-params.ts';
import { ascset, DEADLINE_MS, type MinerLink, soonS } from './ascset.ts';
import { avalonPoolParams, changePools } from './pools.ts';
import { statsReply } from './replies.ts';
import { number, type Tokens } from './tokens.ts';

const ACCEPTED = { kind: 'accepted' } as const satisfies ActResult;

const lightParams = z.looseObject({ on: z.boolean() });
const modeParams = z
  .looseObject({
    mode: z.enum(['sleep', 'low', 'normal', 'high']).optional(),
    /** The number of a level of a home model. */
    preset: z.string().min(1).max(64).optional(),
  })
  .refine(({ mode, preset }) => (mode === undefined) !== (preset === undefined));

export const abilities = {
  reboot: {
    effect: 'once',
    offlineS: [40, 180],
    params: z.looseObject({}),
    act: (link) => ascset(link, '0,reboot,0', 'reboot'),
  },
  light: {
    effect: 'repeatable',
    offlineS: [0, 0],
    params: lightParams,
    act: (link, params) => setLight(link, lightParams.parse(params).on),
    shows: ({ isLightOn }, params) =>
      isLightOn === undefined ? undefined : isLightOn === lightParams.safeParse(params).data?.on,
  },
  powerMode: {
    effect: 'repeatable',
    offlineS: [0, 60],
    params: modeParams,
    async act(link, params, known) {
      const { mode, preset } = modeParams.parse(params);
      if (mode === 'sleep') return ascset(link, `0,softoff,1:${await soonS(link)}`, 'suspend');
      const wanted = order(link, known, mode, preset);
      const tokens = await beforeAct(link, 'set the mode of', () => readTokens(link));
      const isAsleep = (number(tokens, 'SoftOFF') ?? 0) !== 0;
      const result = isAsleep ? await ascset(link, `0,softon,1:${await soonS(link)}`, 'wake') : ACCEPTED;
      if (result.kind === 'lost-reply') return result;
      if (number(tokens, wanted.token) === wanted.value) {
        return isAsleep ? result : { ...ACCEPTED, note: 'it was so already' };
      }
      return ascset(link, wanted.parameter, 'set the mode of');
    },
    shows({ miningMode, miningModePreset }, params) {
      const { mode, preset } = modeParams.safeParse(params).data ?? {};
      if (preset !== undefined) return miningModePreset === undefined ? undefined : miningModePreset === preset;
      return miningMode === undefined ? undefined : miningMode === mode;
    },
    shownWithinS: 120,
  },
  pools: {
    effect: 'once',
    offlineS: [0, 180],
    params: avalonPoolParams,
    act: (link, params, known) => changePools(link, avalonPoolParams.parse(params).pools, known.generation === 'home'),
    shows: showsFilledUp,
    shownWithinS: 240,
  },
} as const satisfies Partial<Record<AbilityName, Ability>>;

/** Builds differ in which number comes first; one that takes the wrong form may do nothing. */
async function setLight(link: MinerLink, on: boolean): Promise<ActResult> {
  const what = 'switch the light of';
  const state = on ? 1 : 0;
  const second = () => ascset(link, `0,led,0-${state}`, what);
  let result: ActResult;
  try {
    result = await ascset(link, `0,led,1-${state}`, what);
  } catch (error) {
    if (!(error instanceof PeerError) || (error.code !== 'peer.rejected' && error.code !== 'peer.unsupported'))
      throw error;
    return second();
  }
  return result.kind === 'accepted' && (await isLightOn(link)) === !on ? second() : result;
}

/** Undefined when the device does not say: then it is for the next visits to see. */
async function isLightOn(link: MinerLink): Promise<boolean | undefined> {
  try {
    const led = number(await readTokens(link), 'Led');
    return led === undefined ? undefined : led !== 0;
  } catch (error) {
    if (error instanceof PeerError) return undefined;
    throw error;
  }
}

/** What to send for a mode or a level, and where the device tells it. The A series has neither low mode nor levels. */
function order(
  link: MinerLink,
  { generation }: Known,
  mode: 'low' | 'normal' | 'high' | undefined,
  preset: string | undefined,
): { readonly parameter: string; readonly token: string; readonly value: number } {
  const isHome = generation === 'home';
  const value =
    mode === undefined
      ? isHome && /^-?\d{1,2}$/.test(preset ?? '')
        ? Number(preset)
        : undefined
      : (isHome ? ['low', 'normal', 'high'] : ['normal', 'high']).indexOf(mode);
  if (value === undefined || (mode !== undefined && value < 0)) {
    const what = `set the mode of ${link.ip} to ${mode ?? preset}`;
    throw new PeerError('peer.unsupported', what, 'never', undefined, { wasSent: false });
  }
  if (mode === undefined) return { parameter: `0,worklevel,set,${value}`, token: 'WORKLEVEL', value };
  return { parameter: isHome ? `0,workmode,set,${value}` : `0,workmode,${value}`, token: 'WORKMODE', value };
}

async function readTokens(link: MinerLink): Promise<Tokens | undefined> {
  const answer = await link.send({ via: 'cgminer', command: 'stats' }, { deadlineMs: DEADLINE_MS });
  return statsReply.safeParse(answer).data?.modules[0]?.tokens;
}
