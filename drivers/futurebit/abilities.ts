// What a FutureBit Apollo can be told (atlas 23): restart, stop and start the miner. Pools and power belong to settings that nobody has described.
import { z } from 'zod';
import { PeerError } from '../../src/base/errors.ts';
import type { Ability, AbilityName, ActResult } from '../../src/driver/contract.ts';
import { orLostReply } from '../_families/lost-reply.ts';
import type { MinerLink } from '../_families/web-session.ts';
import { order } from './graphql.ts';
import { errorsReply, orderReply } from './replies.ts';

const DEADLINE_MS = 20_000;

const modeParams = z.looseObject({ mode: z.enum(['sleep', 'low', 'normal', 'high']) });

export const abilities = {
  /** The miner starts anew, the computer around it does not. */
  reboot: {
    effect: 'once',
    offlineS: [0, 60],
    params: z.looseObject({}),
    act: (link) => tell(link, 'restart'),
  },
  powerMode: {
    effect: 'repeatable',
    offlineS: [0, 0],
    params: modeParams,
    async act(link, params) {
      const { mode } = modeParams.parse(params);
      if (mode === 'low' || mode === 'high') {
        throw new PeerError('peer.unsupported', `set the mode of ${link.ip} to ${mode}`, 'never');
      }
      return tell(link, mode === 'sleep' ? 'stop' : 'start');
    },
    shows: ({ miningMode }, params) =>
      miningMode === undefined ? undefined : miningMode === modeParams.parse(params).mode,
    shownWithinS: 120,
  },
} as const satisfies Partial<Record<AbilityName, Ability>>;

const tell = (link: MinerLink, name: 'restart' | 'start' | 'stop'): Promise<ActResult> =>
  orLostReply(async () => {
    const answer = await link.send(order(name), { deadlineMs: DEADLINE_MS });
    const what = `${name} the miner of ${link.ip}`;
    const words =
      errorsReply.safeParse(answer).data?.errors[0]?.message ??
      orderReply.safeParse(answer).data?.data.Miner[name]?.error?.message;
    if (words !== undefined) throw new PeerError('peer.rejected', what, 'later', new Error(words.slice(0, 200)));
    if (!orderReply.safeParse(answer).success) {
      throw new PeerError('peer.unparsable', what, 'later', undefined, { wasSent: true });
    }
    return { kind: 'accepted' };
  });
