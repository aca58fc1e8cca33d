// What we change on Auradine machines, all through their web API on port 8080 (atlas 10).
import * as kit from '../../src/driver/kit/index.ts';
import { LOCATE, NORMAL } from './errors.data.ts';
import { TUNES, WORD_OF } from './names.data.ts';
import { lampCode, sleeps, tuningOf } from './read.ts';

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

export const resource = (name: string) => kit.get(`/${name}`, session, { port: 8080 });

/** Every command repeats its own name. The device's words may hold what it was told: they go no further. */
const order = (link: kit.MinerLink, name: string, params: object = {}, more: Parameters<typeof kit.post>[2] = {}) => {
  const request = kit.post(`/${name}`, session, { port: 8080, json: { command: name, ...params }, ...more });
  return kit.command(link, `command ${name} of`, request, (answer) => {
    const status = answer.row('STATUS').text('STATUS');
    if (status === 'S' || status === 'I') return true;
    return status === undefined ? undefined : { why: 'that it is an error', retry: 'later' };
  });
};

/** To tune to a target: `tune` names the field that holds it. */
const tuneTo = ({ value, unit }: kit.Target) => ({ mode: 'custom', tune: TUNES[unit], [TUNES[unit]]: value });

const poolRow = ({ url, user, password }: kit.WantedPool) => ({ url, user, pass: password === '' ? 'x' : password });

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
      const isSet = kit.showsWanted(tuningOf(mode), { mode: wanted, preset });
      return kit.inTurn(
        // The mode first: it wakes to what it is meant to do.
        !isSet && (() => order(link, 'mode', target === undefined ? { mode: WORD_OF[wanted] } : tuneTo(target))),
        isAsleep && (() => order(link, 'mode', { sleep: 'off' })),
      );
    },
    shownWithinS: 120,
  }),
  pools: kit.pools({
    offlineS: [0, 60],
    atMost: 3,
    set: (link, wanted) => order(link, 'updatepools', { pools: wanted.map(poolRow) }),
    shownWithinS: 120,
  }),
  password: kit.password({
    offlineS: [0, 0],
    pattern: kit.plainPassword(32),
    provesLogin: (link) => link.send({ ...resource('led'), freshLogin: true }),
    set: (link, wanted) =>
      order(
        link,
        'password',
        { new: wanted },
        { carry: ({ user, password }) => ({ json: { user, old: password } }), freshLogin: true },
      ),
  }),
  /** It takes no file, only an address to fetch one from. */
  firmware: kit.ability({
    effect: 'once',
    offlineS: [60, 900],
    params: kit.z.looseObject({ url: kit.z.url({ protocol: /^https?$/ }), version: kit.z.string().optional() }),
    act: (link, { url }) => order(link, 'firmware-upgrade', { url }),
    shows: ({ firmwareVersion }, { version }) => kit.showsVersionIn(firmwareVersion, version),
    shownWithinS: 900,
    fetchesItself: 'from-url',
  }),
};
