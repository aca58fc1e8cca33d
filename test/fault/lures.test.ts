// Devices that are none of ours and look like miners in everything that can be seen without a login: whatever they
// show, no password goes to them. Each is as complete as somebody with our own source can make it: a simulated device
// of the family, behind a listener that keeps what it is sent.

import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { families } from '../../drivers/index.ts';
import { type Farm, startFarm } from '../../fixtures/farm/farm.ts';
import { suitablePortMap } from '../../fixtures/farm/ports.ts';
import { createAgent } from '../../src/agent/agent.ts';
import { parseConfig } from '../../src/agent/config/config.ts';
import { waitingDevices } from '../../src/agent/device/trust/waiting.ts';
import { systemClock } from '../../src/base/clock.ts';
import { silentLog } from '../../src/base/log.ts';
import { SCAN_PORTS } from '../../src/driver/identify.ts';
import { until } from '../e2e/until.ts';
import { freshClient } from '../support/fresh-client.ts';
import { freshTrust } from '../support/fresh-trust.ts';
import { loopback } from '../support/loopback.ts';
import { overhear } from './overheard.ts';
import { sightingsOf } from './sightings.ts';

const KINDS = [
  ...['iceriver', 'innosilicon', 'mskminer', 'sealminer', 'auradine', 'braiins-rest', 'proto', 'futurebit'],
  ...['goldshell', 'antminer-c', 'hammer', 'elphapex', 'vnish', 'epic', 'volcminer', 'whatsminer-2', 'avalon-a'],
];
const USER = 'canary-user';
const PASSWORD = 'canary-Pa55word';
/** Of a pool. */
const POOL = 'canary-of-a-pool';
const CANARY = { user: USER, password: PASSWORD };

type Lures = Awaited<ReturnType<typeof startLures>>;

/** One of each kind. Behind each address of the network that is told stands a device that plays it, at another one. */
async function startLures(kinds: readonly string[]) {
  const [net, behind] = [loopback(26), loopback(26)];
  const portMap = await suitablePortMap();
  const farm = await startFarm({
    ...{ network: behind.network, miners: kinds.length, seed: 3, noise: 0, portMap },
    mix: Object.fromEntries(kinds.map((kind) => [kind, 1])),
  });
  const ways = new Map(farm.devices.map(({ ip }, i) => [net.ip(i + 2), ip]));
  const heard = await overhear(ways, portMap);
  onTestFinished(async () => {
    await heard.stop();
    await farm.stop();
  });
  return { farm, portMap, heard, network: net.network, ways };
}

function configOf({ portMap, network }: Pick<Lures, 'portMap' | 'network'>, credentials: object, stateDir = '.') {
  const settings = {
    ...{ stateDir, networks: [network], portMap, credentials },
    scan: { maxPerSecond: 50_000 },
    poll: { interval: '1s', slowEvery: 1, staticEvery: '5s', deadline: '3s' },
  };
  return parseConfig(JSON.stringify(settings), { baseDir: stateDir, environment: { CANARY: PASSWORD }, name: 'lures' });
}

/** Where families log in. */
const LOGIN_PATH = /login|auth|unlock|token/i;

const loginFor = (range: string) => ({ logins: [{ range, user: USER, password: 'env:CANARY' }] });

/** A login of any kind: the password in any writing, a digest or a token asked for. */
const loginsIn = (texts: Readonly<Record<string, string>>) => [
  ...sightingsOf(CANARY, texts),
  ...Object.entries(texts).flatMap(([ip, text]) =>
    /^(authorization|cookie|token):|get_token/im.test(text) ? [`a login in ${ip}`] : [],
  ),
];

/** A scan of an agent, and some polls of everything that it found. */
async function watch(lures: Lures, credentials: object): Promise<void> {
  const stateDir = mkdtempSync(join(tmpdir(), 'pithead-lures-'));
  const config = configOf(lures, credentials, stateDir);
  const agent = createAgent({ config, uplinks: [], clock: systemClock, log: silentLog });
  onTestFinished(() => rmSync(stateDir, { recursive: true, force: true }));
  await agent.start();
  try {
    await agent.scan();
    await until(
      async () => agent.fleet.size,
      (size) => size >= KINDS.length - 1,
    );
    await new Promise((resolve) => setTimeout(resolve, 4_000));
  } finally {
    await agent.stop();
  }
}

test('one of each kind: a scan and polls with a login for the range give no password away', async () => {
  const lures = await startLures(KINDS);
  await watch(lures, loginFor(lures.network));
  const texts = lures.heard.texts();
  expect(Object.keys(texts)).toHaveLength(KINDS.length);
  expect(loginsIn(texts)).toEqual([]);
});

test('one of each kind: an order gives it neither the login nor what the order holds', async () => {
  const lures = await startLures(KINDS);
  const config = configOf(lures, loginFor(lures.network));
  const trust = freshTrust();
  const client = freshClient({ config, trust });
  onTestFinished(() => client.close());
  const signal = new AbortController().signal;
  const params = {
    reboot: {},
    pools: { pools: [{ url: 'stratum+tcp://pool.example:3333', user: 'w', password: POOL }] },
  };
  for (const ip of lures.ways.keys()) {
    const found = await client.recognise(ip, new Set<number>(SCAN_PORTS), signal);
    if (found.status === 'unknown') throw new Error(`nobody knows what ${ip} is`);
    const { driver } = found.target;
    for (const ability of ['pools', 'reboot'] as const) {
      if (driver.abilities[ability] === undefined) continue;
      const order = client.act(found.target, ability, params[ability], signal);
      await expect(order, `${ability} ${driver.id}`).rejects.toMatchObject({ code: 'peer.auth', wasSent: false });
    }
  }
  const texts = lures.heard.texts();
  expect(Object.keys(texts)).toHaveLength(KINDS.length);
  expect([...loginsIn(texts), ...sightingsOf({ pool: POOL }, texts)]).toEqual([]);
});

