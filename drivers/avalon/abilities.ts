// What we change on an Avalon: reboot, light, sleep, mode and level by `ascset` without a login, and pools with it
// (atlas 5.3).
import { PeerError } from '../../src/base/errors.ts';
import type { Ability, AbilityName, ActResult, Known, MinerLink } from '../../src/driver/contract.ts';
import { beforeAct } from '../../src/driver/kit/act/lost-reply.ts';
import { ACCEPTED, SO_ALREADY, unsupported } from '../../src/driver/kit/act/outcomes.ts';
import { haveNoComma, showsFilledUp } from '../../src/driver/kit/act/pool-params.ts';
import { light, modesAndPresets, pools, reboot } from '../../src/driver/kit/act/usual-abilities.ts';
import { ascset, DEADLINE_MS, soonS } from './ascset.ts';
import { changePools, POOLS } from './pools.ts';
import { statsReply } from './replies.ts';
import { number, type Tokens } from './tokens.ts';

export const abilities = {
  reboot: reboot([40, 180], (link) => ascset(link, '0,reboot,0', 'reboot')),
  light: light(setLight),
  /** A preset is the number of a level of a home model. */
  powerMode: modesAndPresets({
    offlineS: [0, 60],
    async set(link, { mode, preset }, known) {
      if (mode === 'sleep') return ascset(link, `0,softoff,1:${await soonS(link)}`, 'suspend');
      const wanted = commandFor(link, known, mode, preset);
      const tokens = await beforeAct(link, 'set the mode of', () => readTokens(link));
      const isAsleep = (number(tokens, 'SoftOFF') ?? 0) !== 0;
      const result = isAsleep ? await ascset(link, `0,softon,1:${await soonS(link)}`, 'wake') : ACCEPTED;
      if (result.kind === 'lost-reply') return result;
      if (number(tokens, wanted.token) === wanted.value) return isAsleep ? result : SO_ALREADY;
      return ascset(link, wanted.parameter, 'set the mode of');
    },
    shows({ miningMode, miningModePreset }, { mode, preset }) {
      if (preset !== undefined) return miningModePreset === undefined ? undefined : miningModePreset === preset;
      return miningMode === undefined ? undefined : miningMode === mode;
    },
    shownWithinS: 120,
  }),
  pools: pools({
    offlineS: [0, 180],
    atMost: POOLS,
    takes: haveNoComma,
    set: (link, wanted, known) => changePools(link, wanted, known.generation === 'home'),
    shows: showsFilledUp,
    shownWithinS: 240,
  }),
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
function commandFor(
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
    throw unsupported(link, `set the mode ${mode ?? preset} on`);
  }
  if (mode === undefined) return { parameter: `0,worklevel,set,${value}`, token: 'WORKLEVEL', value };
  return { parameter: isHome ? `0,workmode,set,${value}` : `0,workmode,${value}`, token: 'WORKMODE', value };
}

async function readTokens(link: MinerLink): Promise<Tokens | undefined> {
  const answer = await link.send({ via: 'cgminer', command: 'stats' }, { deadlineMs: DEADLINE_MS });
  return statsReply.safeParse(answer).data?.modules[0]?.tokens;
}
