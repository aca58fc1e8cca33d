// What we change on an Avalon: reboot, light, sleep, mode and level by `ascset` without a login, and pools with it
// (atlas 5.3).
import * as kit from '../../src/driver/kit/index.ts';
import { modesOf } from './read.ts';
import { modulesOf } from './tokens.ts';

const POOLS = 3;

export const abilities = {
  reboot: kit.reboot([40, 180], (link) => ascset(link, 'reboot', '0,reboot,0')),
  light: kit.light(setLight),
  /** A preset is the number of a level of a home model. */
  powerMode: kit.modesAndPresets({
    offlineS: [0, 60],
    async set(link, { mode, preset = '' }, { generation }) {
      const what = 'set the mode of';
      const timed = async (verb: string, order: string) => ascset(link, verb, `0,${order},1:${await soonS(link)}`);
      if (mode === 'sleep') return timed('suspend', 'softoff');
      const isHome = generation === 'home';
      const isLevel = mode === undefined && isHome && /^-?\d{1,2}$/.test(preset);
      const value = isLevel ? Number(preset) : mode === undefined ? -1 : modesOf(isHome).indexOf(mode);
      if (!isLevel && value < 0) throw kit.unsupported(link, `set the mode ${mode ?? preset} on`);
      const tokens = tokensOf(await kit.askFirst(link, what, STATS, () => true));
      const isAsleep = (tokens?.number('SoftOFF') ?? 0) !== 0;
      const result = isAsleep ? await timed('wake', 'softon') : kit.SO_ALREADY;
      if (result.kind === 'lost-reply' || tokens?.number(isLevel ? 'WORKLEVEL' : 'WORKMODE') === value) return result;
      return ascset(link, what, `0,${isLevel ? 'worklevel' : 'workmode'},${isHome ? 'set,' : ''}${value}`);
    },
    shownWithinS: 120,
  }),
  /** In force after a reboot. Each of its places holds a pool; none can be emptied. */
  pools: kit.pools({
    offlineS: [0, 180],
    atMost: POOLS,
    takes: kit.haveNoComma,
    async set(link, wanted, { generation }) {
      const set = kit.cgminerPools(await kit.askFirst(link, 'change the pools of', kit.tcp('pools'), () => true));
      const places = kit.filledUp(wanted, POOLS);
      if (set !== undefined && (kit.samePools(set, wanted) || kit.samePools(set, places))) return kit.THEY_WERE_SO;
      return kit.inTurn(...places.map((pool, place) => () => setPool(link, place, pool, generation === 'home')), () =>
        ascset(link, 'reboot, for its pools to count,', '0,reboot,0'),
      );
    },
    shows: kit.showsFilledUp,
    shownWithinS: 240,
  }),
  password: kit.password({
    offlineS: [0, 0],
    pattern: kit.plainPassword(16),
    /** It stays what it is. */
    provesLogin: (link) => changePassword(link, 'prove the login of', (present) => present),
    set: setPassword,
  }),
};

/** Some send a hash in place of it. A device that takes the present one as it is takes the new one so. */
async function setPassword(link: kit.MinerLink, wanted: string, { generation }: kit.Known): Promise<kit.ActResult> {
  const what = 'set the password of';
  if (generation !== 'a') throw kit.unsupported(link, what, 'it is known of the A series only');
  return changePassword(link, what, () => wanted);
}

/** A no is thrown by the link; what else it answers is not known by its number. */
const changePassword = (link: kit.MinerLink, what: string, next: (present: string) => string) =>
  kit.command(
    link,
    what,
    {
      ...kit.tcp('ascset'),
      carry({ password }: { readonly password: string }) {
        if (!password.includes(',')) return `0,password,${password},${next(password)}`;
        throw kit.unsupported(link, what, 'its commands have no place for a password with a comma');
      },
    },
    (answer) => /^[SI]$/.test(answer.row('STATUS').text('STATUS') ?? '') || undefined,
  );

const STATS = kit.tcp('stats');
const tokensOf = (answer: kit.Answer) => modulesOf(answer)[0]?.tokens;

/** The device switches at a time of its own clock: a little ahead of now. */
async function soonS(link: kit.MinerLink): Promise<number> {
  const what = 'read the clock of';
  const when = (await kit.askFirst(link, what, kit.tcp('version'), () => true)).row('STATUS').int('When');
  if (when !== undefined) return when + 5;
  throw new kit.PeerError('peer.unparsable', `${what} ${link.ip}`, 'later', undefined, { wasSent: false });
}

/** 118 and 119 are yes, 120 is no; `setpool` of home models says yes in other numbers. */
const tell = (link: kit.MinerLink, what: string, request: ReturnType<typeof kit.tcp>, carry?: Carry) =>
  kit.command(link, what, { ...request, ...(carry && { carry }) }, (answer) => {
    const row = answer.row('STATUS');
    const [code, status] = [row.int('Code'), row.text('STATUS')];
    // What carries a login may be repeated by the device.
    const note = carry === undefined ? row.text('Msg', 512) : undefined;
    if (!row.isThere) return undefined;
    const isYes = request.command === 'setpool' ? status === 'S' || status === 'I' : code === 118 || code === 119;
    return isYes ? { kind: 'accepted', ...(note !== undefined && { note }) } : `"${note ?? ''}" (code ${code})`;
  });
type Carry = (login: { readonly user: string; readonly password: string }) => string;

const ascset = (link: kit.MinerLink, what: string, parameter: string) => tell(link, what, kit.tcp('ascset', parameter));

/** With the login in the command. */
function setPool(link: kit.MinerLink, place: number, { url, user, password }: kit.WantedPool, isHome: boolean) {
  const what = 'change the pools of';
  return tell(link, what, kit.tcp(isHome ? 'setpool' : 'ascset'), (login) => {
    if (`${login.user}${login.password}`.includes(','))
      throw kit.unsupported(link, what, 'its commands have no place for a login with a comma');
    return `${isHome ? '' : '0,setpool,'}${login.user},${login.password},${place},${url},${user},${password}`;
  });
}

/** Builds differ in which number comes first; one that takes the wrong form may do nothing. */
async function setLight(link: kit.MinerLink, on: boolean): Promise<kit.ActResult> {
  const order = (form: number) => ascset(link, 'switch the light of', `0,led,${form}-${on ? 1 : 0}`);
  const none = () => undefined;
  const first = await kit.orElse(() => order(1), none, ['peer.rejected', 'peer.unsupported']);
  // Where the device does not say, it is for the next visits to see.
  const isLit = first?.kind === 'accepted' ? tokensOf(await kit.tryToAsk(link, STATS))?.number('Led') : undefined;
  const isWrong = isLit !== undefined && (isLit !== 0) !== on;
  return first === undefined || isWrong ? order(0) : first;
}
