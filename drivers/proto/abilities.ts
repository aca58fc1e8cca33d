// What we change on a Proto rig (atlas 12): reboot, show itself, stop and start, modes and power target, pools,
// firmware; and its log. The first answers are for everybody, the others for a token.
import * as kit from '../../src/driver/kit/index.ts';
import { isStopped, PERFORMANCE, statusOf } from './read.ts';

const session = kit.tokenSession({
  name: 'proto',
  path: '/api/v1/auth/login',
  json: ({ password }) => ({ password }),
  token: (answer) => answer.text('access_token', 8_192),
});

export const path = (name: string) => `/api/v1/${name}`;
export const locked = (name: string) => kit.get(path(name), session);

/** Accepted is not done: the device says 202 and goes to work. */
const order = (link: kit.MinerLink, name: string, json?: unknown, request = kit.post) =>
  kit.command(link, `command ${name} of`, kit.asText(request(path(name), session, { json })));

const setTarget = (link: kit.MinerLink, json: object) => order(link, 'mining/target', json, kit.put);
const askTarget = (link: kit.MinerLink) => kit.askFirst(link, 'set the target of', locked('mining/target'));

const DONE = { ...kit.ACCEPTED, note: 'some builds run it only after a restart' };

export const abilities = {
  reboot: kit.reboot([20, 180], (link) => order(link, 'system/reboot')),
  light: kit.blink((link) => order(link, 'system/locate')),
  /** A preset is a power target: `3000 W`. */
  powerMode: kit.modesAndPresets({
    offlineS: [0, 0],
    async set(link, { mode, preset }) {
      if (preset !== undefined) return setPower(link, preset);
      const isKnown = (answer: kit.Answer) => statusOf(answer) !== undefined;
      const isAsleep = isStopped(statusOf(await kit.askFirst(link, 'set the mode of', locked('mining'), isKnown)));
      if (mode === 'sleep') return isAsleep ? kit.SO_ALREADY : order(link, 'mining/stop');
      return kit.inTurn(
        // Normal means awake: a rig has no mode between its two.
        (mode === 'low' || mode === 'high') && (() => setPerformance(link, PERFORMANCE[mode])),
        isAsleep && (() => order(link, 'mining/start')),
      );
    },
    shows(reading, { mode, preset }) {
      const { miningMode, isMining } = reading;
      if (preset !== undefined) return kit.showsTarget(reading, preset);
      if (mode === 'normal') return miningMode === 'sleep' ? false : isMining;
      return miningMode === undefined ? undefined : miningMode === mode;
    },
    shownWithinS: 180,
  }),
  pools: kit.pools({
    offlineS: [0, 0],
    atMost: 3,
    set(link, wanted) {
      const json = wanted.map(({ url, user, password }, priority) => ({ url, username: user, password, priority }));
      return order(link, 'pools', json);
    },
    shownWithinS: 120,
  }),
  firmware: kit.firmware({
    offlineS: [60, 900],
    send(link, { name, bytes }) {
      const upload = { fields: {}, file: { field: 'file', name, bytes } };
      const request = kit.asText(kit.put(path('system/update'), session, { upload }));
      return kit.upload(link, 'update', request, () => DONE);
    },
  }),
  log: kit.log((link) =>
    kit.fetchLog(link, locked('system/logs?lines=5000'), (answer) => {
      const lines = answer.at('logs').list('content', 5_000);
      return lines?.filter((line) => typeof line === 'string').join('\n');
    }),
  ),
};

/** Beside a mode the power target is that of the factory. */
async function setPerformance(link: kit.MinerLink, mode: string): Promise<kit.ActResult> {
  const usualW = (await askTarget(link)).watts('default_power_target_watts');
  return setTarget(link, { performance_mode: mode, ...(usualW && { power_target_watts: usualW }) });
}

async function setPower(link: kit.MinerLink, preset: string): Promise<kit.ActResult> {
  const wanted = kit.wantedTarget(link, preset, 'W');
  const target = await askTarget(link);
  const [min, max] = [target.watts('power_target_min_watts'), target.watts('power_target_max_watts')];
  kit.mustBeWithin(link, wanted, min, max);
  if (target.watts('power_target_watts') === wanted.value) return kit.SO_ALREADY;
  return setTarget(link, { power_target_watts: wanted.value });
}
