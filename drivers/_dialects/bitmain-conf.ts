// The configuration of Bitmain's web of 2020 and of its copies (atlas 3.4, 15, 20): read, changed, sent back whole. The
// driver decides what a change means and looks whether the miner obeyed.
import { z } from 'zod';
import { PeerError } from '../../src/base/errors.ts';
import type { ActResult, MinerLink } from '../../src/driver/contract.ts';
import { first } from '../../src/driver/fields.ts';
import { beforeAct, orLostReply } from '../../src/driver/kit/act/lost-reply.ts';
import { page } from './bitmain-web.ts';

/** A configuration as read: at least pools are there. */
export type Conf = Readonly<Record<string, unknown>> & { readonly pools: readonly unknown[] };
const confPage = z.looseObject({ pools: z.array(z.unknown()).min(1) });
const confAnswer = z.looseObject({ code: z.string().optional(), stats: z.string().optional() });

/** The page answers when the mining process has been restarted, mostly after 10 to 25 s. */
const DEADLINE_MS = 30_000;

/** `what` as in "set the mode of". Whatever fails, nothing has been changed. */
export const readConf = (link: MinerLink, what: string): Promise<Conf> =>
  beforeAct(link, what, async () => {
    const conf = confPage.safeParse(await link.send(page('get_miner_conf.cgi')));
    if (!conf.success) throw new PeerError('peer.unparsable', `read the configuration of ${link.ip}`, 'later');
    return conf.data;
  });

/** Undefined when the device does not say: then it is for the next visits to see. */
export async function confNow(link: MinerLink): Promise<Conf | undefined> {
  try {
    return confPage.safeParse(await link.send(page('get_miner_conf.cgi'))).data;
  } catch (error) {
    if (error instanceof PeerError) return undefined;
    throw error;
  }
}

export const writeConf = (link: MinerLink, json: unknown, what: string): Promise<ActResult> =>
  orLostReply(async () => {
    const answer = await link.send(
      { ...page('set_miner_conf.cgi'), method: 'POST', json },
      { deadlineMs: DEADLINE_MS },
    );
    const { code, stats } = confAnswer.safeParse(answer).data ?? {};
    if (code === 'M000' || (code === undefined && stats === 'success')) return { kind: 'accepted', note: 'M000' };
    const refusal = `${what} ${link.ip}`;
    if (code === undefined) throw new PeerError('peer.unparsable', refusal, 'later', undefined, { wasSent: true });
    throw new PeerError('peer.rejected', refusal, 'never', new Error(`the device answers ${code.slice(0, 32)}`));
  });

/** The number in the form in which the device wrote it. */
export const likeBefore = (before: unknown, number: number) => (typeof before === 'string' ? String(number) : number);

const EMPTY_POOL = { url: '', user: '', pass: '' };
export const BITMAIN_POOLS = 3;

/** Places without a pool are there all the same. */
export const inAllPlaces = (pools: readonly unknown[]): readonly unknown[] =>
  [...pools, EMPTY_POOL, EMPTY_POOL, EMPTY_POOL].slice(0, Math.max(BITMAIN_POOLS, pools.length));

/**
 * What firmware of Bitmain's 2020 web accepts: the whole configuration or nothing, the mode under both of its names
 * because builds read different ones, the level under another name than it is read by, and always three pools. What is
 * not in `changes` stays as it was.
 */
export function bitmainBody(
  conf: Conf,
  changes: { readonly mode?: number | string; readonly pools?: readonly unknown[] },
): Readonly<Record<string, unknown>> {
  const { mode, pools = conf.pools } = changes;
  const [minerMode, workMode] = [conf['miner-mode'], conf['bitmain-work-mode']];
  return {
    'bitmain-fan-ctrl': conf['bitmain-fan-ctrl'],
    'bitmain-fan-pwm': conf['bitmain-fan-pwm'],
    'freq-level': first(conf['bitmain-freq-level'], conf['freq-level']),
    'miner-mode': first<unknown>(mode, minerMode, workMode),
    'bitmain-work-mode': first<unknown>(mode, workMode, minerMode),
    pools: inAllPlaces(pools),
  };
}
