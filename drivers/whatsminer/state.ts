// What is asked of a Whatsminer before it is changed: its power state, its pools, its control board.
import { z } from 'zod';
import { PeerError } from '../../src/base/errors.ts';
import type { MinerLink } from '../../src/driver/contract.ts';
import { bool, num, text } from '../../src/driver/fields.ts';
import { beforeAct } from '../../src/driver/kit/act/lost-reply.ts';
import { poolsReply } from '../_dialects/cgminer.ts';
import { modeOf, powerMode } from './facts.ts';
import { deviceInfo, replies } from './replies.ts';
import { type Api, DEADLINE_MS } from './writes.ts';

const powerReply = z.looseObject({
  Msg: z.looseObject({ mineroff: bool(), power_mode: text() }).optional().catch(undefined),
  msg: deviceInfo.optional().catch(undefined),
});

type PowerState = { readonly isSuspended: boolean; readonly mode: ReturnType<typeof powerMode> };

const info3 = { via: 'whatsminer3', cmd: 'get.device.info' } as const;
const status3 = (param: string) => ({ via: 'whatsminer3', cmd: 'get.miner.status', param }) as const;
const tcp = (command: string) => ({ via: 'cgminer', command }) as const;

const asked = (link: MinerLink, what: string, request: ReturnType<typeof tcp | typeof status3> | typeof info3) =>
  beforeAct(link, what, () => link.send(request, { deadlineMs: DEADLINE_MS }));

export async function powerState(link: MinerLink, api: Api, what: string): Promise<PowerState> {
  const answer = await asked(link, what, api === 'api2' ? tcp('status') : info3);
  const { Msg, msg } = powerReply.safeParse(answer).data ?? {};
  return {
    isSuspended: Msg?.mineroff === true || msg?.miner?.working === false,
    mode: powerMode(Msg?.power_mode) ?? modeOf(msg?.power?.mode),
  };
}

const limitReply = z.looseObject({
  SUMMARY: z
    .array(z.looseObject({ 'Power Limit': num() }))
    .optional()
    .catch(undefined),
  Msg: z.looseObject({ 'Power Limit': num() }).optional().catch(undefined),
  msg: z
    .looseObject({ summary: z.looseObject({ 'power-limit': num() }) })
    .optional()
    .catch(undefined),
});

/** Undefined where it is not told. */
export async function powerLimitW(link: MinerLink, api: Api, what: string): Promise<number | undefined> {
  const answer = await asked(link, what, api === 'api2' ? tcp('summary') : status3('summary'));
  const { SUMMARY, Msg, msg } = limitReply.safeParse(answer).data ?? {};
  return SUMMARY?.[0]?.['Power Limit'] ?? Msg?.['Power Limit'] ?? msg?.summary['power-limit'];
}

/** In the order of their use; undefined where the answer has no list. */
export async function poolsNow(
  link: MinerLink,
  api: Api,
): Promise<readonly { readonly url: string; readonly user: string }[] | undefined> {
  if (api === 'api2') {
    const rows = poolsReply.safeParse(await link.send(tcp('pools'), { deadlineMs: DEADLINE_MS })).data?.POOLS;
    return rows?.flatMap(({ URL: url, User: user = '' }) => (url ? [{ url, user }] : []));
  }
  const msg = replies.shape.pools3.parse(await link.send(status3('pools'), { deadlineMs: DEADLINE_MS }))?.msg;
  const rows = typeof msg === 'object' ? msg.pools : undefined;
  return rows?.flatMap(({ url, account = '' }) => (url ? [{ url, user: account }] : []));
}

const platformReply = z.looseObject({
  Msg: z
    .looseObject({ platform: text(16) })
    .optional()
    .catch(undefined),
  msg: deviceInfo.optional().catch(undefined),
});

/** The name of the control board's chip in lower case, as firmware files write it. */
export async function platform(link: MinerLink, api: Api, what: string): Promise<string> {
  const answer = await asked(link, what, api === 'api2' ? tcp('get_version') : info3);
  const { Msg, msg } = platformReply.safeParse(answer).data ?? {};
  const name = Msg?.platform ?? msg?.system?.platform;
  if (name !== undefined) return name.toLowerCase();
  throw new PeerError(
    'peer.rejected',
    `prepare to ${what} ${link.ip}: it does not name its control board`,
    'later',
    undefined,
    {
      wasSent: false,
    },
  );
}
