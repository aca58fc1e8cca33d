// Bitmain's web from before 2020 (atlas 3.4, generation A): forms where later builds take JSON. A light that may never
// answer, and pools that go back with everything else that the configuration holds.
import { z } from 'zod';
import { PeerError } from '../../src/base/errors.ts';
import type { ActResult, MinerLink } from '../../src/driver/contract.ts';
import { beforeAct, orLostReply } from '../../src/driver/kit/act/lost-reply.ts';
import { ACCEPTED, SO_ALREADY, THEY_WERE_SO, unsupported } from '../../src/driver/kit/act/outcomes.ts';
import { placesAsFields, type WantedPool } from '../../src/driver/kit/act/pool-params.ts';
import { light, modes, pools } from '../../src/driver/kit/act/usual-abilities.ts';
import { is17Series, modeNumber } from './bitmain-modes.ts';
import { hasPools, setPools } from './bitmain-pools.ts';
import { page } from './bitmain-web.ts';

const blinkForm = (action: 'startBlink' | 'stopBlink' | 'onPageLoaded') =>
  ({ ...page('blink.cgi'), method: 'POST', form: { action } }) as const;

/** Asks whether the light blinks. A post that changes nothing, but only where the page is of this kind. */
export const blinkQuestion = blinkForm('onPageLoaded');
export const blinkState = z.looseObject({ isBlinking: z.boolean() });

/** What starts the light may keep the connection open as long as the light blinks. */
const BLINK_MS = 2_000;

export const formLight = light(async (link, on) => {
  const before = blinkState.safeParse(await beforeAct(link, 'switch the light of', () => link.send(blinkQuestion)));
  // The page has no answer for a light that blinks already.
  if (before.data?.isBlinking === on) return SO_ALREADY;
  const told = await orLostReply(async () => {
    const action = on ? 'startBlink' : 'stopBlink';
    await link.send({ ...blinkForm(action), as: 'text' }, { deadlineMs: BLINK_MS });
    return ACCEPTED;
  });
  const after = await isBlinkingNow(link);
  if (after === undefined) return told;
  if (after === on) return ACCEPTED;
  throw new PeerError('peer.rejected', `switch the light of ${link.ip}`, 'later', new Error('it stays as it was'));
});

/** Undefined when the device does not say: then it is for the next visits to see. */
async function isBlinkingNow(link: MinerLink): Promise<boolean | undefined> {
  try {
    return blinkState.safeParse(await link.send(blinkQuestion)).data?.isBlinking;
  } catch (error) {
    if (error instanceof PeerError) return undefined;
    throw error;
  }
}

const POOLS = 3;
/** The page answers when the mining process is up again. */
const RESTART_MS = 75_000;

const oldConf = z.looseObject({ pools: z.array(z.unknown()).min(1) });
type OldConf = z.output<typeof oldConf>;

const WHAT = 'set the pools of';

export const formPools = pools({
  offlineS: [0, 120],
  atMost: POOLS,
  async set(link, wanted) {
    if (!wanted.every(isStorable)) throw unsupported(link, WHAT, UNSTORABLE);
    const conf = await readOldConf(link, WHAT);
    if (hasPools(conf.pools, wanted)) return THEY_WERE_SO;
    return writeOldConf(link, confForm(conf, wanted));
  },
  shownWithinS: 180,
});

/**
 * Sleep and wake of the 17 series, the only machines with this web that have a mode. It is sent back with the whole
 * configuration.
 */
export const formMode = modes({ offlineS: [0, 120], shownWithinS: 300 }, async (link, mode, { model }) => {
  const what = 'set the mode of';
  const wanted = is17Series(model) ? modeNumber(mode, model) : undefined;
  if (wanted === undefined) throw unsupported(link, `set the mode ${mode} on`);
  const conf = await readOldConf(link, what);
  if (!('bitmain-work-mode' in conf)) throw unsupported(link, what, 'its configuration has no mode');
  if (String(conf['bitmain-work-mode']) === String(wanted)) return SO_ALREADY;
  const pools = setPools.parse(conf.pools).map(({ url, user, pass: password }) => ({ url, user, password }));
  if (!pools.every(isStorable)) throw unsupported(link, what, UNSTORABLE);
  return writeOldConf(link, { ...confForm(conf, pools), _ant_work_mode: String(wanted) });
});

const readOldConf = async (link: MinerLink, what: string): Promise<OldConf> => {
  const conf = oldConf.safeParse(await beforeAct(link, what, () => link.send(page('get_miner_conf.cgi'))));
  if (conf.success) return conf.data;
  throw new PeerError('peer.unparsable', `read the configuration of ${link.ip}`, 'later', undefined, {
    wasSent: false,
  });
};

const writeOldConf = (link: MinerLink, form: Record<string, string>): Promise<ActResult> =>
  orLostReply(async (): Promise<ActResult> => {
    const request = { ...page('set_miner_conf.cgi'), method: 'POST', form, as: 'text' } as const;
    const answer = await link.send(request, { deadlineMs: RESTART_MS });
    // Nothing is what it says while it is busy with another change: whether that was ours shows later.
    return /^\s*"?ok/i.test(String(answer)) ? ACCEPTED : { kind: 'lost-reply' };
  });

/**
 * The page is a shell script that decodes only these escapes, and keeps others in the address as they are. It decodes
 * `%` twice, and writes the texts into JSON without escaping them.
 */
export const isStorable = ({ url, user, password }: WantedPool) =>
  [url, user, password].every((part) => /^[\w.\-* #$&,+:;<=>?@[\]^{|}/]*$/.test(part));

export const UNSTORABLE = 'this firmware would store other characters than these';

/** In the order of the device's own page: the script counts fields and does not look at their names. */
function confForm(conf: OldConf, wanted: readonly WantedPool[]): Record<string, string> {
  const form = placesAsFields(wanted, POOLS, (no) => [`_ant_pool${no}url`, `_ant_pool${no}user`, `_ant_pool${no}pw`]);
  const was = (key: string, otherwise = '') => {
    const value = conf[key];
    return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
      ? String(value)
      : otherwise;
  };
  form._ant_nobeeper = was('bitmain-nobeeper', 'false');
  form._ant_notempoverctrl = was('bitmain-notempoverctrl', 'false');
  form._ant_fan_customize_switch = was('bitmain-fan-ctrl', 'false');
  form._ant_fan_customize_value = was('bitmain-fan-pwm');
  form._ant_freq = was('bitmain-freq');
  const hasMode = 'bitmain-work-mode' in conf;
  if (hasMode || 'bitmain-voltage' in conf) form._ant_voltage = was('bitmain-voltage');
  if (hasMode) form._ant_work_mode = was('bitmain-work-mode');
  return form;
}
