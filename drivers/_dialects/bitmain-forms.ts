// Bitmain's web from before 2020 (atlas 3.4, generation A): forms where later builds take JSON. A light that may never
// answer, and pools that go back with everything else that the configuration holds.
import * as kit from '../../src/driver/kit/index.ts';
import { hasPools, poolsIn, readConf } from './bitmain-conf.ts';
import { is17Series, modeNumber } from './bitmain-modes.ts';
import { submit } from './bitmain-web.ts';

const blinkForm = (action: 'startBlink' | 'stopBlink' | 'onPageLoaded') => submit('blink.cgi', { form: { action } });

/** Asks whether the light blinks. A post that changes nothing, but only where the page is of this kind. */
export const blinkQuestion = blinkForm('onPageLoaded');
export const isBlinkingForm = (answer: kit.Answer): boolean | undefined => answer.bool('isBlinking');

/** What starts the light may keep the connection open as long as the light blinks. */
const BLINKS = { deadlineMs: 2_000 };

export const formLight = kit.light(async (link, on) => {
  const what = 'switch the light of';
  // The page has no answer for a light that blinks already.
  if (isBlinkingForm(await kit.askFirst(link, what, blinkQuestion)) === on) return kit.SO_ALREADY;
  const action = blinkForm(on ? 'startBlink' : 'stopBlink');
  const result = await kit.command(link, what, kit.asText(action), undefined, BLINKS);
  const after = isBlinkingForm(await kit.tryToAsk(link, blinkQuestion));
  if (after === undefined) return result;
  if (after === on) return kit.ACCEPTED;
  throw new kit.PeerError('peer.rejected', `${what} ${link.ip}`, 'later', new Error('it stays as it was'));
});

export const POOLS = 3;
/** The page answers when the mining process is up again. */
const RESTARTS = { deadlineMs: 75_000 };

export const formPools = kit.pools({
  offlineS: [0, 120],
  atMost: POOLS,
  async set(link, wanted) {
    const what = 'set the pools of';
    if (!wanted.every(isStorable)) throw kit.unsupported(link, what, UNSTORABLE);
    const conf = await readConf(link, what);
    return hasPools(conf, wanted) ? kit.THEY_WERE_SO : writeConf(link, what, confForm(conf, wanted));
  },
  shownWithinS: 180,
});

/**
 * Sleep and wake of the 17 series, the only machines with this web that have a mode. It is sent back with the whole
 * configuration.
 */
export const formMode = kit.modes({ offlineS: [0, 120], shownWithinS: 300 }, async (link, mode, { model }) => {
  const what = 'set the mode of';
  const wanted = is17Series(model) ? modeNumber(mode, model) : undefined;
  if (wanted === undefined) throw kit.unsupported(link, `set the mode ${mode} on`);
  const conf = await readConf(link, what);
  if (!('bitmain-work-mode' in conf.fields)) throw kit.unsupported(link, what, 'its configuration has no mode');
  if (String(conf.value('bitmain-work-mode')) === String(wanted)) return kit.SO_ALREADY;
  const pools = poolsIn(conf);
  if (!pools.every(isStorable)) throw kit.unsupported(link, what, UNSTORABLE);
  return writeConf(link, what, { ...confForm(conf, pools), _ant_work_mode: String(wanted) });
});

// Nothing is what it says while it is busy with another change: whether that was ours shows later.
const okOrBusy = ({ raw }: kit.Answer): kit.Verdict => /^\s*"?ok/i.test(String(raw)) || { kind: 'lost-reply' };

export const writeConf = (
  link: kit.MinerLink,
  what: string,
  form: Record<string, string>,
  judge = okOrBusy,
): Promise<kit.ActResult> =>
  kit.command(link, what, kit.asText(submit('set_miner_conf.cgi', { form })), judge, RESTARTS);

/**
 * The page is a shell script that decodes only these escapes, and keeps others in the address as they are. It decodes
 * `%` twice, and writes the texts into JSON without escaping them.
 */
export const isStorable = ({ url, user, password }: kit.WantedPool) =>
  [url, user, password].every((part) => /^[\w.\-* #$&,+:;<=>?@[\]^{|}/]*$/.test(part));

export const UNSTORABLE = 'this firmware would store other characters than these';

/** Of all places, in words that begin with those of the make. */
export const poolFields = (make: '_ant' | '_bb', wanted: readonly kit.WantedPool[]): Record<string, string> =>
  kit.placesAsFields(wanted, POOLS, (no) => [`${make}_pool${no}url`, `${make}_pool${no}user`, `${make}_pool${no}pw`]);

/** In the order of the device's own page: the script counts fields and does not look at their names. */
function confForm(conf: kit.Answer, wanted: readonly kit.WantedPool[]): Record<string, string> {
  const form = poolFields('_ant', wanted);
  const was = (key: string, otherwise = '') => conf.written(key) ?? otherwise;
  form._ant_nobeeper = was('bitmain-nobeeper', 'false');
  form._ant_notempoverctrl = was('bitmain-notempoverctrl', 'false');
  form._ant_fan_customize_switch = was('bitmain-fan-ctrl', 'false');
  form._ant_fan_customize_value = was('bitmain-fan-pwm');
  form._ant_freq = was('bitmain-freq');
  const hasMode = 'bitmain-work-mode' in conf.fields;
  if (hasMode || 'bitmain-voltage' in conf.fields) form._ant_voltage = was('bitmain-voltage');
  if (hasMode) form._ant_work_mode = was('bitmain-work-mode');
  return form;
}
