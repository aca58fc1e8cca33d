// What Innosilicon can be told through its web API: reboot, and the three pools. Its light and its modes have no known way.
import { z } from 'zod';
import { PeerError } from '../../src/base/errors.ts';
import type { Ability, AbilityName, ActResult } from '../../src/driver/contract.ts';
import { bool, list, text } from '../../src/driver/fields.ts';
import { beforeAct, orLostReply } from '../_families/lost-reply.ts';
import { poolParams, samePools, showsPools, type WantedPool } from '../_families/pool-params.ts';
import type { MinerLink } from '../_families/web-session.ts';
import { session } from './session.ts';

const DEADLINE_MS = 15_000;
const POOLS = 3;

/** Everything is posted, reads too. */
export const call = (name: string) =>
  ({ via: 'http', method: 'POST', path: `/api/${name}`, auth: session, json: {}, as: 'json' }) as const;

const innoPoolParams = poolParams.refine(({ pools }) => pools.length <= POOLS);

export const abilities: Readonly<Partial<Record<AbilityName, Ability>>> = {
  reboot: {
    effect: 'once',
    offlineS: [30, 240],
    params: z.looseObject({}),
    act: (link) => orLostReply(() => order(link, 'reboot', call('reboot'))),
  },
  pools: {
    effect: 'once',
    offlineS: [0, 60],
    params: innoPoolParams,
    act: (link, params) => changePools(link, innoPoolParams.parse(params).pools),
    shows: showsPools,
    shownWithinS: 180,
  },
};

const verdict = z.looseObject({ success: bool(), message: text(256), msg: text(256) });

async function order(link: MinerLink, what: string, request: Parameters<MinerLink['send']>[0]): Promise<ActResult> {
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
  if (samePools(before, wanted)) return { kind: 'accepted', note: 'they were so already' };
  const form: Record<string, string> = {};
  for (let place = 0; place < POOLS; place++) {
    const pool = wanted[place];
    form[`Pool${place + 1}`] = pool?.url ?? '';
    form[`UserName${place + 1}`] = pool?.user ?? '';
    form[`Password${place + 1}`] = pool?.password ?? '';
  }
  const { json: _, ...request } = call('updatePools');
  return orLostReply(() => order(link, what, { ...request, form }));
}