const drawn = async (farm: Farm, config: ReturnType<typeof configOf>, mac: { value: string }, ip: string) => {
  const trust = { ...freshTrust(), neighbourAt: () => ({ mac: mac.value, isShared: false }) };
  const client = freshClient({ config, trust });
  onTestFinished(() => client.close());
  const signal = new AbortController().signal;
  const open = new Set<number>(SCAN_PORTS);
  const visit = async () => {
    const found = await client.recognise(ip, open, signal);
    if (found.status === 'unknown') throw new Error(`nobody knows ${farm.devices[0]?.driver}`);
    return found.target;
  };
  return { client, trust, visit, signal };
};

test('after it was accepted a device gets its login, and another one behind its address gets nothing', async () => {
  const lures = await startLures(['antminer-c']);
  const [ip = ''] = [...lures.ways.keys()];
  const mac = { value: '02:00:00:00:00:01' };
  const config = configOf(lures, loginFor(lures.network));
  const { client, trust, visit, signal } = await drawn(lures.farm, config, mac, ip);
  const target = await visit();
  expect(loginsIn(lures.heard.texts())).toEqual([]);
  expect(waitingDevices(trust.record, systemClock.nowMs())).toMatchObject([{ ip, why: 'new', isHeldUp: true }]);

  trust.record.accept(trust.record.devices());
  // Refused, for it is not the login of the simulated device: that it was sent is what counts.
  await client.read(target, signal);
  expect(lures.heard.texts()[ip]).toContain(`Digest username="${USER}"`);

  lures.heard.forget();
  mac.value = '02:00:00:00:00:66';
  for (let poll = 0; poll < 3; poll++) await client.read(target, signal);
  await visit();
  expect(loginsIn(lures.heard.texts())).toEqual([]);
  expect(waitingDevices(trust.record, systemClock.nowMs())).toMatchObject([{ ip, why: 'changed' }]);
});

test('while two claim to be one, neither gets a login nor an order', async () => {
  const lures = await startLures(['antminer-c']);
  const [ip = ''] = [...lures.ways.keys()];
  const config = configOf(lures, { trust: 'network', ...loginFor(lures.network) });
  let isContested = true;
  const trust = { ...freshTrust(), mayLogIn: () => !isContested };
  const client = freshClient({ config, trust });
  onTestFinished(() => client.close());
  const signal = new AbortController().signal;
  const found = await client.recognise(ip, new Set(SCAN_PORTS), signal);
  if (found.status === 'unknown') throw new Error('it is not known');
  await expect(client.act(found.target, 'reboot', {}, signal)).rejects.toMatchObject({
    code: 'peer.auth',
    wasSent: false,
  });
  expect(loginsIn(lures.heard.texts())).toEqual([]);
  isContested = false;
  await client.read(found.target, signal);
  expect(loginsIn(lures.heard.texts())).not.toEqual([]);
});

test('pages with one word of a family get no factory login, and no order', async () => {
  const net = loopback(26);
  const portMap = await suitablePortMap();
  const requests: string[] = [];
  const pages = families.all
    .flatMap(({ startPages = [] }) => startPages)
    .map((rule, i) => {
      const server = createServer((request, response) => {
        requests.push(
          `${request.method} ${request.url} ${request.headers.authorization ?? ''}${request.headers.cookie ?? ''}`,
        );
        const isStart = request.url === '/';
        const headers = {
          ...(rule.realm === undefined
            ? {}
            : { 'www-authenticate': `Digest realm="${rule.realm}", nonce="n", qop="auth"` }),
          ...(rule.location === undefined ? {} : { location: `${rule.location}x` }),
        };
        response.writeHead(isStart ? (rule.status ?? 200) : rule.status === 401 ? 401 : 404, headers);
        response.end(isStart ? `<html>${rule.body ?? ''}</html>` : '');
      });
      return { rule, server, ip: net.ip(i + 2) };
    });
  for (const { server, ip } of pages)
    await new Promise<void>((resolve) => server.listen(portMap[80] ?? 80, ip, resolve));
  onTestFinished(() => {
    for (const { server } of pages) server.close();
  });
  const config = configOf({ portMap, network: net.network }, {});
  const trust = freshTrust();
  const client = freshClient({ config, trust });
  onTestFinished(() => client.close());
  const signal = new AbortController().signal;
  for (const { ip, rule } of pages) {
    const found = await client.recognise(ip, new Set([80]), signal);
    if (found.status === 'unknown') continue;
    expect(found.identity.confidence, JSON.stringify(rule)).toBe('likely');
    if (found.target.driver.abilities.reboot !== undefined)
      await expect(client.act(found.target, 'reboot', {}, signal)).rejects.toMatchObject({ wasSent: false });
  }
  // Some families are read by POST; none of these carries or asks for a login.
  expect(requests.filter((line) => !/^(GET|POST) \S+ $/.test(line) || LOGIN_PATH.test(line))).toEqual([]);
});
