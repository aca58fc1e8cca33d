// How a mode is set where it is a key of the whole configuration (atlas 3.4, 15, 20): read, change, send back whole, read again. A yes that changed
// nothing is a refusal; whether the miner then sleeps or hashes is found out by looking, not here.
import { z } from 'zod';
import { PeerError } from '../../src/base/errors.ts';
import type { Ability, ActResult } from '../../src/driver/contract.ts';
import { page } from './bitmain-web.ts';
import { orLostReply } from './lost-reply.ts';

type MinerLink = Parameters<Ability['act']>[0];
/** A configuration as read: at least the mode and the pools are there. */
export type Conf = Readonly<Record<string, unknown>> & { readonly pools: readonly unknown[] };

export type ModeDialect = {
  /** The device's number for a mode; undefined = it has no such mode. */
  toNumber(mode: 'sleep' | 'low' | 'normal' | 'high'): number | undefined;
  /** Undefined when the configuration does not say: then nothing is written over it. */
  modeOf(conf: Conf): number | undefined;
  /** Everything that the device wants back, with the mode changed. */
  body(conf: Conf, number: number): unknown;
};

/** The process restarts before the page answers. */
const DEADLINE_MS = 30_000;

const modeParams = z.looseObject({ mode: z.enum(['sleep', 'low', 'normal', 'high']) });
const confPage = z.looseObject({ pools: z.array(z.unknown()).min(1) });
const confAnswer = z.looseObject({ code: z.string() });

export const confMode = (dialect: ModeDialect): Ability => ({
  effect: 'repeatable',
  offlineS: [0, 60],
  params: modeParams,
  async act(link, params) {
    const { mode } = modeParams.parse(params);
    const what = `set the mode of ${link.ip}`;
    const wanted = dialect.toNumber(mode);
    if (wanted === undefined) throw new PeerError('peer.unsupported', `${what} to ${mode}`, 'never');
    const conf = confPage.safeParse(await link.send(page('get_miner_conf.cgi')));
    const before = conf.success ? dialect.modeOf(conf.data) : undefined;
    if (!conf.success || before === undefined) {
      throw new PeerError('peer.unparsable', `read the configuration of ${link.ip}`, 'later', undefined, {
        wasSent: false,
      });
    }
    // Writing restarts the process: not for nothing.
    if (before === wanted) return { kind: 'accepted', note: 'was so before' };
    const result = await write(link, dialect.body(conf.data, wanted), what);
    if (result.kind === 'lost-reply') return result;
    const after = await modeNow(link, dialect);
    if (after === undefined || after === wanted) return result;
    throw new PeerError('peer.rejected', what, 'never', new Error('the device says yes and keeps its mode'));
  },
});

const write = (link: MinerLink, json: unknown, what: string): Promise<ActResult> =>
  orLostReply(async () => {
    const answer = await link.send(
      { via: 'http', method: 'POST', path: '/cgi-bin/set_miner_conf.cgi', auth: 'digest', json, as: 'json' },
      { deadlineMs: DEADLINE_MS },
    );
    const code = confAnswer.safeParse(answer).data?.code;
    if (code === 'M000') return { kind: 'accepted', note: code };
    if (code === undefined) throw new PeerError('peer.unparsable', what, 'later', undefined, { wasSent: true });
    throw new PeerError('peer.rejected', what, 'never', new Error(`the device answers ${code.slice(0, 32)}`));
  });

/** Undefined when the device does not say: then it is for the next visits to see. */
async function modeNow(link: MinerLink, dialect: ModeDialect): Promise<number | undefined> {
  try {
    const conf = confPage.safeParse(await link.send(page('get_miner_conf.cgi')));
    return conf.success ? dialect.modeOf(conf.data) : undefined;
  } catch (error) {
    if (error instanceof PeerError) return undefined;
    throw error;
  }
}

/** The number in the form in which the device wrote it. */
export const likeBefore = (before: unknown, number: number) => (typeof before === 'string' ? String(number) : number);

const EMPTY_POOL = { url: '', user: '', pass: '' };
const POOLS = 3;

/**
 * What firmware of Bitmain's 2020 web wants back: all of it or nothing, the mode under both of its names because builds differ in which one they
 * heed, the level under another name than it is read by, and always three pools.
 */
export function bitmainBody(conf: Conf, number: number): unknown {
  const mode = likeBefore(conf['bitmain-work-mode'] ?? conf['miner-mode'], number);
  return {
    'bitmain-fan-ctrl': conf['bitmain-fan-ctrl'],
    'bitmain-fan-pwm': conf['bitmain-fan-pwm'],
    'freq-level': conf['bitmain-freq-level'] ?? conf['freq-level'],
    'miner-mode': mode,
    'bitmain-work-mode': mode,
    pools: [...conf.pools, EMPTY_POOL, EMPTY_POOL, EMPTY_POOL].slice(0, Math.max(POOLS, conf.pools.length)),
  };
}
