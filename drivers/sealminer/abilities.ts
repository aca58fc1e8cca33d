// What a Sealminer can be told (atlas 13): commands to the mining process over TCP, the others over the web.
import * as kit from '../../src/driver/kit/index.ts';
import { MODE_KEYS } from './modes.data.ts';
import { modeOf, sleeps } from './read.ts';

const session = kit.cookieSession({
  name: 'sealminer',
  path: '/cgi-bin/login.php',
  headers: { 'X-Requested-With': 'XMLHttpRequest' },
  form: ({ user, password }) => ({ username: user, origin_pwd: password }),
  // A state that is not 0 is a refusal, with a cookie all the same: PHP gives one to everybody.
  isGranted: (answer, cookie) => cookie !== undefined && (answer.number('state') ?? 0) === 0,
  // Who is not logged in gets the page with the form, and status 200.
  isEnded: ({ body = '' }) => /<html/i.test(body) && body.includes('origin_pwd'),
});

export const page = (name: string) => kit.get(`/cgi-bin/${name}.php`, session);
const REBOOT = kit.asText(page('reboot'));

/** For what counts only after a reboot. */
const andReboot = (link: kit.MinerLink, what: string, request: kit.MinerRequest) =>
  kit.inTurn(...[request, REBOOT].map((each) => () => kit.command(link, what, each)));

const write = (link: kit.MinerLink, what: string, name: string, json: object) =>
  kit.command(link, what, kit.asText(kit.post(`/cgi-bin/${name}.php`, session, { json })), (answer) => {
    // Not every build answers with a result; where it does, 0 and true are a yes.
    const result = answer.parsed().number('result') ?? answer.parsed().bool('result') ?? true;
    return result === 0 || result === true ? true : { why: String(result), retry: 'later' };
  });

export const abilities = {
  reboot: kit.reboot([40, 180], (link) => kit.command(link, 'restart', REBOOT)),
  light: kit.light((link, on) =>
    write(link, 'switch the light of', 'led_conf', { key: 'led', value: on ? 'on' : 'off' }),
  ),
  /** A preset is a power limit such as `3300 W`. */
  powerMode: kit.modesAndPresets({
    offlineS: [0, 180],
    set: (link, { mode, preset }) => (mode === undefined ? changeLimit(link, preset ?? '') : changeMode(link, mode)),
    shows: kit.showsModeOrLimit,
    shownWithinS: 300,
  }),
  pools: kit.pools({
    offlineS: [40, 180],
    atMost: 3,
    async set(link, wanted) {
      const set = kit.cgminerPools(await kit.askFirst(link, 'change the pools of', kit.tcp('pools')));
      if (set !== undefined && kit.samePools(set, wanted)) return kit.THEY_WERE_SO;
      const pools = wanted.map(({ url, user, password }) => ({ url, user, pass: password }));
      return andReboot(link, 'change the pools of', kit.tcp('updatepools', JSON.stringify({ pools })));
    },
    shownWithinS: 300,
  }),
};

/** The reboot wakes a miner that sleeps. */
async function changeLimit(link: kit.MinerLink, preset: string): Promise<kit.ActResult> {
  const what = 'set the power limit of';
  const watts = Math.round(kit.wantedTarget(link, preset, 'W').value);
  const stats = (await kit.askFirst(link, what, kit.tcp('stats'))).row('STATS');
  if (stats.watts('Power Limit') === watts) return sleeps(stats) ? kit.command(link, what, REBOOT) : kit.SO_ALREADY;
  return andReboot(link, what, kit.tcp('ascset', `0,powerlimit,${JSON.stringify({ value: String(watts) })}`));
}

/**
 * Sleeping is a command to the process; which mode it wakes up in is a setting of the web, by numbers that the device
 * names itself.
 */
async function changeMode(link: kit.MinerLink, mode: 'sleep' | 'low' | 'normal' | 'high'): Promise<kit.ActResult> {
  const what = 'set the mode of';
  const isAsleep = sleeps((await kit.askFirst(link, what, kit.tcp('stats'))).row('STATS')) === true;
  if (mode === 'sleep') return isAsleep ? kit.SO_ALREADY : kit.command(link, what, kit.tcp('ascset', '0,suspend'));
  const system = await kit.askFirst(link, what, page('get_system_info'));
  const miningMode = system.count(MODE_KEYS[mode]);
  if (miningMode === undefined) throw kit.unsupported(link, `set the mode ${mode} on`);
  return kit.inTurn(
    modeOf(system) !== mode && (() => write(link, what, 'set_mining_mode', { miningMode })),
    isAsleep && (() => kit.command(link, what, kit.tcp('restart'))),
  );
}
