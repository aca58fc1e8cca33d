// What Innosilicon can be told through its web API: reboot, and the three pools. Its light and its modes have no known
// way.
import { z } from 'zod';
import { PeerError } from '../../src/base/errors.ts';
import type { Ability, AbilityName, ActResult, MinerLink, MinerRequest } from '../../src/driver/contract.ts';
import { bool, list, text } from '../../src/driver/fields.ts';
import { beforeAct, orLostReply } from '../../src/driver/kit/act/lost-reply.ts';
import { THEY_WERE_SO } from '../../src/driver/kit/act/outcomes.ts';
import { placesAsFields, samePools, type WantedPool } from '../../src/driver/kit/act/pool-params.ts';
import { pools, reboot } from '../../src/driver/kit/act/usual-abilities.ts';
import { session } from './session.ts';

const DEADLINE_MS = 15_000;
const POOLS = 3;

/** Everything is posted, reads too. */
export const call = (name: string) =>
  ({ via: 'http', method: 'POST', path: `/api/${name}`, auth: session, json: {}, as: 'json' }) as const;

export const abilities: Readonly<Partial<Record<AbilityName, Ability>>> = {
  reboot: reboot([30, 240], (link) => orLostReply(() => sendCommand(link, 'reboot', call('reboot')))),
  pools: pools({ offlineS: [0, 60], atMost: POOLS, set: changePools, shownWithinS: 180 }),
};

const verdict = z.looseObject({ success: bool(), message: text(256), msg: text(256) });

async function sendCommand(link: MinerLink, what: string, request: MinerRequest): Promise<ActResult> {
  const answer = verdict.safeParse(await link.send(request, { deadlineMs: DEADLINE_MS })).data;
  const words = answer?.message ?? answer?.msg;
  if (answer?.success === true) return { kind: 'accepted', ...(words !== undefined && { note: words }) };
  if (answer?.success === undefined) {
    throw new PeerError('peer.unparsable', `${what} ${link.ip}`, 'later', undefined, { wasSent: true });
  }
  const code = /permission|denied|not allowed/i.test(words ?? '') ? 'peer.permission' : 'peer.rejected';
  throw new PeerError(code, `${what} ${link.ip}`, 'never', new Error(`the device says: ${words ?? 'no'}`));
}

const set = z.looseObject({ pools: list(z.looseObject({ url: text(512), user: text(512) }), 8) });

/** All three places are written, empty ones too; the mining program restarts. */
async function changePools(link: MinerLink, wanted: readonly WantedPool[]): Promise<ActResult> {
  const what = 'change the pools of';
  const before = await beforeAct(link, what, async () => {
    const { pools } = set.safeParse(await link.send(call('pools'), { deadlineMs: DEADLINE_MS })).data ?? {};
    if (pools === undefined) throw new PeerError('peer.unparsable', `read the pools of ${link.ip}`, 'later');
    return pools.flatMap(({ url, user = '' }) => (url === undefined ? [] : [{ url, user }]));
  });
  if (samePools(before, wanted)) return THEY_WERE_SO;
  const form = placesAsFields(wanted, POOLS, (no) => [`Pool${no}`, `UserName${no}`, `Password${no}`]);
  const { json: _, ...request } = call('updatePools');
  return orLostReply(() => sendCommand(link, what, { ...request, form }));
}
