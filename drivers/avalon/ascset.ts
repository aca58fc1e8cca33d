// One `ascset` to an Avalon and what its answer is taken for (atlas 5.3), and the device's own clock, which it wants
// times of.
import { z } from 'zod';
import { PeerError } from '../../src/base/errors.ts';
import type { ActResult, MinerLink, MinerRequest } from '../../src/driver/contract.ts';
import { int, list, text } from '../../src/driver/fields.ts';
import { beforeAct, orLostReply } from '../../src/driver/kit/act/lost-reply.ts';

type CgminerRequest = Extract<MinerRequest, { readonly via: 'cgminer' }>;

export const DEADLINE_MS = 8_000;
/** The device switches at a time of its own clock: a little ahead of now. */
const AHEAD_S = 5;

const status = z.looseObject({
  STATUS: list(z.looseObject({ STATUS: text(), Code: int(), Msg: text(512), When: int() }), 1),
});

export async function soonS(link: MinerLink): Promise<number> {
  const when = await beforeAct(link, 'read the clock of', async () => {
    const answer = await link.send({ via: 'cgminer', command: 'version' }, { deadlineMs: DEADLINE_MS });
    return status.safeParse(answer).data?.STATUS?.[0]?.When;
  });
  if (when === undefined) {
    throw new PeerError('peer.unparsable', `read the clock of ${link.ip}`, 'later', undefined, { wasSent: false });
  }
  return when + AHEAD_S;
}

export const ascset = (link: MinerLink, parameter: string, what: string): Promise<ActResult> =>
  tell(link, { via: 'cgminer', command: 'ascset', parameter }, what);

/** 118 and 119 are yes, 120 is no; `setpool` of home models says yes in other numbers. */
export const tell = (link: MinerLink, request: CgminerRequest, what: string): Promise<ActResult> =>
  orLostReply(async () => {
    const row = status.safeParse(await link.send(request, { deadlineMs: DEADLINE_MS })).data?.STATUS?.[0];
    if (row === undefined) {
      throw new PeerError('peer.unparsable', `${what} ${link.ip}`, 'later', undefined, { wasSent: true });
    }
    // What carries a login may be repeated by the device.
    const words = request.carry === undefined ? row.Msg : undefined;
    const isYes =
      request.command === 'ascset' ? row.Code === 118 || row.Code === 119 : row.STATUS === 'S' || row.STATUS === 'I';
    if (isYes) return { kind: 'accepted', ...(words !== undefined && { note: words }) };
    const cause = new Error(`the device says "${words ?? ''}" (code ${row.Code})`);
    throw new PeerError('peer.rejected', `${what} ${link.ip}`, 'never', cause);
  });
