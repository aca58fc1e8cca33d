// What we change on AxeOS and its kin (atlas 11): restart, show itself, pause, pools. No login; builds that do not know a path say 404.
import { z } from 'zod';
import { PeerError } from '../../src/base/errors.ts';
import type { Ability, AbilityName, ActResult } from '../../src/driver/contract.ts';
import { beforeAct, orLostReply } from '../_families/lost-reply.ts';
import { poolParams, type WantedPool } from '../_families/pool-params.ts';
import { poolUrl } from './read.ts';
import { type Info, infoReply } from './replies.ts';

type MinerLink = Parameters<Ability['act']>[0];

const DEADLINE_MS = 8_000;
const POOLS = 2;
const ACCEPTED = { kind: 'accepted' } as const satisfies ActResult;

const lightParams = z.looseObject({ on: z.boolean() });
const modeParams = z.looseObject({ mode: z.enum(['sleep', 'low', 'normal', 'high']) });
const axePoolParams = poolParams.refine(({ pools }) => pools.length <= POOLS);

export const abilities = {
  reboot: {
    effect: 'once',
    offlineS: [5, 60],
    params: z.looseObject({}),
    act: (link) => write(link, 'reboot', 'POST', '/api/system/restart'),
  },
  light: {
    effect: 'repeatable',
    offlineS: [0, 0],
    params: lightParams,
    act(link, params) {
      const what = 'show';
      if (lightParams.parse(params).on) return write(link, what, 'POST', '/api/system/identify');
      throw new PeerError('peer.unsupported', `stop ${link.ip} from showing itself: that ends by itself`, 'never');
    },
  },
  powerMode: {
    effect: 'repeatable',
    offlineS: [0, 0],
    params: modeParams,
    async act(link, params) {
      const { mode } = modeParams.parse(params);
      const what = `set the mode of ${link.ip} to ${mode}`;
      if (mode === 'low' || mode === 'high') throw new PeerError('peer.unsupported', what, 'never');
      const { miningPaused } = await readInfo(link, 'pause');
      if (miningPaused === undefined) throw new PeerError('peer.unsupported', what, 'never');
      if (miningPaused === (mode === 'sleep')) return { ...ACCEPTED, note: 'it was so already' };
      return write(link, 'pause or resume', 'POST', `/api/system/${mode === 'sleep' ? 'pause' : 'resume'}`);
    },
  },
  pools: {
    effect: 'once',
    offlineS: [5, 60],
    params: axePoolParams,
    act: (link, params) => changePools(link, axePoolParams.parse(params).pools),
  },
} as const satisfies Partial<Record<AbilityName, Ability>>;

/** A fallback that nobody asked for would be mined at one day: with one pool, the fallback is that pool too. They count after a restart. */
async function changePools(link: MinerLink, wanted: readonly WantedPool[]): Promise<ActResult> {
  const what = 'change the pools of';
  const [main, fallback = main] = wanted.map((pool) => addressOf(link, pool));
  if (main === undefined || fallback === undefined) return ACCEPTED;
  const info = await readInfo(link, what);
  if (
    poolUrl(info.stratumURL, info.stratumPort) === main.url &&
    info.stratumUser === main.user &&
    poolUrl(info.fallbackStratumURL, info.fallbackStratumPort) === fallback.url &&
    info.fallbackStratumUser === fallback.user
  ) {
    return { ...ACCEPTED, note: 'they were so already' };
  }
  const set = await write(link, what, 'PATCH', '/api/system', {
    stratumURL: main.host,
    stratumPort: main.port,
    stratumUser: main.user,
    stratumPassword: main.password,
    fallbackStratumURL: fallback.host,
    fallbackStratumPort: fallback.port,
    fallbackStratumUser: fallback.user,
    fallbackStratumPassword: fallback.password,
  });
  return set.kind === 'lost-reply' ? set : write(link, what, 'POST', '/api/system/restart');
}

/** The device wants host and port apart and speaks Stratum over TCP only. */
function addressOf(link: MinerLink, pool: WantedPool) {
  const [, host, port] = pool.url.match(/^stratum\+tcp:\/\/([^\s/:]+):(\d{1,5})$/i) ?? [];
  if (host === undefined) throw new PeerError('peer.unsupported', `set a pool of this kind on ${link.ip}`, 'never');
  return { ...pool, host, port: Number(port), url: `stratum+tcp://${host}:${port}` };
}

async function readInfo(link: MinerLink, what: string): Promise<Info> {
  return beforeAct(link, what, async () => {
    const request = { via: 'http', method: 'GET', path: '/api/system/info', auth: 'none', as: 'json' } as const;
    const info = infoReply.safeParse(await link.send(request, { deadlineMs: DEADLINE_MS }));
    if (!info.success) throw new PeerError('peer.unparsable', `read the settings of ${link.ip}`, 'later');
    return info.data;
  });
}

async function write(
  link: MinerLink,
  what: string,
  method: 'POST' | 'PATCH',
  path: string,
  json?: object,
): Promise<ActResult> {
  return orLostReply(async () => {
    try {
      const request = { via: 'http', method, path, auth: 'none', as: 'text', ...(json && { json }) } as const;
      await link.send(request, { deadlineMs: DEADLINE_MS });
      return ACCEPTED;
    } catch (error) {
      if (!(error instanceof PeerError) || error.code !== 'peer.auth') throw error;
      // There is no login: newer builds take changes only from addresses that they hold to be local.
      throw new PeerError('peer.permission', `${what} ${link.ip}`, 'never', error);
    }
  });
}
