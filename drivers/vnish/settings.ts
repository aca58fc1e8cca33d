// The settings of VNish: read whole, changed in part, and in force after the restart that the answer asks for.
import * as kit from '../../src/driver/kit/index.ts';
import { inEitherForm, read, write } from './requests.ts';

const RESTARTS = { ...kit.ACCEPTED, note: 'mining restarts' };
const WANTS_REBOOT = { ...kit.ACCEPTED, note: 'the device wants a reboot for it' };

/** `isKept` looks whether the device keeps what it said yes to. */
export async function changeSettings(
  link: kit.MinerLink,
  what: string,
  miner: object,
  isKept: () => Promise<boolean | undefined> = async () => undefined,
): Promise<kit.ActResult> {
  const loggedIn = inEitherForm(link);
  const judge = (answer: kit.Answer) => {
    if (answer.value('reboot_required') === true) return WANTS_REBOOT;
    return answer.value('restart_required') === true ? RESTARTS : true;
  };
  const send = () => kit.command(loggedIn, what, write('settings', { json: { miner } }), judge);
  const result = await kit.orNotKept(link, what, send, isKept);
  if (result !== RESTARTS) return result;
  const restart = kit.asText(write('mining/restart'));
  return kit.command(loggedIn, 'restart the mining of', restart, () => RESTARTS);
}

/** The settings of the overclocking go back as they were read, with another preset. */
export async function setPreset(link: kit.MinerLink, preset: string): Promise<kit.ActResult> {
  const what = 'set the preset of';
  const overclock = await overclockOf(link, what);
  if (!overclock.isThere) throw kit.unsupported(link, what);
  if (presetOf(overclock) === preset) return kit.SO_ALREADY;
  if (!(await mayHavePreset(link, what, preset))) throw kit.unsupported(link, what, `it has no preset '${preset}'`);
  return changeSettings(link, what, { overclock: { ...overclock.fields, preset } }, async () => {
    const set = presetOf(await overclockOf(link, what));
    return set === undefined || set === preset;
  });
}

async function overclockOf(link: kit.MinerLink, what: string): Promise<kit.Answer> {
  const hasMiner = (settings: kit.Answer) => settings.at('miner').isThere;
  const settings = await kit.askFirst(inEitherForm(link), what, read('settings'), hasMiner);
  return settings.at('miner', 'overclock');
}

/** Scrypt machines name presets by rates, others by watts; some write the watts as a number. */
const presetOf = (overclock: kit.Answer) => kit.toText(overclock.value('preset'));

/**
 * False only when the device lists its presets and this is none of them. Without a list the device itself is to judge.
 */
async function mayHavePreset(link: kit.MinerLink, what: string, preset: string): Promise<boolean> {
  const ask = () => kit.askFirst(inEitherForm(link), what, read('autotune/presets'), () => true);
  const list = await kit.orElse(ask, () => undefined, ['peer.unsupported', 'peer.rejected']);
  const names = list?.rows(undefined, 1_000)?.map((row) => kit.toText(row.value('name'))) ?? [];
  return preset === 'disabled' || names.length === 0 || names.includes(preset);
}
