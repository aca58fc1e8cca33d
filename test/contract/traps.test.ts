// Hosts of an ordinary network that say a miner's word: none becomes a miner, none is sent a login, none is told to
// change anything, with every login that a configuration can allow. Counted at the hosts.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { drivers } from '../../drivers/index.ts';
import { type Farm, startFarm } from '../../fixtures/farm/farm.ts';
import { parseMix } from '../../fixtures/farm/mix.ts';
import { type PortMap, suitablePortMap } from '../../fixtures/farm/ports.ts';
import { TRAP_CLASSES, TRAPS, type Trap } from '../../fixtures/farm/traps.data.ts';
import { startTraps, type Traps, triedIn } from '../../fixtures/farm/traps.ts';
import { createAgent } from '../../src/agent/agent.ts';
import { parseConfig } from '../../src/agent/config/config.ts';
import { waitingDevices } from '../../src/agent/device/trust/waiting.ts';
import { systemClock } from '../../src/base/clock.ts';
import { silentLog } from '../../src/base/log.ts';
import { SCAN_PORTS, SIDE_PORTS } from '../../src/driver/identify.ts';
import { freshClient } from '../support/fresh-client.ts';
import { freshTrust } from '../support/fresh-trust.ts';
import { loopback } from '../support/loopback.ts';

const { network: NETWORK, ip: ipOf } = loopback();
const MINER = ipOf(200);
/** Where port 443 is reached here. */
const TLS_PORT = 8443;
const PASSWORD = 'canary-Pa55word';
/** Whichever there is: one real miner among them. */
const [A_FAMILY = 'all'] = Object.keys(parseMix('all'));
const stateDir = mkdtempSync(join(tmpdir(), 'pithead-traps-'));
const at = new Map<string, Trap>(TRAPS.map((trap, index) => [ipOf(index + 1), trap]));

let traps: Traps;
let farm: Farm;
let portMap: PortMap;
beforeAll(async () => {
  // Below 1024, too.
  portMap = { ...(await suitablePortMap()), 443: TLS_PORT };
  traps = await startTraps(at, portMap);
  farm = await startFarm({ network: `${MINER}/32`, miners: 1, mix: parseMix(A_FAMILY), seed: 3, noise: 0, portMap });
});
afterAll(async () => {
  await traps.stop();
  await farm.stop();
  rmSync(stateDir, { recursive: true, force: true });
});

/** Logins for all of the network, factory logins, and no person who must accept anything. */
const configOf = () =>
  parseConfig(
    JSON.stringify({
      ...{ stateDir, networks: [NETWORK], portMap, scan: { maxPerSecond: 50_000 } },
      credentials: {
        trust: 'network',
        logins: [
          { range: MINER, user: farm.devices[0]?.login?.user ?? 'root', password: 'env:RIGHT' },
          { range: NETWORK, user: 'canary-user', password: 'env:CANARY' },
        ],
      },
      poll: { interval: '1s', slowEvery: 1, staticEvery: '5s', deadline: '3s' },
    }),
    {
      baseDir: stateDir,
      environment: { CANARY: PASSWORD, RIGHT: farm.devices[0]?.login?.password ?? 'root' },
      name: 'traps',
    },
  );

const named = (counts: (text: string) => number) =>
  Object.entries(traps.texts()).flatMap(([ip, text]) => (counts(text) > 0 ? [`${at.get(ip)?.what}: ${text}`] : []));

function expectNothingTried() {
  expect(named((text) => triedIn(text).logins)).toEqual([]);
  expect(named((text) => triedIn(text).writes)).toEqual([]);
  expect(named((text) => Number(text.includes(PASSWORD)))).toEqual([]);
}

test('there are enough of each class, and each says the word that fools', () => {
  expect(TRAPS.length).toBeGreaterThanOrEqual(64);
  for (const each of TRAP_CLASSES) expect(TRAPS.filter((trap) => trap.class === each).length, each).toBeGreaterThan(7);
  for (const { what, word, ports } of TRAPS) {
    const isEcho = Object.values(ports).some((port) => 'echo' in port);
    if (!isEcho) expect(JSON.stringify(ports), what).toContain(word);
  }
});

