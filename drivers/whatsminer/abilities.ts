// What we change on a Whatsminer: reboot, light, power, pools, firmware; and its log (atlas 4.2, 4.3). API 1 takes no
// writes. The write API of generation 2 is off by default and stays off until its owner switches it on with the maker's
// tool: we report that and work around nothing.
import { PeerError } from '../../src/base/errors.ts';
import type { Ability, AbilityName, ActResult, MinerLink } from '../../src/driver/contract.ts';
import { orLostReply } from '../../src/driver/kit/act/lost-reply.ts';
import { SO_ALREADY, THEY_WERE_SO, unsupported } from '../../src/driver/kit/act/outcomes.ts';
import { placesAsFields, samePools, type WantedPool } from '../../src/driver/kit/act/pool-params.ts';
import { firmware, light, log, modesAndPresets, pools, reboot } from '../../src/driver/kit/act/usual-abilities.ts';
import { wattsOf } from '../../src/driver/kit/words/target-preset.ts';
import { partFor } from './firmware.ts';
import { platform, poolsNow, powerLimitW, powerState } from './state.ts';
import { type Api, carryOut, dialect, judge, type Plan } from './writes.ts';

const UPLOAD_MS = 30 * 60_000;
const LOG_MS = 120_000;
const MAX_LOG_BYTES = 1024 * 1024;
const POOLS = 3;

const REBOOT: Plan = {
  api2: [{ cmd: 'reboot', params: { respbefore: 'true' } }],
  api3: [{ cmd: 'set.system.reboot' }],
};

const blink = (color: 'red' | 'green') => ({ color, period: 200, duration: 100, start: 0 });

const LIGHT_ON: Plan = {
  api2: [
    { cmd: 'set_led', params: blink('red') },
    { cmd: 'set_led', params: blink('green') },
  ],
  api3: [{ cmd: 'set.system.led', param: [blink('red'), blink('green')] }],
};
const LIGHT_OFF: Plan = {
  api2: [{ cmd: 'set_led', params: { param: 'auto' } }],
  api3: [{ cmd: 'set.system.led', param: 'auto' }],
};
const SLEEP: Plan = {
  api2: [{ cmd: 'power_off', params: { respbefore: 'true' } }],
  api3: [{ cmd: 'set.miner.service', param: 'stop' }],
};
const WAKE: Plan = {
  api2: [{ cmd: 'power_on' }],
  api3: [{ cmd: 'set.miner.service', param: 'start' }],
};
const RESTART: Plan = {
  api2: [{ cmd: 'restart_btminer' }],
  api3: [{ cmd: 'set.miner.service', param: 'restart' }],
};
const mode = (name: 'low' | 'normal' | 'high'): Plan => ({
  api2: [{ cmd: `set_${name}_power` }],
  api3: [{ cmd: 'set.miner.power_mode', param: name, older: 'set.miner.mode' }],
});
const limit = (watts: number): Plan => ({
  api2: [{ cmd: 'adjust_power_limit', params: { power_limit: String(watts) } }],
  api3: [{ cmd: 'set.miner.power_limit', param: watts }],
});

function setPools(wanted: readonly WantedPool[]): Plan {
  const params = placesAsFields(wanted, POOLS, (no) => [`pool${no}`, `worker${no}`, `passwd${no}`]);
  const param = wanted.map(({ url, user, password }) => ({ pool: url, worker: user, passwd: password }));
  return {
    api2: [{ cmd: 'update_pools', params }],
    api3: [{ cmd: 'set.miner.pools', param, isEncrypted: true }],
  };
}

