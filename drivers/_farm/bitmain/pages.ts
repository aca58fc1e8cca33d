// Pages that Antminer stock and the makes that copied its web have alike: how they answer, reboot, blink, and read what
// is posted. Atlas section 3.4.
import type { PoolSetting, SimDevice } from '../device.ts';
import { isRecord, parseObject } from '../servers/cgminer-api.ts';
import type { WebReply, WebRequest } from '../servers/web.ts';
import type { AntminerPool } from './facts.ts';

export const json = (value: object, after?: () => void): WebReply => ({
  status: 200,
  type: 'application/json',
  body: JSON.stringify(value),
  ...(after ? { after } : {}),
});

export const FORBIDDEN: WebReply = { status: 403, body: '<html><body><h1>403 Forbidden</h1></body></html>\n' };

export const NOT_FOUND: WebReply = { status: 404, body: '<html><body><h1>404 Not Found</h1></body></html>\n' };

/** Every second device dies before it answers, which is what clients have to live with. */
export function reboot(device: SimDevice): WebReply {
  if (device.faults.has('write-api-off')) return FORBIDDEN;
  const after = () => device.reboot();
  if (device.index % 2 === 1 && !device.faults.has('ignores-reboot')) {
    return { status: 200, body: '', hangUp: true, after };
  }
  return { status: 200, body: '', after };
}

/** JSON as body, or as the text of a form. */
export function bodyOf(request: WebRequest): Readonly<Record<string, unknown>> | undefined {
  const direct = parseObject(request.body);
  if (direct) return direct;
  const [text = ''] = [...new URLSearchParams(request.body).keys()];
  return parseObject(text);
}

export function setBlink(device: SimDevice, request: WebRequest): WebReply {
  if (device.faults.has('write-api-off')) return FORBIDDEN;
  const blink = bodyOf(request)?.blink;
  if (blink !== 'true' && blink !== 'false' && typeof blink !== 'boolean') return refused('B001');
  const isOn = String(blink) === 'true';
  if (!device.faults.has('ignores-writes')) device.settings.isLightOn = isOn;
  return json({ code: isOn ? 'B000' : 'B100' });
}

/** All three fields, or nothing; a wrong current password is no. */
export function setPassword(device: SimDevice, request: WebRequest): WebReply {
  if (device.faults.has('write-api-off')) return FORBIDDEN;
  const { curPwd, newPwd, confirmPwd } = bodyOf(request) ?? {};
  if (typeof newPwd !== 'string' || newPwd === '' || newPwd !== confirmPwd) return refused('P002');
  if (curPwd !== device.login?.password) return refused('P001');
  device.logins.change(newPwd);
  const done = json({ stats: 'success', code: 'P000', msg: 'OK!' });
  return device.logins.losesReply ? { ...done, hangUp: true } : done;
}

export const refused = (code: string): WebReply => json({ stats: 'error', code, msg: 'Invalid parameter' });

/** Always three entries; undefined when the device would choke on it. */
export function readPools(value: unknown): PoolSetting[] | undefined {
  if (!Array.isArray(value) || value.length !== 3) return undefined;
  const pools = value.map((entry: unknown) =>
    isRecord(entry) && typeof entry.url === 'string' && typeof entry.user === 'string' && typeof entry.pass === 'string'
      ? { url: entry.url, user: entry.user, pass: entry.pass }
      : undefined,
  );
  return pools.every((pool) => pool !== undefined) ? pools : undefined;
}

const inThousands = (difficulty: number) => (difficulty > 0 ? `${Math.floor(difficulty / 1_000)}K` : '');

/** Rows of `pools` on TCP, as far as all of them have it. */
export const tcpPools = (pools: readonly AntminerPool[]): object[] =>
  pools.map((pool, index) => ({
    POOL: index,
    URL: pool.url,
    Status: pool.isAlive ? 'Alive' : 'Dead',
    Priority: index,
    Quota: 1,
    'Long Poll': 'N',
    Getworks: pool.accepted,
    Accepted: pool.accepted,
    Rejected: pool.rejected,
    Discarded: 0,
    Stale: pool.stale,
    'Get Failures': 0,
    'Remote Failures': 0,
    User: pool.user,
    'Last Share Time': pool.accepted > 0 ? '0:00:03' : '0',
    Diff: inThousands(pool.difficulty),
    'Difficulty Accepted': pool.accepted * pool.difficulty,
    'Difficulty Rejected': pool.rejected * pool.difficulty,
    'Difficulty Stale': pool.stale * pool.difficulty,
    'Last Share Difficulty': pool.difficulty,
    'Has Stratum': true,
    'Stratum Active': pool.isActive,
    'Stratum URL': pool.isActive ? pool.url.replace('stratum+tcp://', '').replace(/:\d+$/, '') : '',
    'Has GBT': false,
  }));

/** Rows of `pools.cgi`; `dead` is its word for a pool that does not answer. */
export const pagePools = (pools: readonly AntminerPool[], dead = 'Dead'): object[] =>
  pools.map((pool, index) => ({
    index,
    url: pool.url,
    user: pool.user,
    status: pool.isAlive ? 'Alive' : dead,
    priority: index,
    getworks: pool.accepted,
    accepted: pool.accepted,
    rejected: pool.rejected,
    discarded: 0,
    stale: pool.stale,
    diff: inThousands(pool.difficulty),
    diff1: 0,
    diffa: pool.accepted * pool.difficulty,
    diffr: pool.rejected * pool.difficulty,
    diffs: pool.stale * pool.difficulty,
    lsdiff: pool.difficulty,
    lstime: pool.accepted > 0 ? '0:00:03' : '0',
  }));

/** What `get_miner_conf.cgi` says beside what each of them has of its own. */
export const confBase = (pools: readonly Pick<AntminerPool, 'url' | 'user' | 'pass'>[]) => ({
  pools: pools.map(({ url, user, pass }) => ({ url, user, pass })),
  'api-listen': true,
  'api-network': true,
  'api-groups': 'A:stats:pools:devs:summary:version',
  'api-allow': 'A:0/0,W:*',
  'bitmain-use-vil': true,
});

/** Of `get_system_info.cgi`. */
export const networkOf = (device: SimDevice) => ({
  nettype: 'DHCP',
  netdevice: 'eth0',
  macaddr: device.mac,
  hostname: device.settings.hostname,
  ipaddress: device.ip,
  netmask: '255.255.255.0',
});