test('an agent takes none for a miner in two scans, and polls none', async () => {
  const agent = createAgent({ config: configOf(), uplinks: [], clock: systemClock, log: silentLog });
  await agent.start();
  try {
    for (const _ of ['once', 'again']) {
      const account = await agent.scan();
      expect(account?.counts).toMatchObject({ identified: 1, login_refused: 0, missing: 0 });
      expect([...agent.fleet.all()].map(({ target }) => target.ip)).toEqual([MINER]);
    }
  } finally {
    await agent.stop();
  }
  // Every host was really asked, those that send to TLS over TLS: their pages on port 443 were read.
  expect(Object.keys(traps.texts()).length).toBeGreaterThanOrEqual(TRAPS.filter(({ ports }) => 80 in ports).length);
  const tlsHosts = [...at].filter(([, { ports }]) => 443 in ports);
  expect(tlsHosts.length).toBeGreaterThan(4);
  for (const [ip, { what }] of tlsHosts)
    expect(traps.texts()[ip], what).toMatch(new RegExp(`host: ${ip}:${TLS_PORT}`, 'i'));
  expectNothingTried();
});

test('a command at one sends nothing, and a person is told what it looks like', async () => {
  const trust = freshTrust();
  const config = configOf();
  const client = freshClient({ config, trust });
  const signal = new AbortController().signal;
  const looksLike = new Map<string, number>();
  try {
    const all = [...at].map(async ([ip, { what }]) => {
      const found = await client.recognise(ip, new Set([...SCAN_PORTS, ...SIDE_PORTS]), signal);
      expect(['likely', 'unknown'], what).toContain(found.status);
      if (found.status !== 'likely') return;
      const { driver } = found.target;
      looksLike.set(driver.id, (looksLike.get(driver.id) ?? 0) + 1);
      if (driver.abilities.reboot === undefined) return;
      const order = client.act(found.target, 'reboot', {}, signal);
      await expect(order, what).rejects.toMatchObject({ code: 'peer.auth', wasSent: false });
    });
    await Promise.all(all);
  } finally {
    await client.close();
  }
  // Most are what the tables of words take for a miner.
  expect([...looksLike.values()].reduce((sum, count) => sum + count, 0)).toBeGreaterThan(TRAPS.length / 2);
  const waiting = waitingDevices(trust.record, systemClock.nowMs());
  expect(new Set(waiting.map(({ why }) => why))).toEqual(new Set(['no-proof']));
  expectNothingTried();
}, 30_000);

const BFGMINER =
  '{"STATUS":[{"STATUS":"S","When":1,"Code":22,"Msg":"BFGMiner versions","Description":"bfgminer 5.5.0"}],"VERSION":[{"Miner":"5.5.0","API":"3.3"}]}';
/** The driver of all that is a mining program and nothing else, if there is one. */
const fallback = drivers.find(
  ({ identify }) => identify({ family: undefined, version: BFGMINER })?.confidence === 'generic',
)?.id;

test.skipIf(fallback === undefined)(
  'a real bfgminer behind an ordinary web server is a mining program and no Goldshell',
  async () => {
    const both: Trap = {
      ...{ class: 'foreign page', what: 'bfgminer behind nginx', word: 'cloud-box' },
      ports: { 80: { pages: { '*': { body: '<title>cloud-box</title>' } } }, 4028: { reply: BFGMINER } },
    };
    const ip = loopback(32).ip(0);
    const one = await startTraps(new Map([[ip, both]]), portMap);
    const config = configOf();
    const client = freshClient({ config });
    try {
      const found = await client.recognise(ip, new Set(SCAN_PORTS), new AbortController().signal);
      expect(found.status === 'unknown' ? undefined : [found.target.driver.id, found.identity.confidence]).toEqual([
        fallback,
        'generic',
      ]);
      expect(triedIn(one.texts()[ip] ?? '').logins).toBe(0);
    } finally {
      await client.close();
      await one.stop();
    }
  },
);
