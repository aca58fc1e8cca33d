// How Auradine's web API on port 8080 is spoken to: a token for a name and a password, the CGMiner envelope around
// every answer.
import { z } from 'zod';
import { PeerError } from '../../src/base/errors.ts';
import type { ActResult, MinerLink, WebSession } from '../../src/driver/contract.ts';
import { list, text } from '../../src/driver/fields.ts';
import { orLostReply } from '../../src/driver/kit/act/lost-reply.ts';
import { bearer } from '../../src/driver/kit/web/web-session.ts';

const PORT = 8080;
const DEADLINE_MS = 15_000;

const envelope = z.looseObject({
  STATUS: list(z.looseObject({ STATUS: text(1), Msg: text() }), 1),
});
const tokenAnswer = z.looseObject({ Token: z.array(z.looseObject({ Token: z.string() })).min(1) });

const session: WebSession = {
  name: 'fluxos',
  open: ({ user, password }) => ({
    via: 'http',
    method: 'POST',
    path: '/token',
    json: { command: 'token', user, password },
  }),
  grant({ body }) {
    const token = tokenAnswer.safeParse(body).data?.Token[0]?.Token;
    return bearer(token) && token !== undefined ? { Token: token } : undefined;
  },
  isRefused(answer) {
    const status = envelope.safeParse(answer).data?.STATUS?.[0];
    return status?.STATUS === 'E' && /token|unauthori[sz]ed/i.test(status.Msg ?? '');
  },
};

export const resource = (name: string) =>
  ({ via: 'http', method: 'GET', path: `/${name}`, port: PORT, auth: session, as: 'json' }) as const;

/** Every command repeats its own name. The device's words may hold what it was told: they go no further. */
export function sendCommand(link: MinerLink, name: string, params: object = {}): Promise<ActResult> {
  return orLostReply(async () => {
    const request = { ...resource(name), method: 'POST', json: { command: name, ...params } } as const;
    const answer = await link.send(request, { deadlineMs: DEADLINE_MS });
    const status = envelope.safeParse(answer).data?.STATUS?.[0]?.STATUS;
    const what = `command ${name} of ${link.ip}`;
    if (status === undefined) throw new PeerError('peer.unparsable', what, 'later', undefined, { wasSent: true });
    if (status === 'S' || status === 'I') return { kind: 'accepted' };
    throw new PeerError('peer.rejected', what, 'later', new Error('the device answers with an error'));
  });
}
