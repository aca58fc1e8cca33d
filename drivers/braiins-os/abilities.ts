// What we change on Braiins OS (atlas 6): reboot, light, mode and targets, pools, firmware; and its log. REST first,
// then what older versions know.
import * as kit from '../../src/driver/kit/index.ts';
import * as graphql from './graphql/commands.ts';
import * as rest from './rest/commands.ts';
import * as tcp from './tcp/commands.ts';

export const abilities = {
  reboot: kit.reboot([40, 180], (link) => kit.firstKnown([rest, graphql], (api) => api.reboot(link))),
  light: kit.light((link, on) => kit.firstKnown([rest, graphql], (api) => api.setLight(link, on))),
  /** A preset is a target such as `3000 W` or `140 TH`. */
  powerMode: kit.modesAndPresets({
    offlineS: [0, 0],
    async set(link, { mode, preset }) {
      if (preset !== undefined) return setTarget(link, preset);
      if (mode === 'sleep') return kit.firstKnown([rest, graphql, tcp], (api) => api.pause(link));
      if (mode === 'normal') return kit.firstKnown([rest, graphql, tcp], (api) => api.wake(link));
      throw kit.unsupported(link, `set the mode ${mode} on`, NO_MODE);
    },
    shows({ miningMode, isMining, powerLimitW }, { mode, preset }) {
      const target = preset === undefined ? undefined : targetOf(preset);
      if (target !== undefined) {
        if (miningMode === undefined) return undefined;
        if (target.unit === 'TH/s') return miningMode === 'hashrate_tuning';
        if (powerLimitW === undefined) return undefined;
        // The firmware may scale down below what is set, never up.
        return miningMode === 'power_tuning' && powerLimitW <= target.value;
      }
      if (mode === 'sleep') return miningMode === 'sleep' ? true : isMining === undefined ? undefined : !isMining;
      return miningMode === 'sleep' ? false : isMining;
    },
    // From cold to the first hashes.
    shownWithinS: 600,
  }),
  pools: kit.pools({
    offlineS: [0, 0],
    set: (link, wanted) => kit.firstKnown([rest, graphql], (api) => api.setPools(link, wanted)),
  }),
  firmware: kit.firmware({ offlineS: [60, 900], send: rest.upgrade, isVersion: kit.showsVersionIn }),
  password: kit.password({
    offlineS: [0, 0],
    // What else the login on the console takes is not known.
    pattern: /^[\x21-\x7e]*$/,
    provesLogin: rest.proveLogin,
    set: rest.setPassword,
  }),
  log: kit.log((link) => kit.firstKnown([rest, graphql], (api) => api.log(link))),
};

const NO_MODE = 'Braiins OS has power targets (3000 W) and hashrate targets (140 TH), and no such mode';

/** A number alone is watts. */
function targetOf(preset: string): kit.Target | undefined {
  const target = kit.parseTarget(/[a-z]/i.test(preset) ? preset.replace(/watts?/i, 'W') : `${preset} W`);
  return target?.unit === 'W' ? { ...target, value: Math.round(target.value) } : target;
}

/** The device may say yes to a target and keep its own. */
async function setTarget(link: kit.MinerLink, preset: string): Promise<kit.ActResult> {
  const what = 'set a target on';
  const target = targetOf(preset);
  if (target === undefined) throw kit.unsupported(link, what, NO_MODE);
  return kit.firstKnown([rest, graphql], ({ setTarget: set, targetNow }) =>
    kit.orNotKept(
      link,
      what,
      () => set(link, what, target),
      async () => {
        const now = await targetNow(link, target);
        return now === undefined || Math.abs(now - target.value) < 1e-3 * target.value;
      },
    ),
  );
}