export const abilities = {
  reboot: reboot([40, 180], async (link, known) =>
    carryOut(link, await dialect(link, known, 'reboot'), [REBOOT], 'reboot'),
  ),
  light: light(async (link, on, known) => {
    const what = 'switch the light of';
    return carryOut(link, await dialect(link, known, what), [on ? LIGHT_ON : LIGHT_OFF], what);
  }),
  /** A preset is a power limit such as `3300 W`. */
  powerMode: modesAndPresets({
    offlineS: [0, 60],
    async set(link, { mode: wanted, preset }, known) {
      const what = preset === undefined ? 'set the power mode of' : 'set the power limit of';
      const watts = preset === undefined ? undefined : wattsOf(preset);
      if (preset !== undefined && watts === undefined) {
        throw unsupported(link, what, 'Whatsminer has power limits, such as 3300 W, and no presets');
      }
      const api = await dialect(link, known, what);
      if (wanted === 'sleep') return carryOut(link, api, [SLEEP], 'suspend');
      const now = await powerState(link, api, what);
      // Both can only be set while the miner is powered on, and setting them restarts the mining process: not for
      // nothing.
      const steps = now.isSuspended ? [WAKE] : [];
      if (watts !== undefined) {
        if ((await powerLimitW(link, api, what)) !== watts) steps.push(limit(watts));
      } else if (wanted !== undefined && now.mode !== wanted) steps.push(mode(wanted));
      return steps.length === 0 ? SO_ALREADY : carryOut(link, api, steps, what);
    },
    shows({ miningMode, powerLimitW: limitW }, { mode: wanted, preset }) {
      if (preset === undefined) return miningMode === undefined ? undefined : miningMode === wanted;
      return limitW === undefined ? undefined : limitW === wattsOf(preset) && miningMode !== 'sleep';
    },
    shownWithinS: 180,
  }),
  pools: pools({
    offlineS: [0, 60],
    atMost: POOLS,
    async set(link, wanted, known) {
      const what = 'change the pools of';
      return changePools(link, await dialect(link, known, what), wanted, what);
    },
    shownWithinS: 180,
  }),
  firmware: firmware({
    offlineS: [60, 900],
    async send(link, image, known) {
      const what = 'update the firmware of';
      const api = await dialect(link, known, what);
      const upload = await partFor(image, await platform(link, api, what), `${what} ${link.ip}`);
      return orLostReply(async () => {
        const answer = await link.send(
          api === 'api2'
            ? { via: 'whatsminer2-write', cmd: 'update_firmware', params: {}, upload }
            : { via: 'whatsminer3-write', cmd: 'set.system.update_firmware', upload },
          { deadlineMs: UPLOAD_MS },
        );
        return judge(answer, what, link.ip);
      });
    },
    // Makers and devices write `Rel` in any case.
    isVersion: (told, wanted) => told.toLowerCase() === wanted.trim().toLowerCase(),
  }),
  log: log(async (link, known) => {
    const text = await readLog(link, await dialect(link, known, 'read the log of'));
    return typeof text === 'string' ? text : '';
  }),
} as const satisfies Partial<Record<AbilityName, Ability>>;

async function changePools(link: MinerLink, api: Api, wanted: readonly WantedPool[], what: string): Promise<ActResult> {
  const before = await poolsAsFarAsKnown(link, api);
  if (before !== undefined && samePools(before, wanted)) return THEY_WERE_SO;
  const result = await carryOut(link, api, [setPools(wanted)], what);
  if (result.kind === 'lost-reply' || api === 'api3') return result;
  // Older builds of API 2 go on with the old ones until the mining process restarts; newer ones restart it themselves.
  const after = await poolsAsFarAsKnown(link, api);
  if (after === undefined || samePools(after, wanted)) return result;
  return carryOut(link, api, [RESTART], 'restart the mining of');
}

/** While the mining process is down or starts anew it tells no pools: that stands in the way of nothing. */
async function poolsAsFarAsKnown(link: MinerLink, api: Api) {
  try {
    return await poolsNow(link, api);
  } catch (error) {
    if (error instanceof PeerError) return undefined;
    throw error;
  }
}

/** Newer firmware shows its log to anybody; where it does not, it is asked for with the login. */
async function readLog(link: MinerLink, api: Api): Promise<unknown> {
  const limits = { deadlineMs: LOG_MS, maxBytes: MAX_LOG_BYTES };
  const download = 'archive';
  if (api === 'api2') {
    return link.send({ via: 'whatsminer2-write', cmd: 'download_logs', params: {}, download }, limits);
  }
  const cmd = 'get.log.download';
  try {
    return await link.send({ via: 'whatsminer3', cmd, download }, limits);
  } catch (error) {
    if (!(error instanceof PeerError) || error.code !== 'peer.permission') throw error;
    return link.send({ via: 'whatsminer3-write', cmd, download }, limits);
  }
}
