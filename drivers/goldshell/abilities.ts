// What Goldshell can be told through the API of its page: restart, plans, lamps and pools. Its TCP port takes no orders from the network.
import { z } from 'zod';
import { PeerError } from '../../src/base/errors.ts';
import type { Ability, AbilityName, ActResult, MinerLink } from '../../src/driver/contract.ts';
import { beforeAct, orLostReply } from '../_families/lost-reply.ts';
import { SO_ALREADY, unsupported } from '../_families/outcomes.ts';
import { light, modesAndPresets, pools, reboot } from '../_families/usual-abilities.ts';
import { changePools } from './pools.ts';
import { LEVELS } from './read.ts';
import { type Setting, settingReply } from './replies.ts';
import { put, resource } from './requests.ts';

export const abilities: Readonly<Partial<Record<AbilityName, Ability>>> = {
  reboot: reboot([10, 180], (link) => orLostReply(() => put(link, 'restart'))),
  light: light((link, on) => changeSetting(link, 'switch the lamps of', () => ({ ledcontrol: on }))),
  /** A preset is the words of a plan of the device, such as `700 MHz 11750 V 30 RPM 30 RPM PV 11900`. */
  powerMode: modesAndPresets({
    offlineS: [0, 60],
    async set(link, { mode, preset }) {
      const what = `set the plan '${preset ?? mode}' on`;
      if (mode === 'high') throw unsupported(link, what);
      return changeSetting(link, what, ({ powerplans }) => {
        const plan = powerplans?.find(({ level, info }) =>
          mode === undefined ? info === preset : level === LEVELS[mode],
        );
        if (plan?.level === undefined) throw unsupported(link, what);
        return { select: plan.level, manual: false };
      });
    },
    shows({ miningMode, miningModePreset }, { mode, preset }) {
      if (miningMode === undefined && miningModePreset === undefined) return undefined;
      return preset === undefined ? miningMode === mode : miningModePreset === preset;
    },
    shownWithinS: 120,
  }),
  pools: pools({ offlineS: [0, 60], set: changePools, shownWithinS: 120 }),
};

/** The whole object goes back as it was read, with the changes. `change` may throw: nothing has been sent then. */
async function changeSetting(
  link: MinerLink,
  what: string,
  change: (setting: Setting) => Readonly<Record<string, unknown>>,
): Promise<ActResult> {
  const [raw, changes] = await beforeAct(link, what, async () => {
    const answer = z.record(z.string(), z.unknown()).safeParse(await link.send(resource('setting')));
    const setting = settingReply.safeParse(answer.data).data;
    if (!answer.success || setting === undefined || !('select' in answer.data))
      throw new PeerError('peer.unparsable', `read the settings of ${link.ip}`, 'later');
    return [answer.data, change(setting)] as const;
  });
  const isSet = Object.entries(changes).every(([key, value]) => raw[key] === value);
  if (isSet) return SO_ALREADY;
  return orLostReply(() => put(link, 'setting', { ...raw, ...changes }));
}
