// What we change on an Avalon: reboot, light, sleep and mode, all by `ascset` and without a login (atlas 5.3). Whether it worked is found out
// by looking, not here.
import { z } from 'zod';
import { PeerError } from '../../src/base/errors.ts';
import type { Ability, AbilityName, ActResult, Known } from '../../src/driver/contract.ts';
import { int, list, text } from '../../src/driver/fields.ts';
import { orLostReply } from '../_families/lost-reply.ts';
import { statsReply } from './replies.ts';
import { number } from './tokens.ts';

type MinerLink = Parameters<Ability['act']>[0];

const DEADLINE_MS = 8_000;
/** The device switches at a time of its own clock: a little ahead of now. */
const AHEAD_S = 5;

const lightParams = z.looseObject({ on: z.boolean() });
const modeParams = z.looseObject({ mode: z.enum(['sleep', 'low', 'normal', 'high']) });

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
    async act(link, params) {
      const state = lightParams.parse(params).on ? 1 : 0;
      const what = 'switch the light of';
      try {
        return await ascset(link, `0,led,1-${state}`, what);
      } catch (error) {
        // Builds differ in which number comes first.
        if (!(error instanceof PeerError) || error.code !== 'peer.rejected') throw error;
        return ascset(link, `0,led,0-${state}`, what);
      }
    },
  },
  powerMode: {
    effect: 'repeatable',
    offlineS: [0, 60],
    params: modeParams,
    async act(link, params, known) {
      const wanted = modeParams.parse(params).mode;
      if (wanted === 'sleep') return ascset(link, `0,softoff,1:${await soonS(link)}`, 'suspend');
      const value = workMode(link, known, wanted);
      const now = await state(link);
      const result = now.isAsleep
        ? await ascset(link, `0,softon,1:${await soonS(link)}`, 'wake')
        : ({ kind: 'accepted' } as const);
      if (result.kind === 'lost-reply' || now.workMode === value) return result;
      const parameter = known.generation === 'home' ? `0,workmode,set,${value}` : `0,workmode,${value}`;
      return ascset(link, parameter, 'set the mode of');
    },
  },
} as const satisfies Partial<Record<AbilityName, Ability>>;

/** The device's number for a mode. The A series has no low mode. */
function workMode(link: MinerLink, known: Known, wanted: 'low' | 'normal' | 'high'): number {
  const value = (known.generation === 'home' ? ['low', 'normal', 'high'] : ['normal', 'high']).indexOf(wanted);
  if (value >= 0) return value;
  throw new PeerError('peer.unsupported', `set the mode of ${link.ip} to ${wanted}`, 'never');
}

async function state(link: MinerLink): Promise<{ isAsleep: boolean; workMode: number | undefined }> {
  const stats = statsReply.safeParse(
    await link.send({ via: 'cgminer', command: 'stats' }, { deadlineMs: DEADLINE_MS }),
  );
  const tokens = stats.data?.modules[0]?.tokens;
  return { isAsleep: (number(tokens, 'SoftOFF') ?? 0) !== 0, workMode: number(tokens, 'WORKMODE') };
}

const status = z.looseObject({
  STATUS: list(z.looseObject({ STATUS: text(), Code: int(), Msg: text(512), When: int() }), 1),
});

async function soonS(link: MinerLink): Promise<number> {
  const answer = status.safeParse(await link.send({ via: 'cgminer', command: 'version' }, { deadlineMs: DEADLINE_MS }));
  const when = answer.data?.STATUS?.[0]?.When;
  if (when === undefined) throw new PeerError('peer.unparsable', `read the clock of ${link.ip}`, 'later');
  return when + AHEAD_S;
}

/** 118 and 119 are yes, 120 is no. */
async function ascset(link: MinerLink, parameter: string, what: string): Promise<ActResult> {
  return orLostReply(async () => {
    const answer = await link.send({ via: 'cgminer', command: 'ascset', parameter }, { deadlineMs: DEADLINE_MS });
    const row = status.safeParse(answer).data?.STATUS?.[0];
    if (row === undefined) {
      throw new PeerError('peer.unparsable', `${what} ${link.ip}`, 'later', undefined, { wasSent: true });
    }
    if (row.Code === 118 || row.Code === 119)
      return { kind: 'accepted', ...(row.Msg !== undefined && { note: row.Msg }) };
    const cause = new Error(`the device says "${row.Msg ?? ''}" (code ${row.Code})`);
    throw new PeerError('peer.rejected', `${what} ${link.ip}`, 'never', cause);
  });
}
