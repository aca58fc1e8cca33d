// What we change on Auradine machines through their web API on port 8080 (atlas 10): reboot, lamp, modes and tuning
// targets, pools; firmware, which the machine fetches by itself.
import { z } from 'zod';
import * as kit from '../../src/driver/kit/index.ts';
import { LOCATE, NORMAL } from './errors.data.ts';
import { lampCode, NAMED, sleeps, tuningOf } from './read.ts';

const web = { port: 8080 };

const session = kit.tokenSession({
  name: 'fluxos',
  path: '/token',
  json: ({ user, password }) => ({ command: 'token', user, password }),
  token: (answer) => answer.row('Token').text('Token', 8_192),
  header: 'Token',
  isEnded(answer) {
    const status = answer.row('STATUS');
    return status.text('STATUS') === 'E' && /token|unauthori[sz]ed/i.test(status.text('Msg') ?? '');
  },
});

export const resource = (name: string) => kit.get(`/${name}`, session, web);

/** Every command repeats its own name. The device's words may hold what it was told: they go no further. */
const order = (link: kit.MinerLink, name: string, params: object = {}) => {
  const json = { command: name, ...params };
  return kit.command(link, `command ${name} of`, kit.post(`/${name}`, session, { ...web, json }), (answer) => {
    const status = answer.row('STATUS').text('STATUS');
    if (status === 'S' || status === 'I') return true;
    return status === undefined ? undefined : { why: 'that it is an error', retry: 'later' };
  });
};

const custom = ({ value, unit }: kit.Target) => ({
  ...{ mode: 'custom' },
  ...(unit === 'W' ? { tune: 'power', power: value } : { tune: 'ths', ths: value }),
});

export const abilities = {
  reboot: kit.reboot([40, 180], (link) => order(link, 'restart')),
  light: kit.light(async (link, on) => {
    const led = await kit.askFirst(link, 'switch the light of', resource('led'), kit.hasRow('LED'));
    // The lamp shows faults too: those are not wiped away.
    if ((lampCode(led.row('LED')) === LOCATE) === on) return kit.SO_ALREADY;
    return order(link, 'led', { code: on ? LOCATE : NORMAL });
  }),
  /** A preset is a target to tune to: `160 TH/s`, `3000 W`. */
  powerMode: kit.modesAndPresets({
    offlineS: [0, 60],
    async set(link, { mode: wanted = 'normal', preset }) {
      const target = preset === undefined ? undefined : kit.wantedTarget(link, preset);
      const mode = (await kit.askFirst(link, 'set the mode of', resource('mode'), kit.hasRow('Mode'))).row('Mode');
      const isAsleep = sleeps(mode);
      if (wanted === 'sleep') return isAsleep ? kit.SO_ALREADY : order(link, 'mode', { sleep: 'on' });
      const { miningMode, miningModePreset } = tuningOf(mode);
      const isSet = target === undefined ? miningMode === wanted : kit.sameTarget(miningModePreset, preset);
      const name = Object.entries(NAMED).find(([, means]) => means === wanted)?.[0];
      return kit.inTurn(
        // The mode first: it wakes to what it is meant to do.
        !isSet && (() => order(link, 'mode', target === undefined ? { mode: name } : custom(target))),
        isAsleep && (() => order(link, 'mode', { sleep: 'off' })),
      );
    },
    shownWithinS: 120,
  }),
  pools: kit.pools({
    offlineS: [0, 60],
    atMost: 3,
    set: (link, wanted) =>
      order(link, 'updatepools', {
        pools: wanted.map(({ url, user, password }) => ({ url, user, pass: password === '' ? 'x' : password })),
      }),
    shownWithinS: 120,
  }),
  /** It takes no file, only an address to fetch one from. */
  firmware: kit.ability({
    effect: 'once',
    offlineS: [60, 900],
    params: z.looseObject({ url: z.url({ protocol: /^https?$/ }), version: z.string().optional() }),
    act: (link, { url }) => order(link, 'firmware-upgrade', { url }),
    shows: ({ firmwareVersion }, { version }) => kit.showsVersionIn(firmwareVersion, version),
    shownWithinS: 900,
    fetchesItself: 'from-url',
  }),
};
