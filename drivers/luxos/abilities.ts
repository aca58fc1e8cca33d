// What we change on LuxOS (atlas 7): reboot, light, sleep and profile, and its own update, within a session; pools
// without one.
import { z } from 'zod';
import * as kit from '../../src/driver/kit/index.ts';
import { changePools } from './pools.ts';
import { isAsleep, isDefaultProfile } from './read.ts';
import { inSession } from './session.ts';

export const abilities = {
  reboot: kit.reboot([40, 180], (link) => inSession(link, 'reboot', ['rebootdevice'])),
  light: kit.light((link, on) => inSession(link, 'switch the light of', ['ledset', on ? 'red,blink' : 'red,auto'])),
  /** A preset is the name of a profile of the device, such as `290MHz`. */
  powerMode: kit.modesAndPresets({
    offlineS: [0, 60],
    pattern: /^[\w .+-]+$/,
    async set(link, { mode, preset }) {
      if (mode === 'low' || mode === 'high') {
        const why = 'LuxOS has profiles, named in its own words, and no such mode';
        throw kit.unsupported(link, `set the mode ${mode} on`, why);
      }
      return mode === 'sleep'
        ? inSession(link, 'suspend', ['curtail', 'sleep'])
        : setProfile(link, preset ?? 'default');
    },
    shownWithinS: 120,
  }),
  pools: kit.pools({ offlineS: [0, 0], takes: kit.haveNoComma, set: changePools }),
  /**
   * The miner fetches it itself, from the source that its owner has set: the file of the task stays here, its version
   * says what is wanted.
   */
  firmware: kit.ability({
    effect: 'once',
    offlineS: [30, 900],
    params: z.looseObject({ version: z.string().min(1).max(64) }),
    act: (link) => inSession(link, 'update', ['updaterun']),
    // `2025.4.8` is the release of the build `2025.4.8.220305`.
    shows: ({ firmwareVersion }, { version }) =>
      firmwareVersion === undefined ? undefined : `${firmwareVersion}.`.startsWith(`${version}.`),
    shownWithinS: 900,
    fetchesItself: 'from-own-source',
  }),
};

/**
 * Wakes the machine, and changes its profile if that is another one. The firmware may move it again while its own
 * thermal control is on.
 */
async function setProfile(link: kit.MinerLink, profile: string): Promise<kit.ActResult> {
  const what = 'set the profile of';
  const config = (await kit.askFirst(link, what, kit.tcp('config'), () => true)).row('CONFIG');
  const isSet = profile === 'default' ? isDefaultProfile(config) : config.text('Profile', 64) === profile;
  if (isSet && !isAsleep(config)) return kit.SO_ALREADY;
  if (!isSet && profile !== 'default' && !(await mayHaveProfile(link, what, profile)))
    throw kit.unsupported(link, what, `it has no profile '${profile}'`);
  const result = await inSession(
    ...[link, what],
    isAsleep(config) && ['curtail', 'wakeup'],
    !isSet && ['profileset', profile],
  );
  return result.kind === 'accepted' && config.bool('IsAtmEnabled') === true && !isSet
    ? { ...result, note: 'thermal control (ATM) is on and may move the profile' }
    : result;
}

/**
 * False only when the device lists its profiles and this is none of them. Without a list the device itself is to judge.
 */
async function mayHaveProfile(link: kit.MinerLink, what: string, profile: string): Promise<boolean> {
  try {
    const answer = await kit.askFirst(link, what, kit.tcp('profiles'), () => true);
    const names = answer.rows('PROFILES', 256)?.flatMap((row) => row.text('Profile Name', 64) ?? []) ?? [];
    return names.length === 0 || names.includes(profile);
  } catch (error) {
    if (error instanceof kit.PeerError && /^peer\.(unsupported|rejected)$/.test(error.code)) return true;
    throw error;
  }
}
