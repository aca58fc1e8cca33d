// What an Elphapex can be told: reboot, light, sleep and wake (atlas 20). A mode is read back at once, because the same page of the makers that it
// was copied from says yes to modes that it ignores; whether the miner then sleeps or hashes is found out by looking, not here.
import { z } from 'zod';
import { PeerError } from '../../src/base/errors.ts';
import type { Ability, AbilityName } from '../../src/driver/contract.ts';
import { light, reboot } from '../_families/bitmain-actions.ts';
import { page } from '../_families/bitmain-web.ts';
import { orLostReply } from '../_families/lost-reply.ts';

const modeParams = z.looseObject({ mode: z.enum(['sleep', 'low', 'normal', 'high']) });

/** The process restarts before the page answers. */
const DEADLINE_MS = 30_000;

/** The whole configuration goes back as it was read, pools and all: what is missing is reset by the device. */
const confPage = z.looseObject({
  'fc-work-mode': z.union([z.number(), z.string()]),
  pools: z.array(z.unknown()).min(1),
});
type MinerLink = Parameters<Ability['act']>[0];

/** Undefined when the device does not say: then it is for the next visits to see. */
async function modeNow(link: MinerLink): Promise<number | undefined> {
  try {
    const conf = confPage.safeParse(await link.send(page('get_miner_conf.cgi')));
    return conf.success ? Number(conf.data['fc-work-mode']) : undefined;
  } catch (error) {
    if (error instanceof PeerError) return undefined;
    throw error;
  }
}

const confAnswer = z.looseObject({ code: z.string() });

export const abilities: Readonly<Partial<Record<AbilityName, Ability>>> = {
  reboot,
  light: light((on) => on),
  powerMode: {
    effect: 'repeatable',
    offlineS: [0, 60],
    params: modeParams,
    async act(link, params) {
      const { mode } = modeParams.parse(params);
      if (mode !== 'sleep' && mode !== 'normal') {
        throw new PeerError('peer.unsupported', `set the mode of ${link.ip} to ${mode}`, 'never');
      }
      const conf = confPage.safeParse(await link.send(page('get_miner_conf.cgi')));
      if (!conf.success) {
        throw new PeerError('peer.unparsable', `read the configuration of ${link.ip}`, 'later', undefined, {
          wasSent: false,
        });
      }
      const before = conf.data['fc-work-mode'];
      const wanted = mode === 'sleep' ? 1 : 0;
      // Writing restarts the process: not for nothing.
      if (Number(before) === wanted) return { kind: 'accepted', note: 'was so before' };
      const json = { ...conf.data, 'fc-work-mode': typeof before === 'string' ? String(wanted) : wanted };
      const result = await orLostReply(async () => {
        const answer = await link.send(
          { via: 'http', method: 'POST', path: '/cgi-bin/set_miner_conf.cgi', auth: 'digest', json, as: 'json' },
          { deadlineMs: DEADLINE_MS },
        );
        const code = confAnswer.safeParse(answer).data?.code;
        if (code === 'M000') return { kind: 'accepted', note: code };
        if (code === undefined) {
          throw new PeerError('peer.unparsable', `set the mode of ${link.ip}`, 'later', undefined, { wasSent: true });
        }
        const cause = new Error(`the device answers ${code.slice(0, 32)}`);
        throw new PeerError('peer.rejected', `set the mode of ${link.ip}`, 'never', cause);
      });
      if (result.kind === 'lost-reply') return result;
      const after = await modeNow(link);
      if (after === undefined || after === wanted) return result;
      const cause = new Error('the device says yes and keeps its mode');
      throw new PeerError('peer.rejected', `set the mode of ${link.ip}`, 'never', cause);
    },
  },
};
