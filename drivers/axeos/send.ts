// What abilities of AxeOS are made of: a look at the settings, and one write. No login; builds that do not know a path
// say 404 or 405.
import { PeerError } from '../../src/base/errors.ts';
import type { ActResult, MinerLink } from '../../src/driver/contract.ts';
import { beforeAct, orLostReply } from '../../src/driver/kit/act/lost-reply.ts';
import { ACCEPTED } from '../../src/driver/kit/act/outcomes.ts';
import { type Info, infoReply } from './replies.ts';

export const DEADLINE_MS = 8_000;

export const get = (path: string) => ({ via: 'http', method: 'GET', path, auth: 'none', as: 'json' }) as const;

export const readInfo = (link: MinerLink, what: string): Promise<Info> =>
  beforeAct(link, what, async () => {
    const info = infoReply.safeParse(await link.send(get('/api/system/info'), { deadlineMs: DEADLINE_MS }));
    if (!info.success) throw new PeerError('peer.unparsable', `read the settings of ${link.ip}`, 'later');
    return info.data;
  });

type Body = { readonly json?: object; readonly octets?: Blob };

export const write = (
  link: MinerLink,
  what: string,
  method: 'POST' | 'PATCH',
  path: string,
  body: Body = {},
  deadlineMs = DEADLINE_MS,
): Promise<ActResult> =>
  orLostReply(async () => {
    try {
      await link.send({ via: 'http', method, path, auth: 'none', as: 'text', ...body }, { deadlineMs });
      return ACCEPTED;
    } catch (error) {
      if (!(error instanceof PeerError) || error.code !== 'peer.auth') throw error;
      // There is no login: newer builds take changes only from addresses that they hold to be local.
      throw new PeerError('peer.permission', `${what} ${link.ip}`, 'never', error);
    }
  });

/** Settings that count after a restart. */
export async function changeAndRestart(link: MinerLink, what: string, settings: object): Promise<ActResult> {
  const set = await write(link, what, 'PATCH', '/api/system', { json: settings });
  return set.kind === 'lost-reply' ? set : write(link, what, 'POST', '/api/system/restart');
}
