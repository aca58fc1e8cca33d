// What REST of Braiins OS can be told. The link throws its refusals, with the device's words.
import * as kit from '../../../src/driver/kit/index.ts';
import { apiPath, LOGIN_PATH, rest, restSession } from './asks.ts';
import { STATUS } from './numbers.data.ts';
import { poolsOf, powerTargetW } from './read.ts';

const put = (link: kit.MinerLink, what: string, path: string, json?: unknown) =>
  kit.command(link, what, kit.asText(kit.put(apiPath(path), restSession, json === undefined ? {} : { json })), isKnown);

/** Versions without this API may show their start page for every path. */
const isKnown = (answer: kit.Answer): kit.Verdict => !kit.isPage(answer) || { code: 'peer.unsupported' };

export const reboot = (link: kit.MinerLink) => put(link, 'reboot', 'actions/reboot');
export const setLight = (link: kit.MinerLink, on: boolean) => put(link, 'switch the light of', 'actions/locate', on);
export const pause = (link: kit.MinerLink) => put(link, 'put to sleep', 'actions/pause');

export async function wake(link: kit.MinerLink): Promise<kit.ActResult> {
  const status = (await kit.askFirst(link, 'wake', rest('miner/details'))).int('status');
  if (status === STATUS.running) return { ...kit.ACCEPTED, note: 'it was awake already; its tuner stays as it is' };
  return put(link, 'wake', status === STATUS.paused ? 'actions/resume' : 'actions/start');
}

export const setTarget = (link: kit.MinerLink, what: string, { value, unit }: kit.Target) =>
  unit === 'W'
    ? put(link, what, 'performance/power-target', { watt: value })
    : put(link, what, 'performance/hashrate-target', { terahash_per_second: value });

export async function targetNow(link: kit.MinerLink, { unit }: kit.Target): Promise<number | undefined> {
  const configuration = new kit.Answer(await link.send(rest('configuration/miner')));
  return unit === 'W'
    ? powerTargetW(configuration)
    : configuration.at('tuner', 'hashrate_target').number('terahash_per_second');
}

/** The whole list replaces all groups; the first keeps its name. The device goes over to it without a restart. */
export async function setPools(link: kit.MinerLink, wanted: readonly kit.WantedPool[]): Promise<kit.ActResult> {
  const what = 'change the pools of';
  const before = await kit.askFirst(link, what, rest('pools'), (groups) => groups.rows() !== undefined);
  const [group, ...others] = before.rows() ?? [];
  const set = poolsOf(before);
  if (others.length === 0 && set !== undefined && kit.samePools(set, wanted)) return kit.THEY_WERE_SO;
  const pools = wanted.map(({ url, user, password }) => ({ url, user, password, enabled: true }));
  const name = group?.text('name') ?? 'default';
  return put(link, what, 'pools/batch', [{ name, pools, load_balance_strategy: { quota: { value: 1 } } }]);
}

/** The token stands for the present one. Nothing goes out to a version that does not know the API. */
export async function setPassword(link: kit.MinerLink, password: string): Promise<kit.ActResult> {
  const what = 'set the password of';
  await kit.askFirst(link, what, rest('miner/details'), (details) => !kit.isPage(details));
  const request = kit.put(apiPath('auth/password'), restSession, { json: { password }, freshLogin: true });
  return kit.command(link, what, kit.asText(request), (answer) => !kit.isPage(answer) || undefined);
}

/** As it leaves the factory it lets in with any password: then that it takes one shows nothing. */
export async function proveLogin(link: kit.MinerLink): Promise<void> {
  if (await isOpenToAll(link)) {
    const why = new Error('it lets in with an empty password, too');
    throw new kit.PeerError('peer.auth', `prove the login of ${link.ip}`, 'later', why);
  }
  await link.send({ ...rest('miner/details'), freshLogin: true });
}

async function isOpenToAll(link: kit.MinerLink): Promise<boolean> {
  const withoutPassword = { json: { username: 'root', password: '' } };
  const granted = link.send(kit.post(LOGIN_PATH, 'none', withoutPassword)).then((answer) => new kit.Answer(answer));
  const answer = await kit.orElse(
    () => granted,
    () => kit.NOTHING,
    ['peer.auth', 'peer.permission', 'peer.rejected'],
  );
  return answer.text('token', 4_096) !== undefined;
}

export const upgrade = (link: kit.MinerLink, { name, bytes }: kit.FirmwareImage) => {
  const upload = { fields: {}, file: { field: 'file', name, bytes } };
  const request = kit.post(apiPath('upgrade/system-upgrade'), restSession, { upload });
  return kit.upload(link, 'upgrade', kit.asText(request), isKnown);
};

export async function log(link: kit.MinerLink): Promise<string> {
  const text = await kit.fetchLog(link, kit.asText(rest('miner/log/bosminer')));
  if (kit.isPage(new kit.Answer(text))) throw kit.unsupported(link, 'read the log of');
  return text;
}
