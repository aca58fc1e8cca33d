// What a FutureBit Apollo can be told (atlas 23): restart, stop and start the miner. Pools and power belong to settings
// without a known description.
import { PeerError } from '../../src/base/errors.ts';
import type { Ability, AbilityName, ActResult, MinerLink } from '../../src/driver/contract.ts';
import { orLostReply } from '../../src/driver/kit/act/lost-reply.ts';
import { ACCEPTED, unsupported } from '../../src/driver/kit/act/outcomes.ts';
import { modes, reboot } from '../../src/driver/kit/act/usual-abilities.ts';
import { mutation } from './graphql.ts';
import { errorsReply, mutationReply } from './replies.ts';

const DEADLINE_MS = 20_000;

export const abilities = {
  /** The miner starts anew, the computer around it does not. */
  reboot: reboot([0, 60], (link) => tell(link, 'restart')),
  powerMode: modes({ offlineS: [0, 0], shownWithinS: 120 }, async (link, mode) => {
    if (mode === 'low' || mode === 'high') throw unsupported(link, `set the mode ${mode} on`);
    return tell(link, mode === 'sleep' ? 'stop' : 'start');
  }),
} as const satisfies Partial<Record<AbilityName, Ability>>;

const tell = (link: MinerLink, name: 'restart' | 'start' | 'stop'): Promise<ActResult> =>
  orLostReply(async () => {
    const answer = await link.send(mutation(name), { deadlineMs: DEADLINE_MS });
    const what = `${name} the miner of ${link.ip}`;
    const words =
      errorsReply.safeParse(answer).data?.errors[0]?.message ??
      mutationReply.safeParse(answer).data?.data.Miner[name]?.error?.message;
    if (words !== undefined) throw new PeerError('peer.rejected', what, 'later', new Error(words.slice(0, 200)));
    if (!mutationReply.safeParse(answer).success) {
      throw new PeerError('peer.unparsable', what, 'later', undefined, { wasSent: true });
    }
    return ACCEPTED;
  });
