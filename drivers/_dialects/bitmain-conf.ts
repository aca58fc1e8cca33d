// The configuration of Bitmain's web of 2020 and of its copies (atlas 3.4, 15, 20): read, changed, sent back whole, and
// for a mode read again: a yes without a change is a refusal. The core looks whether the miner obeyed.
import * as kit from '../../src/driver/kit/index.ts';
import type { PowerMode } from '../../src/model/tasks/task-params.ts';
import { page, submit } from './bitmain-web.ts';

const PAGE = page('get_miner_conf.cgi');
/** The page answers when the mining process has been restarted, mostly after 10 to 25 s. */
const RESTARTS = { deadlineMs: 30_000 };

/** `what` as in "set the mode of". Whatever fails, nothing has been changed. */
export const readConf = (link: kit.MinerLink, what: string): Promise<kit.Answer> =>
  kit.askFirst(link, what, PAGE, (conf) => (conf.list('pools') ?? []).length > 0);

const writeConf = (link: kit.MinerLink, json: unknown, what: string): Promise<kit.ActResult> =>
  kit.command(link, what, submit('set_miner_conf.cgi', { json }), verdict, RESTARTS);

function verdict(answer: kit.Answer): kit.Verdict {
  const code = answer.text('code', 32);
  const isDone = code === 'M000' || (code === undefined && answer.value('stats') === 'success');
  return isDone ? { kind: 'accepted', note: 'M000' } : code;
}

/** What is to be another than it was. */
export type Changes = {
  readonly mode?: number | undefined;
  readonly pools?: readonly Readonly<Record<'url' | 'user' | 'pass', string>>[] | undefined;
};

export type ConfDialect = {
  /** The device's number for a mode; undefined = it has no such mode. */
  numberOf(mode: PowerMode, known: kit.Known): number | undefined;
  /** Undefined when the configuration does not say: then nothing is written over it. */
  modeOf(conf: kit.Answer): number | undefined;
  /** Everything that the device wants back; what is not in `changes` stays as it was. */
  body(conf: kit.Answer, changes: Changes, known: kit.Known): unknown;
};

/** Of a configuration whose two names for the mode disagree: it is written over, and afterwards only a look tells. */
export const UNCLEAR = -1;

/** While the process restarts, TCP tells nothing or what was before. */
export const confMode = ({ numberOf, modeOf, body }: ConfDialect) =>
  kit.modes({ offlineS: [0, 60], shownWithinS: 180 }, async (link, mode, known) => {
    const what = 'set the mode of';
    const wanted = numberOf(mode, known);
    if (wanted === undefined) throw kit.unsupported(link, `set the mode ${mode} on`);
    const conf = await readConf(link, what);
    const before = modeOf(conf);
    if (before === undefined) {
      const cause = new Error('its configuration has no mode');
      throw new kit.PeerError('peer.rejected', `${what} ${link.ip}`, 'never', cause, { wasSent: false });
    }
    // Writing restarts the process: not for nothing.
    if (before === wanted) return { kind: 'accepted', note: 'was so before' };
    const result = await writeConf(link, body(conf, { mode: wanted }, known), what);
    if (result.kind === 'lost-reply') return result;
    const after = modeOf(await kit.tryToAsk(link, PAGE));
    if (after === undefined || after === wanted || after === UNCLEAR) return result;
    const cause = new Error('the device says yes and keeps its mode');
    throw new kit.PeerError('peer.rejected', `${what} ${link.ip}`, 'never', cause);
  });

const POOLS = 3;

export const confPools = (body: ConfDialect['body']) =>
  kit.pools({
    offlineS: [0, 120],
    atMost: POOLS,
    async set(link, wanted, known) {
      const what = 'set the pools of';
      const conf = await readConf(link, what);
      if (hasPools(conf, wanted)) return kit.THEY_WERE_SO;
      const pools = wanted.map(({ url, user, password }) => ({ url, user, pass: password }));
      return writeConf(link, body(conf, { pools }, known), what);
    },
    shownWithinS: 180,
  });

/** The pools of a configuration in all of their places; those without a pool are empty. */
export const poolsIn = (conf: kit.Answer): readonly kit.WantedPool[] => {
  const textOf = (row: kit.Answer, key: string) => String(row.value(key) ?? '');
  const toPool = (row: kit.Answer) => ({
    ...{ url: textOf(row, 'url'), user: textOf(row, 'user') },
    password: textOf(row, 'pass'),
  });
  return conf.rows('pools')?.map(toPool) ?? [];
};

/** Whether the pools of a configuration are these already, with their passwords; empty places do not count. */
export function hasPools(conf: kit.Answer, wanted: readonly kit.WantedPool[]): boolean {
  const set = poolsIn(conf).filter(({ url }) => url !== '');
  return kit.samePools(set, wanted) && set.every(({ password }, place) => password === wanted[place]?.password);
}

const EMPTY_POOL = { url: '', user: '', pass: '' };

/** Places without a pool are there all the same. */
export const inAllPlaces = (pools: readonly unknown[]): readonly unknown[] =>
  [...pools, EMPTY_POOL, EMPTY_POOL, EMPTY_POOL].slice(0, Math.max(POOLS, pools.length));

/** The number in the form in which the device wrote it. */
export const likeBefore = (before: unknown, number: number) => (typeof before === 'string' ? String(number) : number);

/** The mode under its two names; where both are there they have to agree. */
export function bitmainMode(conf: kit.Answer): number | undefined {
  const [minerMode, workMode] = ['miner-mode', 'bitmain-work-mode'].map((key) =>
    conf.number(key, { min: 0, max: 255 }),
  );
  if (minerMode === undefined || workMode === undefined) return minerMode ?? workMode;
  return minerMode === workMode ? minerMode : UNCLEAR;
}

type Form = (conf: kit.Answer, number: number, known: kit.Known) => number | string;
const asBefore: Form = (conf, number) =>
  likeBefore(conf.value('bitmain-work-mode') ?? conf.value('miner-mode'), number);

/**
 * What firmware of Bitmain's 2020 web accepts: the whole configuration or nothing, the mode under both of its names
 * because builds read different ones, the level under another name than it is read by, and always three pools.
 */
export const bitmainBody =
  (form: Form = asBefore) =>
  (conf: kit.Answer, { mode = bitmainMode(conf), pools }: Changes, known: kit.Known) => {
    const [minerMode, workMode] = [conf.value('miner-mode'), conf.value('bitmain-work-mode')];
    // Where its two names disagree both go back as they were.
    const written = mode === undefined || mode === UNCLEAR ? undefined : form(conf, mode, known);
    return {
      'bitmain-fan-ctrl': conf.value('bitmain-fan-ctrl'),
      'bitmain-fan-pwm': conf.value('bitmain-fan-pwm'),
      'freq-level': kit.first(conf.value('bitmain-freq-level'), conf.value('freq-level')),
      'miner-mode': kit.first<unknown>(written, minerMode, workMode),
      'bitmain-work-mode': kit.first<unknown>(written, workMode, minerMode),
      pools: inAllPlaces(pools ?? conf.list('pools') ?? []),
    };
  };
